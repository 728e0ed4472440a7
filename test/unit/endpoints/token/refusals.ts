import { randomBytes } from 'node:crypto'
import request from 'supertest'
import { releaseClock, stopClock } from '../../../support/clock'
import { clientId, expectError, expectTokens, type FormFields, formBody, redirectUri } from '../../../support/sign-in'
import type { Start } from './start'

interface Case {
  what: string
  /** The wrong parameters, made from the right ones. */
  wrong: (right: FormFields) => FormFields
  error: string
  says: RegExp
}

const unheardOf = (prefix: string) => prefix + randomBytes(63).toString('base64url')
const anyVerifier = randomBytes(32).toString('base64url')

const ofEveryRequest: Case[] = [
  {
    what: 'names no grant type',
    wrong: () => ({ grant_type: undefined }),
    error: 'invalid_request',
    says: /^grant_type /,
  },
  {
    what: 'has an empty grant type',
    wrong: () => ({ grant_type: '' }),
    error: 'invalid_request',
    says: /^grant_type /,
  },
  ...['password', 'Authorization_Code', 'constructor', '__proto__', ' '].map((grantType) => ({
    what: `names the grant type ${JSON.stringify(grantType)}`,
    wrong: () => ({ grant_type: grantType }),
    error: 'unsupported_grant_type',
    says: /grant_type must be authorization_code or refresh_token/,
  })),
  {
    what: 'repeats a parameter, even with the same value',
    wrong: ({ grant_type = '' }) => ({ grant_type: [grant_type, grant_type].flat() }),
    error: 'invalid_request',
    says: /^grant_type /,
  },
  {
    what: 'repeats a parameter that nobody knows',
    wrong: () => ({ x: ['1', '2'] }),
    error: 'invalid_request',
    says: /^x /,
  },
  { what: 'names no client', wrong: () => ({ client_id: undefined }), error: 'invalid_request', says: /^client_id / },
  {
    what: 'names another resource than was granted',
    wrong: () => ({ resource: 'https://files.globex.example' }),
    error: 'invalid_target',
    says: /^resource /,
  },
]

const ofCodes: Case[] = [
  ...ofEveryRequest,
  ...['code', 'redirect_uri', 'code_verifier'].flatMap((name) =>
    [undefined, ''].map((value) => ({
      what: value === undefined ? `lacks ${name}` : `has an empty ${name}`,
      wrong: () => ({ [name]: value }),
      error: 'invalid_request',
      says: new RegExp(`^${name} `),
    })),
  ),
  ...['x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(42)}+`, `${'x'.repeat(42)}é`].map((codeVerifier) => ({
    what: `has the malformed code_verifier ${codeVerifier.slice(-8)} of ${codeVerifier.length}`,
    wrong: () => ({ code_verifier: codeVerifier }),
    error: 'invalid_request',
    says: /^code_verifier /,
  })),
  ...['a code of another server', 'csic_', '\u0000', 'é'].map((code) => ({
    what: `presents ${JSON.stringify(code)} as its code`,
    wrong: () => ({ code }),
    error: 'invalid_grant',
    says: /authorization code is unknown/,
  })),
  {
    what: 'presents a code that nobody has issued',
    wrong: () => ({ code: unheardOf('csic_') }),
    error: 'invalid_grant',
    says: /authorization code is unknown/,
  },
  {
    what: 'presents a code with more behind it',
    wrong: ({ code }) => ({ code: `${code}A` }),
    error: 'invalid_grant',
    says: /authorization code is unknown/,
  },
  {
    what: "presents another client's code",
    wrong: () => ({ client_id: 'other-app' }),
    error: 'invalid_grant',
    says: /another client/,
  },
  ...[`${redirectUri}/`, redirectUri.toUpperCase(), `${redirectUri}?x`, 'https://elsewhere.example/'].map((other) => ({
    what: `has the redirect_uri ${other}`,
    wrong: () => ({ redirect_uri: other }),
    error: 'invalid_grant',
    says: /redirect_uri/,
  })),
  {
    what: 'has another code_verifier',
    wrong: () => ({ code_verifier: anyVerifier }),
    error: 'invalid_grant',
    says: /code_verifier/,
  },
]

const ofRefreshTokens: Case[] = [
  ...ofEveryRequest,
  {
    what: 'lacks refresh_token',
    wrong: () => ({ refresh_token: undefined }),
    error: 'invalid_request',
    says: /^refresh_token /,
  },
  {
    what: 'repeats refresh_token',
    wrong: ({ refresh_token = '' }) => ({ refresh_token: [refresh_token, 'x'].flat() }),
    error: 'invalid_request',
    says: /^refresh_token /,
  },
  {
    what: 'presents a refresh token that nobody has issued',
    wrong: () => ({ refresh_token: unheardOf('csir_') }),
    error: 'invalid_grant',
    says: /refresh token is unknown/,
  },
  ...['a refresh token of another server', 'csir_', '\u0000'].map((refreshToken) => ({
    what: `presents ${JSON.stringify(refreshToken)} as its refresh token`,
    wrong: () => ({ refresh_token: refreshToken }),
    error: 'invalid_grant',
    says: /refresh token is unknown/,
  })),
  {
    what: "presents another client's refresh token",
    wrong: () => ({ client_id: 'other-app' }),
    error: 'invalid_grant',
    says: /unknown or has expired/,
  },
  ...['openid calendar', 'admin', 'Profile', 'pröfile', '"\\\u0000'].map((scope) => ({
    what: `asks for the scope ${JSON.stringify(scope)}`,
    wrong: () => ({ scope }),
    error: 'invalid_scope',
    says: /^scope /,
  })),
]

