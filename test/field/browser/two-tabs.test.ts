import { decode } from 'jsonwebtoken'
import { describeWithBrowser } from '../../support/browser'
import { allow, companies } from '../../support/visit'
import { logIn, visitLoggedOut } from '../../support/visit-logged-out'

describeWithBrowser('a customer with two tabs', () => {
  it('connects to two companies at the same time, as a different person at each', async () => {
    const visit = await visitLoggedOut()
    const tabs = await Promise.all(
      companies.map(async ({ key }) => {
        const page = await visit.page.context().newPage()
        const request = visit.request({ state: `from ${key}` }, key)
        await visit.open(request, page)
        return { key, page, request }
      }),
    )
    for (const { key, page } of tabs) await logIn(page, `ada-of-${key}`)

    for (const { key, page, request } of tabs.reverse()) {
      await allow(page)
      const answer = await visit.back(page)
      expect(Object.fromEntries(answer)).toMatchObject({ state: `from ${key}`, iss: visit.host.issuer(key) })
      const { access_token } = await visit.tokens(request, answer)
      expect(decode(access_token)).toMatchObject({ iss: visit.host.issuer(key), sub: `ada-of-${key}` })
    }
  })

  it('is asked again after logging in as somebody else, and never answers for the customer before', async () => {
    const visit = await visitLoggedOut()
    const request = visit.request()
    await visit.open(request)
    await logIn(visit.page, 'ada')

    const other = await visit.page.context().newPage()
    await visit.open(visit.request({ prompt: 'login' }), other)
    await logIn(other, 'grace')

    await allow(visit.page)
    await visit.page.getByText('You are signed in as grace.').waitFor()
    expect((await visit.host.signIn.grants.list({ tenantKey: 'acme', subject: 'ada' })).grants).toEqual([])
    await allow(visit.page)
    const { access_token } = await visit.tokens(request, await visit.back())
    expect(decode(access_token)).toMatchObject({ sub: 'grace' })
  })
})
