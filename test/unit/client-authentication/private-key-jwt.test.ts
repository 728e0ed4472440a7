import { sign as signBytes } from 'node:crypto'
import { type Client, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { sign } from 'jsonwebtoken'
import { releaseClock, stopClock } from '../../support/clock'
import { type AssertionChanges, assertionOf, basic, clientKey, withAssertion } from '../../support/confidential-clients'
import {
  clientId,
  expectError,
  expectTokens,
  type FormFields,
  redirectUri,
  type TestSignIn,
} from '../../support/sign-in'
import { started } from '../../support/started'

const key = clientKey()
const otherKey = clientKey()
const clientsWith = (client: Partial<Client>) => [
  { clientId, redirectUris: [redirectUri], ...client },
  { clientId: 'other-app', redirectUris: [redirectUri], jwks: { keys: [otherKey.jwk] } },
]
const methods = ['none', 'private_key_jwt', 'client_secret_basic', 'client_secret_post'] as const

function startedWith(client: Partial<Client> = { jwks: { keys: [key.jwk] } }, tokenStore = new MemoryTokenStore()) {
  const clients = clientsWith(client)
  const tenantStore = new MemoryTenantStore(['acme', 'globex'].map((name) => ({ key: name, id: name, clients })))
  return started({ tenantStore, tokenStore, clients: { authentication: methods } })
}

const asserted = (host: TestSignIn, changes?: AssertionChanges): FormFields =>
  withAssertion(assertionOf(key, clientId, host.issuer(), changes))

const othersAssertion = (host: TestSignIn): FormFields =>
  withAssertion(assertionOf(otherKey, 'other-app', host.issuer()))

const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset

afterEach(releaseClock)

describe('a client with a key', () => {
  it.each(['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'])('authenticates with an assertion by %s', async (alg) => {
    const ofAlg = clientKey(alg)
    const host = await startedWith({ jwks: { keys: [ofAlg.jwk] } })
    const fields = () => withAssertion(assertionOf(ofAlg, clientId, host.issuer()))
    const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), fields()))
    expectTokens(await host.refresh(refresh_token, fields()))
  })

  it('may name itself by client_id as well', async () => {
    const host = await startedWith()
    expectTokens(await host.exchange(await host.asCustomer(), { ...asserted(host), client_id: clientId }))
  })

  it.each<[string, (host: TestSignIn) => AssertionChanges]>([
    ['the token endpoint as aud', (host) => ({ claims: { aud: `${host.issuer()}/token` } })],
    ['a list of our own addresses as aud', (host) => ({ claims: { aud: [host.issuer(), `${host.issuer()}/token`] } })],
    ['an exp in an hour', () => ({ claims: { exp: seconds(3600) } })],
    ['a clock that is 50 seconds behind', () => ({ claims: { iat: seconds(-100), exp: seconds(-50) } })],
    ['a clock that is 50 seconds ahead', () => ({ claims: { iat: seconds(50), nbf: seconds(50), exp: seconds(110) } })],
    ['no iat', () => ({ claims: { iat: undefined } })],
    ['no kid', () => ({ header: { kid: undefined } })],
    ['no typ', () => ({ header: { typ: undefined } })],
    ['the typ of RFC 7523bis', () => ({ header: { typ: 'client-authentication+jwt' } })],
    ['a jti of any length', () => ({ claims: { jti: 'é'.repeat(2000) } })],
    ['a key in its header, which is ignored', () => ({ header: { jwk: otherKey.jwk, jku: 'https://evil.example' } })],
  ])('may sign with %s', async (_, changes) => {
    const host = await startedWith()
    expectTokens(await host.exchange(await host.asCustomer(), asserted(host, changes(host))))
  })

  it('is given a minute at each end of the time of its assertion, and no more', async () => {
    const clock = stopClock()
    clock.advance((1000 - (clock.now() % 1000)) / 1000)
    const host = await startedWith()
    const ask = async (claims: AssertionChanges['claims']) =>
      host.exchange(await host.asCustomer(), asserted(host, { claims }))
    for (const claims of [{ exp: seconds(3660) }, { exp: seconds(-59) }, { iat: seconds(60), nbf: seconds(60) }]) {
      expectTokens(await ask(claims))
    }
    for (const claims of [{ exp: seconds(3661) }, { exp: seconds(-60) }, { iat: seconds(61) }, { nbf: seconds(61) }]) {
      expectError(await ask(claims), 401, 'invalid_client')
    }
  })

  it.each<[string, RegExp, (host: TestSignIn) => AssertionChanges]>([
    ['is for another tenant', /aud/, (host) => ({ claims: { aud: host.issuer('globex') } })],
    ['is for another server', /aud/, () => ({ claims: { aud: 'https://elsewhere.example' } })],
    [
      'is for us and another server',
      /aud/,
      (host) => ({ claims: { aud: [host.issuer(), 'https://elsewhere.example'] } }),
    ],
    ['is for nobody', /aud/, () => ({ claims: { aud: undefined } })],
    ['is for an empty list', /aud/, () => ({ claims: { aud: [] } })],
    ['has expired', /expired/, () => ({ claims: { exp: seconds(-61) } })],
    ['is valid for more than an hour', /exp within/, () => ({ claims: { exp: seconds(3700) } })],
    ['never expires', /exp within/, () => ({ claims: { exp: undefined } })],
    ['is from the future', /nbf or iat/, () => ({ claims: { iat: seconds(90) } })],
    ['is not valid yet', /nbf or iat/, () => ({ claims: { nbf: seconds(90) } })],
    ['has no jti', /jti/, () => ({ claims: { jti: undefined } })],
    ['has a number as jti', /jti/, () => ({ claims: { jti: 7 } })],
    ['has an empty jti', /jti/, () => ({ claims: { jti: '' } })],
    ['has another issuer', /iss/, () => ({ claims: { iss: 'other-app' } })],
    ['has no issuer', /iss/, () => ({ claims: { iss: undefined } })],
    ['has no subject', /sub/, () => ({ claims: { sub: undefined } })],
    ['has neither an issuer nor a subject', /iss/, () => ({ claims: { iss: undefined, sub: undefined } })],
    ['has a number as issuer and subject', /iss/, () => ({ claims: { iss: 7, sub: 7 } })],
    ['has an object as subject', /sub/, () => ({ claims: { sub: { a: 1 }, iss: { a: 1 } } })],
    ['has crit', /crit/, () => ({ header: { crit: ['exp'] } })],
    ['is another kind of JWT', /typ/, () => ({ header: { typ: 'at+jwt' } })],
    ['is of a kind whose name begins alike', /typ/, () => ({ header: { typ: 'JWT+x' } })],
    ['has an object as typ', /typ/, () => ({ header: { typ: { toString: 1 } } })],
    ['has an unknown kid', /not signed/, () => ({ header: { kid: 'unknown' } })],
    ['has a number as kid', /kid/, () => ({ header: { kid: 7 } })],
  ])('is refused if its assertion %s, and nothing is used up', async (_, says, changes) => {
    const host = await startedWith()
    const signedIn = await host.asCustomer()
    const response = await host.exchange(signedIn, asserted(host, changes(host)))
    expect(expectError(response, 401, 'invalid_client')).toMatch(says)
    expect(response.headers['www-authenticate']).toBeDefined()
    expectTokens(await host.exchange(signedIn, asserted(host)))
  })

  it.each<[string, (host: TestSignIn) => string]>([
    ['with the key of another client', (host) => assertionOf({ ...otherKey, jwk: key.jwk }, clientId, host.issuer())],
    [
      'with a key that only its header has',
      (host) => {
        const header = { jwk: otherKey.jwk, kid: undefined }
        return assertionOf(otherKey, clientId, host.issuer(), { header })
      },
    ],
    [
      'with the kid of another of its keys',
      (host) => assertionOf(key, clientId, host.issuer(), { header: { kid: 'second' } }),
    ],
    ['by nobody', (host) => `${unsigned(assertionOf(key, clientId, host.issuer()), { alg: 'none' })}.`],
    [
      'by nobody, as if it were',
      (host) => `${assertionOf(key, clientId, host.issuer()).split('.').slice(0, 2).join('.')}.`,
    ],
    [
      'with our public key as a shared secret',
      (host) => {
        const [, claims = ''] = assertionOf(key, clientId, host.issuer()).split('.')
        return sign(JSON.parse(Buffer.from(claims, 'base64url').toString()), JSON.stringify(key.jwk), {
          algorithm: 'HS256',
        })
      },
    ],
    [
      'by ES256, but says RS256',
      (host) => reheaded(assertionOf(key, clientId, host.issuer()), { alg: 'RS256', kid: key.jwk.kid }),
    ],
    ['with a signature that was changed', (host) => `${assertionOf(key, clientId, host.issuer()).slice(0, -4)}AAAA`],
    [
      'and then changed',
      (host) => {
        const [header, , signature] = assertionOf(key, clientId, host.issuer()).split('.')
        const [, claims] = assertionOf(key, clientId, host.issuer()).split('.')
        return [header, claims, signature].join('.')
      },
    ],
    ['not at all: it is no JWT', () => 'x'],
    ['not at all: it is an encrypted JWT', () => 'eyJhbGciOiJFUzI1NiJ9.e30.e30.e30.e30'],
    ['not at all: it is junk of the right form', () => 'x.y.z'],
  ])('is refused if its assertion is signed %s', async (_, assertion) => {
    const host = await startedWith({ jwks: { keys: [key.jwk, { ...clientKey().jwk, kid: 'second' }] } })
    const signedIn = await host.asCustomer()
    const response = await host.exchange(signedIn, { ...withAssertion(assertion(host)), client_id: clientId })
    expectError(response, 401, 'invalid_client')
    expectTokens(await host.exchange(signedIn, asserted(host)))
  })

  it.each<[string, string, string]>([
    ['a fourth part', '', '.e30'],
    ['a character before it that base64 does not have', '~', ''],
  ])('is refused if its assertion has %s, even if that is signed too', async (_, before, after) => {
    const ofEdwards = clientKey('EdDSA')
    const host = await startedWith({ jwks: { keys: [ofEdwards.jwk] } })
    const [header, claims] = assertionOf(ofEdwards, clientId, host.issuer()).split('.')
    const input = `${before}${header}.${claims}${after}`
    const signature = signBytes(null, Buffer.from(input), ofEdwards.privateKey).toString('base64url')
    const response = await host.exchange(await host.asCustomer(), withAssertion(`${input}.${signature}`))
    expect(expectError(response, 401, 'invalid_client')).toBe('client_assertion must be a signed JWT')
    expect(await host.told('denied')).toMatchObject([{ reason: 'authentication_failed', detail: { clientId: '' } }])
  })

  it('is told to the host without a name if its assertion names two', async () => {
    const host = await startedWith()
    await host.exchange(await host.asCustomer(), asserted(host, { claims: { iss: 'other-app' } }))
    expect(await host.told('denied')).toMatchObject([{ reason: 'authentication_failed', detail: { clientId: '' } }])
  })

  it('cannot sign customers in where its method is off, and the host is told what is on', async () => {
    const tenantStore = new MemoryTenantStore([
      { key: 'acme', id: 'acme', clients: clientsWith({ jwks: { keys: [key.jwk] } }) },
    ])
    const host = await started({ tenantStore, clients: { authentication: ['none', 'client_secret_basic'] } })
    const description = 'The option clients.authentication has no method of this client: private_key_jwt'
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'invalid_client', description })
    expect(expectError(await host.refresh('csir_', {}), 401, 'invalid_client')).toBe(description)
    const detail = { clientId, asked: ['private_key_jwt'], accepted: ['none', 'client_secret_basic'] }
    expect(await host.told('denied')).toMatchObject([{ reason: 'method_off', detail }])
  })

  it('can use each assertion once', async () => {
    const host = await startedWith()
    const fields = asserted(host)
    const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), fields))
    const again = await host.refresh(refresh_token, fields)
    expect(expectError(again, 401, 'invalid_client')).toBe('client_assertion has been used already')
    expect(await host.told('denied')).toMatchObject([{ reason: 'replayed' }])
    expectTokens(await host.refresh(refresh_token, asserted(host)))
  })

  it('can use each assertion once in all processes together, even in parallel', async () => {
    const tokenStore = new MemoryTokenStore()
    const host = await startedWith(undefined, tokenStore)
    const other = await started({
      tenantStore: new MemoryTenantStore([
        { key: 'acme', id: 'acme', clients: clientsWith({ jwks: { keys: [key.jwk] } }) },
      ]),
      tokenStore,
      clients: { authentication: methods },
      baseUrl: host.url,
    })
    const fields = asserted(host)
    const codes = [await host.asCustomer(), await host.asCustomer({ subject: 'customer-2' })]
    const responses = await Promise.all(
      [host, other].map((each, index) => each.exchange(codes[index] as never, fields)),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('can use an assertion no more after its jti is forgotten', async () => {
    const clock = stopClock()
    const host = await startedWith()
    const fields = asserted(host)
    expectTokens(await host.exchange(await host.asCustomer(), fields))
    for (const later of [60, 59, 1, 1, 60]) {
      clock.advance(later)
      expectError(await host.exchange(await host.asCustomer(), fields), 401, 'invalid_client')
    }
  })

  it('has its jti remembered for a minute after any process takes the assertion, because their clocks may differ', async () => {
    stopClock()
    const tokenStore = new MemoryTokenStore()
    const useOnce = jest.spyOn(tokenStore, 'useOnce')
    const host = await startedWith(undefined, tokenStore)
    const assertion = asserted(host, { claims: { exp: Math.floor(Date.now() / 1000) + 100 } })
    expectTokens(await host.exchange(await host.asCustomer(), assertion))
    const [[, , lifetime] = []] = useOnce.mock.calls
    expect(lifetime).toBeGreaterThan(219_000)
    expect(lifetime).toBeLessThanOrEqual(220_000)
  })

  it('cannot fill the store with assertions by credentials that nobody has issued, at its company or another', async () => {
    stopClock()
    const tokenStore = new MemoryTokenStore()
    const useOnce = jest.spyOn(tokenStore, 'useOnce')
    const host = await startedWith(undefined, tokenStore)
    const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), asserted(host)))
    const unknown = expectTokens(
      await host.exchange(await host.asCustomer({ clientId: 'other-app' }), othersAssertion(host)),
    ).refresh_token
    for (let count = 0; count < 60; count++) {
      expectError(await host.refresh(unknown, asserted(host)), 400, 'invalid_grant')
    }
    useOnce.mockClear()
    const refused = await host.refresh(unknown, asserted(host))
    expectError(refused, 503, 'temporarily_unavailable')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const [denied] = (await host.told('denied')).slice(-1)
    expect(denied).toMatchObject({ reason: 'temporarily_unavailable', detail: { clientId } })
    for (let count = 0; count < 10; count++) {
      const fields = { token: unknown, ...asserted(host) }
      await host.revoke(fields).expect(200)
    }
    expect(useOnce).not.toHaveBeenCalled()
    const known = expectTokens(await host.refresh(refresh_token, asserted(host)))
    await host.revoke({ token: known.refresh_token, ...asserted(host) }).expect(200)
    const globex = withAssertion(assertionOf(key, clientId, host.issuer('globex')))
    expectTokens(await host.exchange(await host.asCustomer({ tenantKey: 'globex' }), globex))
  })

  it('uses its assertion up when it revokes a token', async () => {
    const host = await startedWith()
    const first = expectTokens(await host.exchange(await host.asCustomer(), asserted(host)))
    const second = expectTokens(await host.exchange(await host.asCustomer(), asserted(host)))
    const fields = asserted(host)
    await host.revoke({ token: first.refresh_token, ...fields }).expect(200)
    expectError(await host.revoke({ token: second.refresh_token, ...fields }), 401, 'invalid_client')
    expectTokens(await host.refresh(second.refresh_token, asserted(host)))
  })

  it('does not use up the jti of another client', async () => {
    const host = await startedWith()
    const claims = { jti: 'the same' }
    const others = withAssertion(assertionOf(otherKey, 'other-app', host.issuer(), { claims }))
    expectTokens(await host.exchange(await host.asCustomer({ clientId: 'other-app' }), others))
    expectTokens(await host.exchange(await host.asCustomer(), asserted(host, { claims })))
  })

  it('makes another assertion when it tries again after a 503, and nothing was used up', async () => {
    const tokenStore = new MemoryTokenStore()
    const host = await startedWith(undefined, tokenStore)
    const signedIn = await host.asCustomer()
    const store = jest.spyOn(tokenStore, 'useOnce').mockRejectedValueOnce(new Error('the store is down'))
    expectError(await host.exchange(signedIn, asserted(host)), 503, 'temporarily_unavailable')
    store.mockRestore()
    expectTokens(await host.exchange(signedIn, asserted(host)))
  })

  it('is not the client that client_id or HTTP Basic names', async () => {
    const host = await startedWith()
    const fields = asserted(host)
    const signedIn = await host.asCustomer()
    const inForm = { ...fields, client_id: 'other-app' }
    const others = basic('other-app', '')
    for (const response of [
      await host.exchange(signedIn, inForm),
      await host.exchange(signedIn, fields).set('Authorization', others),
      await host.exchange(signedIn, { ...fields, client_id: clientId }).set('Authorization', others),
      await host.exchange(signedIn, inForm).set('Authorization', basic(clientId, '')),
    ]) {
      expect(expectError(response, 400, 'invalid_request')).toBe('client_id is not the sub of client_assertion')
    }
    expectTokens(await host.exchange(signedIn, fields).set('Authorization', basic(clientId, '')))
  })

  it.each<[string, FormFields]>([
    ['a secret in the form', { client_secret: 'csis_' }],
    [
      'another type of assertion',
      { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
    ],
    ['no type of assertion', { client_assertion_type: undefined }],
    ['no assertion', { client_assertion: undefined }],
  ])('must not send its assertion with %s', async (_, changes) => {
    const host = await startedWith()
    const response = await host.exchange(await host.asCustomer(), {
      ...asserted(host),
      client_id: clientId,
      ...changes,
    })
    expectError(response, 400, 'invalid_request')
  })

  it('must not send its assertion with a password', async () => {
    const host = await startedWith()
    const response = await host
      .exchange(await host.asCustomer(), asserted(host))
      .set('Authorization', basic(clientId, 'x'))
    expectError(response, 400, 'invalid_request')
  })

  it('cannot authenticate with a secret that it does not have, and a client with a secret not with a key', async () => {
    const host = await startedWith()
    const description = expectError(
      await host.exchange(await host.asCustomer(), { client_secret: 'x' }),
      401,
      'invalid_client',
    )
    expect(description).toMatch(/does not authenticate by client_secret_post/)
    const without = await startedWith({})
    expectError(await without.exchange(await without.asCustomer(), asserted(without)), 401, 'invalid_client')
  })

  it('can revoke with an assertion for the issuer, the token endpoint or the revocation endpoint', async () => {
    const host = await startedWith()
    for (const path of ['', '/token', '/revoke']) {
      const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), asserted(host)))
      const fields = asserted(host, { claims: { aud: host.issuer() + path } })
      await host.revoke({ token: refresh_token, ...fields }).expect(200)
      expectError(await host.refresh(refresh_token, asserted(host)), 400, 'invalid_grant')
    }
    const forRevocation = asserted(host, { claims: { aud: `${host.issuer()}/revoke` } })
    expectError(await host.exchange(await host.asCustomer(), forRevocation), 401, 'invalid_client')
  })

  it('gets a challenge with the 401 that says its document cannot be used', async () => {
    const fetchMetadataDocument = async () => new Response('gone', { status: 404 })
    const host = await started({ clients: { authentication: methods, fetch: fetchMetadataDocument } })
    const assertion = assertionOf(key, 'https://app.example/client.json', host.issuer())
    const response = await host.refresh('csir_unknown', { client_id: undefined, ...withAssertion(assertion) })
    expectError(response, 401, 'invalid_client')
    expect(response.headers['www-authenticate']).toBe('Basic realm="client_id"')
  })
})