export function refusals(start: Start): void {
  afterEach(releaseClock)

  it.each(ofCodes)('uses no code up when it $what: $error', async ({ wrong, error, says }) => {
    const host = await start()
    const { code, codeVerifier } = await host.asCustomer({ tenantKey: 'globex' })
    const right = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    }
    expect(expectError(await host.token('globex', { ...right, ...wrong(right) }), 400, error)).toMatch(says)
    expectTokens(await host.token('globex', right))
  })

  it.each(ofRefreshTokens)('uses no refresh token up when it $what: $error', async ({ wrong, error, says }) => {
    const host = await start()
    const { refresh_token } = await host.connected({ tenantKey: 'globex' })
    const right = { grant_type: 'refresh_token', client_id: clientId, refresh_token }
    expect(expectError(await host.token('globex', { ...right, ...wrong(right) }), 400, error)).toMatch(says)
    expectTokens(await host.token('globex', right))
  })

  it.each<[reason: string, wrong: FormFields]>([
    ['malformed_credential', { code: 'a code of another server' }],
    ['wrong_client', { client_id: 'other-app' }],
    ['wrong_redirect_uri', { redirect_uri: 'https://elsewhere.example/' }],
    ['wrong_code_verifier', { code_verifier: anyVerifier }],
  ])('is reported to the operator as %s, with the customer whose code it is', async (reason, wrong) => {
    const host = await start()
    await host.exchange(await host.asCustomer({ tenantKey: 'globex' }), wrong)
    const [denied] = await host.told('denied')
    expect(denied?.reason).toBe(reason)
    if (reason !== 'malformed_credential') expect(denied).toMatchObject({ clientId, subject: 'customer-1' })
  })

  it('is told that a credential has been used already', async () => {
    const host = await start()
    const signedIn = await host.asCustomer()
    const { refresh_token } = expectTokens(await host.exchange(signedIn))
    expect(expectError(await host.exchange(signedIn), 400, 'invalid_grant')).toMatch(/code has been used already/)
    expectTokens(await host.refresh(refresh_token))
    expect(expectError(await host.refresh(refresh_token), 400, 'invalid_grant')).toMatch(/token has been used already/)
  })

  it('is told that a credential has expired', async () => {
    const clock = stopClock()
    const host = await start()
    const [signedIn, { refresh_token }] = [await host.asCustomer(), await host.connected()]
    clock.advance(60)
    expect(expectError(await host.exchange(signedIn), 400, 'invalid_grant')).toMatch(/unknown or has expired/)
    clock.advance(30 * 86_400)
    expect(expectError(await host.refresh(refresh_token), 400, 'invalid_grant')).toMatch(/unknown or has expired/)
  })

  it('gets invalid_grant for one kind of credential in place of the other', async () => {
    const host = await start()
    const [signedIn, { refresh_token }] = [await host.asCustomer(), await host.connected()]
    expectError(await host.exchange(signedIn, { code: refresh_token }), 400, 'invalid_grant')
    expectError(await host.refresh(signedIn.code), 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn))
    expectTokens(await host.refresh(refresh_token))
  })

  it.each(['application/json', 'multipart/form-data', 'text/plain', 'application/x-www-form-urlencodedx'])(
    'is not a form but %j: invalid_request',
    async (contentType) => {
      const host = await start()
      const { refresh_token } = await host.connected()
      const right = formBody({ grant_type: 'refresh_token', client_id: clientId, refresh_token })
      const response = await request(host.url).post('/v1/acme/oauth/token').set('Content-Type', contentType).send(right)
      expect(expectError(response, 400, 'invalid_request')).toMatch(/^Content-Type /)
      expectTokens(await host.refresh(refresh_token))
    },
  )

  it('gets 413 if it is larger than 16 KiB', async () => {
    const host = await start()
    const { refresh_token } = await host.connected()
    const described = expectError(await host.refresh(refresh_token, { x: 'x'.repeat(16_384) }), 413, 'invalid_request')
    expect(described).toMatch(/16384 bytes/)
    expectTokens(await host.refresh(refresh_token))
  })

  it('is reported to the host as denied, with details that the client is not told', async () => {
    const host = await start()
    await host.refresh(unheardOf('csir_'))
    expect(await host.told('denied')).toEqual([
      {
        at: expect.any(Number),
        type: 'denied',
        where: 'token',
        reason: 'unknown_credential',
        tenantId: 'acme',
        tenantKey: 'acme',
        error: 'invalid_grant',
        description: expect.stringContaining('refresh token'),
        status: 400,
        detail: { grantId: expect.any(String) },
      },
    ])
  })
}
