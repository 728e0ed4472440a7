import { decode } from 'jsonwebtoken'
import { describeWithBrowser } from '../../support/browser'
import { allow } from '../../support/visit'
import { logIn, visitLoggedOut } from '../../support/visit-logged-out'

describeWithBrowser('a customer who is not logged in', () => {
  it('logs in on the host’s own page, and goes on from there', async () => {
    const visit = await visitLoggedOut()
    const request = visit.request()
    await visit.open(request)
    await logIn(visit.page, 'ada')
    await allow(visit.page)
    const { access_token } = await visit.tokens(request, await visit.back())
    expect(decode(access_token)).toMatchObject({ sub: 'ada' })
  })

  it('logs in again if the client asks for it, and only once', async () => {
    const visit = await visitLoggedOut()
    await visit.open(visit.request())
    await logIn(visit.page, 'ada')

    const request = visit.request({ prompt: 'login' })
    await visit.open(request)
    await logIn(visit.page, 'grace')
    await allow(visit.page)
    const { access_token } = await visit.tokens(request, await visit.back())
    expect(decode(access_token)).toMatchObject({ sub: 'grace' })
  })
})