describe('the record of a client with a key', () => {
  const rsa = (bytes: number, e = 'AQAB') => ({ kty: 'RSA', e, n: Buffer.alloc(bytes, 0xff).toString('base64url') })
  it.each<[string, Partial<Client>, RegExp]>([
    ['a private key', { jwks: { keys: [{ ...key.jwk, d: 'secret-part' }] } }, /jwks must have no private/],
    ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: 'secret-part' }] } }, /jwks must have no private/],
    ['no key', { jwks: { keys: [] } }, /jwks must be a JSON Web Key Set/],
    ['a key alone', { jwks: key.jwk as never }, /jwks must be a JSON Web Key Set/],
    ['too many keys', { jwks: { keys: Array(21).fill(key.jwk) } }, /jwks must be a JSON Web Key Set/],
    ['an RSA key that is too short', { jwks: { keys: [rsa(128)] } }, /jwks must have a key for/],
    ['an RSA key that takes long to verify with', { jwks: { keys: [rsa(513)] } }, /jwks must have a key for/],
    ['an RSA key with a large exponent', { jwks: { keys: [rsa(256, 'AQAAAAE')] } }, /jwks must have a key for/],
    [
      'a list as part of a key',
      { jwks: { keys: [{ ...key.jwk, kid: ['a'] as never }] } },
      /jwks must be a JSON Web Key Set/,
    ],
    ['a key for another algorithm', { jwks: { keys: [{ ...key.jwk, alg: 'RS256' }] } }, /jwks must have a key for/],
    ['an address that is not https', { jwksUri: 'http://keys.example/jwks' }, /jwksUri must be an https URL/],
    [
      'both keys and an address',
      { jwks: { keys: [key.jwk] }, jwksUri: 'https://keys.example' },
      /jwksUri must be omitted/,
    ],
  ])('is refused if it has %s, and the error does not quote it', async (_, client, says) => {
    const host = await startedWith(client)
    expectError(await host.refresh('csir_'), 500, 'server_error')
    const [{ error } = { error: undefined }] = await host.told('error')
    expect(error?.message).toMatch(says)
    expect(error?.message).not.toContain('secret-part')
  })
})

/** The header and claims of a JWT, with another header. */
function unsigned(jws: string, header: object): string {
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${jws.split('.')[1]}`
}

function reheaded(jws: string, header: object): string {
  return `${unsigned(jws, header)}.${jws.split('.')[2]}`
}
