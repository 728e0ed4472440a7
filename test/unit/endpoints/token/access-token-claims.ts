import { type AccessTokenRequest, type CustomerSignInOptions, OAuthError } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import { clientId, expectError, expectTokens, type TestSignIn } from '../../../support/sign-in'
import type { Start } from './start'

type Hook = NonNullable<CustomerSignInOptions['accessTokenClaims']>

const claimsOf = (accessToken: string) => decode(accessToken, { json: true })

export function accessTokenClaims(start: Start): void {
  /** A host whose hook a test can change, with a code that is not redeemed yet and a refresh token. */
  async function startWith(first: Hook) {
    let hook = first
    const host = await start({ accessTokenClaims: (request) => hook(request) })
    const change = (next: Hook) => {
      hook = next
    }
    return { host, change }
  }

  async function credentials(host: TestSignIn) {
    return { signedIn: await host.asCustomer(), refreshToken: (await host.connected()).refresh_token }
  }

  it('adds claims to the access tokens of codes and refresh tokens', async () => {
    const { host } = await startWith(async ({ grantType }) => ({ by: grantType, roles: ['admin'] }))
    const first = await host.connected({ claims: { by: 'authorization', locale: 'de' } })
    expect(claimsOf(first.access_token)).toMatchObject({ by: 'authorization_code', roles: ['admin'], locale: 'de' })
    const second = expectTokens(await host.refresh(first.refresh_token))
    expect(claimsOf(second.access_token)).toMatchObject({ by: 'refresh_token', roles: ['admin'], locale: 'de' })
  })

  it('leaves out claims that are undefined', async () => {
    const { host } = await startWith(() => ({ nbf: undefined, nickname: undefined, locale: 'de' }))
    const claims = claimsOf((await host.connected()).access_token)
    expect(claims).toMatchObject({ locale: 'de' })
    for (const name of ['nickname', 'nbf']) expect(claims).not.toHaveProperty(name)
  })

  it('may set the time from which the token is valid', async () => {
    const nbf = Math.floor(Date.now() / 1000) - 10
    const { host } = await startWith(() => ({ nbf }))
    expect(claimsOf((await host.connected()).access_token)).toMatchObject({ nbf })
  })

  it('may take a while, for example to ask another server', async () => {
    const { host, change } = await startWith(() => undefined)
    change(async () => {
      const { status } = await fetch(`${host.issuer()}/jwks`)
      return { status }
    })
    const { access_token, refresh_token } = await host.connected()
    expect(claimsOf(access_token)).toMatchObject({ status: 200 })
    expectTokens(await host.refresh(refresh_token))
  })

  it('is told the customer, client and resource of the access token', async () => {
    const requests: AccessTokenRequest[] = []
    const { host } = await startWith((request) => {
      requests.push(request)
      return undefined
    })
    const { access_token, refresh_token } = await host.connected({ claims: { locale: 'de' } })
    await host.refresh(refresh_token, { scope: 'calendar' })
    const told = {
      tenant: expect.objectContaining({ key: 'acme', name: 'Acme' }),
      grantType: 'authorization_code',
      grantId: claimsOf(access_token)?.grant_id,
      clientId,
      subject: 'customer-1',
      scopes: ['profile', 'calendar'],
      resource: host.issuer(),
      claims: { locale: 'de' },
    }
    expect(requests).toEqual([told, { ...told, grantType: 'refresh_token', scopes: ['calendar'] }])
  })

  it('replaces none of the claims that every access token has', async () => {
    const { host } = await startWith(() => ({
      sub: 'someone',
      exp: 9e9,
      tenant_id: 'globex',
      scope: 'admin',
      iss: 'x',
    }))
    const { access_token, expires_in } = await host.connected()
    expect(expires_in).toBe(3600)
    const info = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    expect(info).toMatchObject({ subject: 'customer-1', scopes: ['profile', 'calendar'] })
    expect(info.expiresAt).toBeLessThan(9e9)
  })

  it('cannot add a claim that would become the prototype of a copy of the claims', async () => {
    const { host } = await startWith(() => JSON.parse('{"__proto__": {"admin": true}, "plan": "gold"}'))
    const { access_token } = await host.connected()
    const { claims } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    expect(claims.plan).toBe('gold')
    expect(Object.keys(claims)).not.toContain('__proto__')
  })

  it('refuses with an OAuthError, which the client gets, and no credential is used up', async () => {
    const { host, change } = await startWith(() => undefined)
    const { signedIn, refreshToken } = await credentials(host)
    change(() => {
      throw new OAuthError('invalid_grant', 'The customer has been deactivated')
    })
    for (const response of [await host.exchange(signedIn), await host.refresh(refreshToken)]) {
      expect(expectError(response, 400, 'invalid_grant')).toBe('The customer has been deactivated')
    }
    expect(await host.told('denied')).toHaveLength(2)
    change(() => undefined)
    expectTokens(await host.exchange(signedIn))
    expectTokens(await host.refresh(refreshToken))
  })

  const circular: Record<string, unknown> = {}
  circular.self = circular

  it.each<[string, Hook]>([
    [
      'throws',
      () => {
        throw new TypeError('The directory is down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('The directory is down'))],
    ['gives a BigInt', () => ({ balance: 1n })],
    ['gives what refers to itself', () => circular],
    ['gives a list', () => [] as unknown as Record<string, unknown>],
    ['gives a text', () => 'claims' as unknown as Record<string, unknown>],
    ['gives a time', () => new Date() as unknown as Record<string, unknown>],
    ['gives an nbf that is no time', () => ({ nbf: 'now' })],
  ])('that %s is a fault of the host, and no credential is used up', async (_, faulty) => {
    const { host, change } = await startWith(() => undefined)
    const { signedIn, refreshToken } = await credentials(host)
    change(faulty)
    for (const response of [await host.exchange(signedIn), await host.refresh(refreshToken)]) {
      expectError(response, 503, 'temporarily_unavailable')
      expect(response.headers['retry-after']).toMatch(/^\d+$/)
    }
    expect(await host.told('error')).toMatchObject([{ reason: 'hook_failed' }, { reason: 'hook_failed' }])
    change(() => undefined)
    expectTokens(await host.exchange(signedIn))
    expectTokens(await host.refresh(refreshToken))
  })

  it('that never answers is a fault of the host, and no credential is used up', async () => {
    const patient = await start()
    const { signedIn, refreshToken } = await credentials(patient)
    const host = await start({
      tokenStore: patient.tokenStore,
      baseUrl: patient.url,
      accessTokenClaims: () => new Promise(() => {}),
      hostTimeout: 1,
    })
    expectError(await host.exchange(signedIn), 503, 'temporarily_unavailable')
    expectError(await host.refresh(refreshToken), 503, 'temporarily_unavailable')
    expectTokens(await patient.exchange(signedIn))
    expectTokens(await patient.refresh(refreshToken))
    const late = { error: { message: 'accessTokenClaims took longer than 1000 ms' } }
    expect(await host.told('error')).toMatchObject([late, late])
  })

  it('is not called for a credential that the client cannot redeem', async () => {
    let asked = 0
    const { host, change } = await startWith(() => undefined)
    const { signedIn, refreshToken } = await credentials(host)
    change(() => {
      asked++
      return undefined
    })
    expectError(await host.exchange(signedIn, { code_verifier: 'x'.repeat(43) }), 400, 'invalid_grant')
    expectError(await host.refresh(refreshToken, { scope: 'admin' }), 400, 'invalid_scope')
    expect(asked).toBe(0)
    expectTokens(await host.refresh(refreshToken))
    expect(asked).toBe(1)
  })
}
