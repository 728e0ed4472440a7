import { ConfigurationError, OAuthError, type Tenant, type VerifyAccessTokenOptions } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { readToken } from '../../support/forged-token'
import { expectTokens, TestSignIn, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

const inAcme = { tenantKey: 'acme' }
const inGlobex = { tenantKey: 'globex' }
const mcp = 'https://api.globex.example/mcp'
const files = 'https://files.globex.example/'

describe('verifyAccessToken', () => {
  let host: TestSignIn
  beforeEach(async () => {
    host = await TestSignIn.start({ replayTolerance: 0 })
  })
  afterEach(() => host.stop())

  const verify = (token: string, check: VerifyAccessTokenOptions) => host.signIn.verifyAccessToken(token, check)

  /** The OAuth error code that a token is refused with. */
  async function refusal(token: string, check: VerifyAccessTokenOptions): Promise<string> {
    const outcome = await verify(token, check).catch((error) => error)
    return outcome instanceof OAuthError ? outcome.code : 'none'
  }

  it('tells who signed in, with which client, for what and until when', async () => {
    const clock = stopClock()
    try {
      const { access_token } = await host.connected({ claims: { plan: 'gold' } })
      const [grant] = (await host.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants
      expect(await verify(access_token, inAcme)).toEqual({
        kind: 'customer',
        token: access_token,
        clientId: 'assistant-app',
        scopes: ['profile', 'calendar'],
        expiresAt: Math.floor(clock.now() / 1000) + 3600,
        resource: new URL(host.issuer()),
        subject: 'customer-1',
        tenantKey: 'acme',
        grantId: grant?.grantId,
        claims: expect.objectContaining({ ...readToken(access_token).payload, plan: 'gold' }),
      })
    } finally {
      releaseClock()
    }
  })

  describe('the tenant', () => {
    it('must be named, even by hosts that do not compile against the types', async () => {
      const { access_token } = await host.connected()
      for (const check of [{}, { tenantKey: undefined }, { tenantKey: null }, { anyTenant: false }, { anyTenant: 1 }]) {
        const refused = expect(verify(access_token, check as VerifyAccessTokenOptions)).rejects
        await refused.toThrow(ConfigurationError)
        await refused.toMatchObject({ option: expect.stringMatching(/^(verifyAccessToken\.)?tenantKey$/) })
      }
    })

    it('can be any tenant, if the host says so explicitly', async () => {
      for (const tenantKey of ['acme', 'globex']) {
        const { access_token } = await host.connected({ tenantKey })
        expect(await verify(access_token, { anyTenant: true })).toMatchObject({ tenantKey })
      }
    })

    it('must be the one that the customer signed in to', async () => {
      const { access_token } = await host.connected(inGlobex)
      expect(await refusal(access_token, inAcme)).toBe('invalid_token')
      expect(await refusal(access_token, { ...inAcme, resource: mcp })).toBe('invalid_token')
    })

    it('must exist', async () => {
      const { access_token } = await host.connected()
      expect(await refusal(access_token, { tenantKey: 'initech' })).toBe('not_found')
      expect(await refusal(access_token, { tenantKey: '../acme' })).toBe('not_found')
    })

    it('is a different one once its key has passed to another company', async () => {
      let acme: Tenant = { ...tenants[0], key: 'acme', id: 'the first Acme' }
      const renamed = await started({ tenantStore: { findTenant: () => acme } })
      const { access_token } = await renamed.connected()
      acme = { ...acme, id: 'the second Acme' }
      for (const check of [inAcme, { anyTenant: true }] as const) {
        const verifying = renamed.signIn.verifyAccessToken(access_token, check)
        await expect(verifying).rejects.toMatchObject({ code: 'invalid_token' })
      }
    })
  })

  describe('the resource', () => {
    it('is the first of the tenant if the check names none', async () => {
      const { access_token } = await host.connected(inGlobex)
      expect((await verify(access_token, inGlobex)).resource.href).toBe(mcp)
      expect(await refusal(access_token, { ...inGlobex, resource: files })).toBe('invalid_token')
    })

    it('must be the one that the customer granted', async () => {
      const { access_token } = await host.connected({ ...inGlobex, resource: files })
      expect((await verify(access_token, { ...inGlobex, resource: files })).resource.href).toBe(files)
      expect(await refusal(access_token, inGlobex)).toBe('invalid_token')
      expect(await refusal(access_token, { anyTenant: true })).toBe('invalid_token')
    })

    it('is the same with and without one trailing slash', async () => {
      const { access_token } = await host.connected({ ...inGlobex, resource: 'https://files.globex.example' })
      await verify(access_token, { ...inGlobex, resource: 'https://files.globex.example' })
      await verify(access_token, { ...inGlobex, resource: files })
    })
  })

  describe('the scope', () => {
    it('must be among those of the token', async () => {
      const { access_token } = await host.connected({ scopes: 'profile' })
      await verify(access_token, { ...inAcme, scopes: 'profile' })
      expect(await refusal(access_token, { ...inAcme, scopes: 'calendar' })).toBe('insufficient_scope')
    })

    it('can be several, all of which are required', async () => {
      const both = ['profile', 'calendar']
      await verify((await host.connected()).access_token, { ...inAcme, scopes: both })
      const { access_token } = await host.connected({ scopes: 'calendar' })
      expect(await refusal(access_token, { ...inAcme, scopes: both })).toBe('insufficient_scope')
    })
  })

  describe('revocation', () => {
    const now = { ...inAcme, checkRevocation: true }

    it('makes a token invalid only if it is checked', async () => {
      const { access_token } = await host.connected()
      const { grantId } = await verify(access_token, now)
      await host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId })
      expect(await refusal(access_token, now)).toBe('invalid_token')
      await verify(access_token, inAcme)
    })

    it('follows a replay, for the newest access token as well', async () => {
      const first = await host.connected()
      const second = expectTokens(await host.refresh(first.refresh_token))
      await verify(second.access_token, now)
      await host.refresh(first.refresh_token)
      for (const { access_token } of [first, second]) expect(await refusal(access_token, now)).toBe('invalid_token')
    })

    it('cannot be decided while the store is down', async () => {
      const { access_token } = await host.connected()
      jest.spyOn(host.tokenStore, 'findGrant').mockRejectedValueOnce(new Error('the store is down'))
      expect(await refusal(access_token, now)).toBe('temporarily_unavailable')
      await verify(access_token, now)
    })
  })
})
