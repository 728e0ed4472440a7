import { releaseClock, stopClock } from '../../support/clock'
import { readToken } from '../../support/forged-token'
import { expectTokens, TestSignIn, tenants } from '../../support/sign-in'

/** The lifetime that an access token states, in seconds. */
function lifetimeOf(accessToken: string): number {
  const { iat, exp } = readToken(accessToken).payload
  return Number(exp) - Number(iat)
}

describe('the lifetime of an access token', () => {
  let clock: ReturnType<typeof stopClock>
  let host: TestSignIn
  beforeEach(() => {
    clock = stopClock()
  })
  afterEach(async () => {
    releaseClock()
    await host.stop()
  })

  const seconds = ({ access_token, expires_in }: { access_token: string; expires_in: number }) => {
    expect(lifetimeOf(access_token)).toBe(expires_in)
    return expires_in
  }

  it('is an hour unless the host shortens it', async () => {
    host = await TestSignIn.start()
    expect(seconds(await host.connected())).toBe(3600)
  })

  it('is that of the options, unless the tenant has its own', async () => {
    const [acme, globex] = tenants.map((tenant) => ({ ...tenant }))
    const own = { ...acme, key: 'acme', accessTokenLifetime: 60 }
    const tenantStore = { findTenant: (key: string) => (key === 'acme' ? own : globex) }
    host = await TestSignIn.start({ lifetimes: { accessToken: 600 }, tenantStore })
    expect(seconds(await host.connected())).toBe(60)
    expect(seconds(await host.connected({ tenantKey: 'globex' }))).toBe(600)
  })

  it('ends with the grant, however often it is refreshed', async () => {
    host = await TestSignIn.start({ lifetimes: { grant: 5000 } })
    const first = await host.connected()
    expect(seconds(first)).toBe(3600)
    clock.advance(3000)
    const second = expectTokens(await host.refresh(first.refresh_token))
    expect(seconds(second)).toBe(2000)
    clock.advance(1999)
    const third = expectTokens(await host.refresh(second.refresh_token))
    expect(seconds(third)).toBe(1)
    clock.advance(1)
    for (const { access_token } of [first, second, third]) {
      await expect(host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).rejects.toThrow(/expired/)
    }
  })

  it('ends with the refresh token, if that is shorter', async () => {
    host = await TestSignIn.start({ lifetimes: { refreshToken: 120 } })
    expect(seconds(await host.connected())).toBe(120)
  })
})
