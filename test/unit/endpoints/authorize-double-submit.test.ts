import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { Authorization, asTheySay, expectErrorRedirect } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { consentForm } from '../../support/consent-form'
import { recordsOf } from '../../support/records'
import { clientId, expectError, expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const signedIn = (options: object = {}) => started({ authenticate: asTheySay, ...options })
const grantsAt = (host: TestSignIn) => recordsOf(host.tokenStore)

const companies = ['acme', 'globex'].map((key) => ({
  key,
  id: key,
  clients: [{ clientId, redirectUris: [redirectUri] }],
}))

afterEach(releaseClock)

describe('Allow, pressed again on the same page', () => {
  /** The page's form, and a customer who has pressed Allow on it. */
  async function pressedOnce(options: object = {}) {
    const host = await signedIn(options)
    const authorization = new Authorization(host)
    const form = await authorization.form()
    const press = () => authorization.answer(form)
    return { host, authorization, form, press, first: authorization.signedIn(await press()) }
  }

  it('gives the same code again, which can be redeemed once', async () => {
    const { host, authorization, press, first } = await pressedOnce()
    const second = authorization.signedIn(await press())
    expect(second.code).toBe(first.code)
    expectTokens(await host.exchange(second))
    expectError(await host.exchange(first), 400, 'invalid_grant')
    expect(await grantsAt(host)).toHaveLength(1)
    expect(await host.told('allowed')).toHaveLength(1)
  })

  it('asks again once the code is redeemed, and leaves its grant as it is', async () => {
    const { host, authorization, press, first } = await pressedOnce()
    const tokens = expectTokens(await host.exchange(first))
    const form = consentForm(await press().expect(200))
    expect(await grantsAt(host)).toHaveLength(1)
    const second = authorization.signedIn(await authorization.answer(form))
    expect(second.code).not.toBe(first.code)
    expectTokens(await host.exchange(second))
    expectTokens(await host.refresh(tokens.refresh_token))
    expect(await grantsAt(host)).toHaveLength(2)
  })

  it('asks again once the code has expired', async () => {
    const clock = stopClock()
    const { host, authorization, press } = await pressedOnce()
    clock.advance(61)
    const form = consentForm(await press().expect(200))
    expect(await grantsAt(host)).toEqual([])
    expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(form))))
  })

  it('gives no second code until the page itself has expired', async () => {
    const clock = stopClock()
    const { host, press } = await pressedOnce()
    clock.advance(599)
    consentForm(await press().expect(200))
    expect(await grantsAt(host)).toEqual([])
  })

  it('stores no grant more, and nothing that outlives a code that nobody redeems', async () => {
    const clock = stopClock()
    const { host, press } = await pressedOnce()
    await Promise.all(Array.from({ length: 20 }, () => press()))
    expect(await grantsAt(host)).toHaveLength(1)
    clock.advance(60)
    expect(await grantsAt(host)).toEqual([])
  })

  it('gives no code from the 31st press of a customer in a minute on, and the same page gives it later', async () => {
    const clock = stopClock()
    const tokenStore = new MemoryTokenStore()
    const useOnce = jest.spyOn(tokenStore, 'useOnce')
    const { host, authorization } = await pressedOnce({ tokenStore, tenantStore: new MemoryTenantStore(companies) })
    for (let pages = 1; pages < 30; pages++) await authorization.allowed()
    expect(useOnce).toHaveBeenCalledTimes(30)
    const form = await authorization.form()
    expectErrorRedirect(await authorization.answer(form), 'temporarily_unavailable', host.issuer())
    expect(useOnce).toHaveBeenCalledTimes(30)
    const about = { reason: 'temporarily_unavailable', where: 'authorize', tenantId: 'acme', subject: 'customer-1' }
    expect(await host.told('denied')).toMatchObject([about])
    expect(await host.told('allowed')).toHaveLength(30)
    expectErrorRedirect(await authorization.answer(form, 'deny'), 'access_denied', host.issuer())
    expectTokens(await host.exchange(await authorization.allowed('customer-2')))
    expectTokens(await host.exchange(await new Authorization(host, {}, 'globex').allowed()))
    clock.advance(60)
    expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(form))))
  })

  it('can still be Deny', async () => {
    const { host, authorization, form } = await pressedOnce()
    expectErrorRedirect(await authorization.answer(form, 'deny'), 'access_denied', host.issuer())
  })

  it('revives neither the access tokens nor the refresh tokens of a grant that has ended', async () => {
    const { host, authorization, press, first } = await pressedOnce({ replayTolerance: 0 })
    const ended = expectTokens(await host.exchange(first))
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    const form = consentForm(await press().expect(200))
    const checked = { tenantKey: 'acme', checkRevocation: true }
    const revoked = { code: 'invalid_token' }
    await expect(host.signIn.verifyAccessToken(ended.access_token, checked)).rejects.toMatchObject(revoked)
    const tokens = expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(form))))
    expectError(await host.refresh(ended.refresh_token), 400, 'invalid_grant')
    expectError(await host.exchange(first), 400, 'invalid_grant')
    await expect(host.signIn.verifyAccessToken(ended.access_token, checked)).rejects.toMatchObject(revoked)
    await host.signIn.verifyAccessToken(tokens.access_token, checked)
    expectTokens(await host.refresh(tokens.refresh_token))
  })

  it('gives a different code on each of two pages of the same request', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const [first, second] = [await authorization.allowed(), await authorization.allowed()]
    expect(second.code).not.toBe(first.code)
    for (const each of [first, second]) expectTokens(await host.exchange(each))
  })
})

describe('Allow, pressed while the store fails', () => {
  it.each(['useOnce', 'createGrant'])(
    'at %s, gives no code, and can be pressed again until there is one',
    async (fails) => {
      let isDown = true
      const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
        if (isDown && method === fails) throw new Error('The store is down')
        return apply()
      })
      const host = await signedIn({ tokenStore })
      const authorization = new Authorization(host)
      const form = await authorization.form()
      expectErrorRedirect(await authorization.answer(form), 'temporarily_unavailable', host.issuer())
      isDown = false
      const next = await authorization.answer(form)
      const answered = next.status === 200 ? await authorization.answer(consentForm(next)) : next
      expect(next.status).toBe(fails === 'useOnce' ? 303 : 200)
      expectTokens(await host.exchange(authorization.signedIn(answered)))
      expect(await grantsAt(host)).toHaveLength(1)
    },
  )

  it('gives the same code again if only the store’s answer was lost', async () => {
    let isSilent = false
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
      const answer = await apply()
      if (isSilent && method === 'createGrant') throw new Error('The answer is lost')
      return answer
    })
    const host = await signedIn({ tokenStore })
    // From its first answer, the library learns the store's clock.
    await host.asCustomer({ subject: 'somebody else' })
    isSilent = true
    const authorization = new Authorization(host)
    const form = await authorization.form()
    expectErrorRedirect(await authorization.answer(form), 'temporarily_unavailable', host.issuer())
    isSilent = false
    expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(form))))
    expect(await grantsAt(host)).toHaveLength(1)
  })
})
