import { Authorization, asTheySay } from '../support/authorization'
import { releaseClock, stopClock } from '../support/clock'
import { expectError, expectTokens, type SignedIn, type TestSignIn } from '../support/sign-in'
import { started } from '../support/started'

const signedIn = (options: object = {}) => started({ authenticate: asTheySay, ...options })
const grantsAt = (host: TestSignIn) => host.tokenStore.listGrants('acme', 'customer-1')

afterEach(releaseClock)

describe('Allow, pressed again on the same page', () => {
  /** The page's form, and a customer who has pressed Allow on it. */
  async function pressedOnce(options: object = {}) {
    const host = await signedIn(options)
    const authorization = new Authorization(host)
    const form = await authorization.form()
    const press = async () => authorization.signedIn(await authorization.answer(form))
    return { host, press, first: await press() }
  }

  it('gives a new code each time, and every one of them works', async () => {
    const { host, press, first } = await pressedOnce()
    const second = await press()
    expect(second.code).not.toBe(first.code)
    for (const each of [second, first]) expectTokens(await host.exchange(each))
  })

  it('stores nothing that outlives a code that nobody redeems', async () => {
    const clock = stopClock()
    const { host, press } = await pressedOnce()
    const pressed = await Promise.all(Array.from({ length: 20 }, () => press()))
    expectTokens(await host.exchange(pressed.at(-1) as SignedIn))
    clock.advance(60)
    expect(await grantsAt(host)).toHaveLength(1)
  })

  it('does not change the grant that it gave before', async () => {
    const { host, press, first } = await pressedOnce()
    const tokens = expectTokens(await host.exchange(first))
    expectTokens(await host.exchange(await press()))
    expectTokens(await host.refresh(tokens.refresh_token))
    expect(await grantsAt(host)).toHaveLength(2)
  })

  it('revives neither the access tokens nor the refresh tokens of a grant that has ended', async () => {
    const { host, press, first } = await pressedOnce({ replayTolerance: 0 })
    const ended = expectTokens(await host.exchange(first))
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    const second = await press()
    const checked = { tenantKey: 'acme', checkRevocation: true }
    const revoked = { code: 'invalid_token' }
    await expect(host.signIn.verifyAccessToken(ended.access_token, checked)).rejects.toMatchObject(revoked)
    const tokens = expectTokens(await host.exchange(second))
    expectError(await host.refresh(ended.refresh_token), 400, 'invalid_grant')
    expectError(await host.exchange(first), 400, 'invalid_grant')
    await expect(host.signIn.verifyAccessToken(ended.access_token, checked)).rejects.toMatchObject(revoked)
    await host.signIn.verifyAccessToken(tokens.access_token, checked)
    expectTokens(await host.refresh(tokens.refresh_token))
  })

  it('gives a code that can be redeemed, although the first has expired', async () => {
    const clock = stopClock()
    const { host, press } = await pressedOnce()
    clock.advance(61)
    expectTokens(await host.exchange(await press()))
  })

  it('gives a different code on each of two pages of the same request', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const [first, second] = [await authorization.allowed(), await authorization.allowed()]
    expect(second.code).not.toBe(first.code)
    for (const each of [first, second]) expectTokens(await host.exchange(each))
  })
})
