import { MemoryTokenStore } from 'customer-sign-in'
import type { Page } from 'playwright-core'
import { describeWithBrowser } from '../../support/browser'
import { releaseClock, stopClock } from '../../support/clock'
import { expectTokens } from '../../support/sign-in'
import { allow, deny, isAskedAgain, pointAt, site, Visit } from '../../support/visit'
import { wrapStore } from '../../support/wrap-store'

afterEach(releaseClock)

describeWithBrowser('a customer who is asked for consent', () => {
  it('presses Allow, and returns to the app with a code that can be redeemed', async () => {
    const visit = await Visit.start()
    const request = visit.request()
    await visit.open(request)
    await allow(visit.page)
    await visit.tokens(request, await visit.back())
  })

  it('presses Deny, and returns to the app without a code', async () => {
    const visit = await Visit.start()
    await visit.open(visit.request())
    await deny(visit.page)
    expect(Object.fromEntries(await visit.back())).toMatchObject({ error: 'access_denied', state: 'a state' })
    expect((await visit.host.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants).toEqual([])
  })

  it.each([
    ['before the app has redeemed its code', false],
    ['after the app has redeemed its code', true],
  ])('goes back %s, is asked on a new page, allows it again, and is connected', async (_, redeemed) => {
    const visit = await Visit.start()
    const request = visit.request()
    await visit.open(request)
    await allow(visit.page)
    const first = await visit.back()
    if (redeemed) await visit.tokens(request, first)

    await visit.page.goBack()
    await allow(visit.page)
    const second = await visit.back()
    expect(second.get('code')).not.toBe(first.get('code'))
    await visit.tokens(request, second)
  })

  it('presses Deny, goes back, and can still press Allow', async () => {
    const visit = await Visit.start()
    const request = visit.request()
    await visit.open(request)
    await deny(visit.page)
    await visit.back()

    await visit.page.goBack()
    await allow(visit.page)
    await visit.tokens(request, await visit.back())
  })

  it('is asked again after leaving the page open for too long, and can then allow it', async () => {
    const clock = stopClock()
    const visit = await Visit.start()
    const request = visit.request()
    await visit.open(request)
    clock.advance(601)
    await isAskedAgain(visit.page, () => allow(visit.page))

    await allow(visit.page)
    await visit.tokens(request, await visit.back())
  })
})

describeWithBrowser('a customer who presses Allow twice', () => {
  it('in quick succession gives the app one code, which can be redeemed', async () => {
    const first = signal()
    const second = signal()
    let isMeant = false
    // The server answers the first request only after the second has arrived.
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
      const answer = await apply()
      if (method === 'findGrant') second.give()
      if (isMeant && method === 'createGrant') {
        first.give()
        await second.given
      }
      return answer
    })
    const visit = await Visit.start({ tokenStore })
    // From its first answer, the library learns the store's clock.
    await visit.host.asCustomer({ redirectUri: visit.redirectUri, subject: 'somebody else' })
    isMeant = true
    const request = visit.request()
    await visit.open(request)
    const press = await handOnAllow(visit.page)
    await press()
    await first.given
    await press()
    await visit.tokens(request, await visit.back())
    expect((await visit.host.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants).toHaveLength(1)
  })

  it('because the app is slow to appear is asked again once the app is connected, and leaves that connection as it is', async () => {
    const visit = await Visit.start()
    const arrived = signal<string>()
    // The app never answers the browser.
    const slow = await site((app) => app.get('/callback', ({ query }) => arrived.give(String(query.code))))
    const redirectUri = `${slow.origin}/callback`
    const request = visit.request({ redirect_uri: redirectUri })
    await visit.open(request)
    const press = await handOnAllow(visit.page)
    await press()
    const { codeVerifier, tenantKey } = request
    const exchanged = await visit.host.exchange(
      { code: await arrived.given, codeVerifier, tenantKey },
      { redirect_uri: redirectUri },
    )
    const { refresh_token } = expectTokens(exchanged)

    await isAskedAgain(visit.page, press)
    await visit.page.getByRole('button', { name: 'Deny' }).waitFor()
    expectTokens(await visit.host.refresh(refresh_token))
    expect((await visit.host.signIn.grants.list({ tenantKey, subject: 'customer-1' })).grants).toHaveLength(1)
  })
})

/** Presses Allow as a person does, without waiting for the result. */
async function handOnAllow(page: Page): Promise<() => Promise<void>> {
  const { x, y } = await pointAt(page, 'Allow')
  return () => page.mouse.click(x, y)
}

function signal<T = void>(): { given: Promise<T>; give: (value: T) => void } {
  let give = (_value: T) => {}
  const given = new Promise<T>((resolve) => {
    give = resolve
  })
  return { given, give }
}
