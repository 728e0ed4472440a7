import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request } from 'node:http'
import { duplexPair } from 'node:stream'
import { json } from 'node:stream/consumers'
import { decode, sign } from 'jsonwebtoken'
import { anything, flag, optional, record, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { OAuthError } from '../protocol/oauth-error'
import type { OAuthErrorCode } from '../protocol/oauth-error-codes'
import { codeChallengeOf } from '../protocol/pkce'
import { ProofKey } from '../protocol/proof-key'
import { registrationIn } from '../protocol/registered-id'
import { addressOf, endpointsOf } from '../protocol/resource'
import type { Handler } from '../router'
import { partsOf, type SignInForTests, testClient } from './test-sign-in'

/** Whose tokens a test wants, and for what. */
export interface TokensRequest {
  /** The key of the company. */
  tenantKey: string
  /** The customer inside the company. */
  subject: string
  /**
   * What the customer has allowed: a list, or a string with spaces between the scopes. It is granted as it is or not at all. Default: what a
   * first sign-in gets. That is what `protectedResource` requires of every request to the API (`scopes`); or its `scopesSupported` if that is
   * nothing; or else all scopes that the company offers.
   */
  scopes?: string | readonly string[] | undefined
  /** The API that the tokens are for (RFC 8707). Default: the company's first. */
  resource?: string | undefined
  /** The customer's claims, as `authenticate` gives them. Default none. */
  claims?: Record<string, unknown> | undefined
  /**
   * The client that the tokens are for: a public one, either of the company's own or one that has registered itself. Default: `test-client`,
   * which {@link testSignIn} adds to each company.
   */
  clientId?: string | undefined
  /** Whether the client proves a new key, to which the tokens are bound (DPoP, RFC 9449). Default false. */
  dpop?: boolean | undefined
}

/** The tokens of a customer who has signed in and agreed. */
export interface TestTokens {
  /** The access token, for `Authorization: Bearer …`. */
  readonly accessToken: string
  /** The refresh token. Empty if the client may not refresh. */
  readonly refreshToken: string
  /** For how many seconds the access token is valid. */
  readonly expiresIn: number
  /** The scopes of the access token. */
  readonly scopes: readonly string[]
  /** The grant, as `signIn.grants` knows it. */
  readonly grantId: string
  /** The client's `client_id`. */
  readonly clientId: string

  /**
   * Makes the headers of a request to your API: `authorization`, and for tokens with `dpop` a new `dpop` proof of their key.
   *
   * @param method The method of the request, such as `GET`.
   * @param url Its address: the origin of the API's `resource`, and the path of the request.
   */
  headersFor(method: string, url: string): Record<string, string>

  /**
   * Redeems the refresh token, as the client does. A second call of the same tokens presents a used refresh token.
   *
   * @returns The next tokens.
   * @throws {OAuthError} `invalid_grant` if the refresh token is used, revoked or expired, and whatever else the token endpoint answers.
   */
  refresh(): Promise<TestTokens>
}

/** Gives tokens to a test. */
export interface TokensForTests {
  /**
   * Signs a customer in and gives the tokens. They are issued as in production: a grant is stored, its code is issued and redeemed, your
   * hooks are called, and there are events.
   *
   * @param signIn What `testSignIn` has returned.
   * @throws {OAuthError} if the grant or the token is refused, for example by your `accessTokenClaims`.
   * @throws {ConfigurationError} for a member that is unknown, missing or wrong.
   *
   * @example
   * const { accessToken } = await tokensFor(signIn, { tenantKey: 'acme', subject: 'customer-1', scopes: 'bookings' })
   */
  (signIn: SignInForTests, request: TokensRequest): Promise<TestTokens>

  /**
   * Gives tokens whose access token has expired: it was issued two hours ago. The grant and the refresh token are new and good. The clock
   * does not move.
   */
  expired(signIn: SignInForTests, request: TokensRequest): Promise<TestTokens>

  /**
   * Gives tokens whose grant has been revoked. A guard refuses the access token only with `checkRevocation`; without it, the token is good
   * until it expires.
   */
  revoked(signIn: SignInForTests, request: TokensRequest): Promise<TestTokens>

  /**
   * Gives tokens of a company that is like `tenantKey` in everything but its key, its id and its domain. Your hooks are asked about this
   * company, too. If they know only your own companies, call `tokensFor` with another one of yours.
   */
  ofAnotherTenant(signIn: SignInForTests, request: TokensRequest): Promise<TestTokens>

  /** Gives tokens whose access token says the same as a good one but is signed with the key of somebody else. */
  forged(signIn: SignInForTests, request: TokensRequest): Promise<TestTokens>
}

// Longer than any access token is valid, and longer than any tolerance of a verifier.
const twoHours = 7200

/** Signs a customer in and gives the tokens. Its members give tokens with one fault each, which a guarded route must refuse. */
export const tokensFor: TokensForTests = Object.assign(signedIn, {
  async expired(signIn: SignInForTests, request: TokensRequest) {
    return partsOf(signIn).clock.ago(twoHours, () => signedIn(signIn, request))
  },

  async revoked(signIn: SignInForTests, request: TokensRequest) {
    const tokens = await signedIn(signIn, request)
    await signIn.grants.revoke({ tenantKey: request.tenantKey, subject: request.subject, grantId: tokens.grantId })
    return tokens
  },

  async ofAnotherTenant(signIn: SignInForTests, request: TokensRequest) {
    const { tenantKey, ...of } = members(request, 'tokensFor')
    return signedIn(signIn, { ...of, tenantKey: await partsOf(signIn).tenants.anotherLike(tenantKey) })
  },

  async forged(signIn: SignInForTests, request: TokensRequest) {
    const tokens = await signedIn(signIn, request)
    const { header, payload } = Object(decode(tokens.accessToken, { complete: true }))
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const accessToken = sign(payload, privateKey, { algorithm: 'ES256', header: { ...header, alg: 'ES256' } })
    return { ...tokens, accessToken }
  },
})

const members = record({
  tenantKey: text,
  subject: text,
  clientId: optional(text),
  scopes: anything<TokensRequest['scopes']>,
  resource: anything<TokensRequest['resource']>,
  claims: anything<TokensRequest['claims']>,
  dpop: optional(flag, false),
})

async function signedIn(signIn: SignInForTests, request: TokensRequest): Promise<TestTokens> {
  const { clientId = testClient.clientId, scopes, dpop, ...terms } = members(request, 'tokensFor')
  const tenant = await partsOf(signIn).tenants.findTenant(terms.tenantKey)
  const client = tenant?.clients?.find((own) => own.clientId === clientId) ?? registrationIn(clientId)
  // Empty if there is no such client: then no code is issued.
  const redirectUri = client?.redirectUris?.[0] ?? ''
  const codeVerifier = randomBytes(32).toString('base64url')
  const { code, redirectTo } = await signIn.issueAuthorizationCode({
    ...terms,
    // Assistants name the API, and so get what it requires. Who names none gets all that the company offers.
    resource: terms.resource ?? (await firstApiOf(terms.tenantKey, signIn)),
    // As a list: of a string, the company would leave out what it does not offer.
    scopes: typeof scopes === 'string' ? scopes.split(' ') : scopes,
    clientId,
    redirectUri,
    codeChallenge: codeChallengeOf(codeVerifier),
    codeChallengeMethod: 'S256',
  })
  const issuer = new URL(redirectTo).searchParams.get('iss') ?? ''
  const address = addressOf(issuer, terms.tenantKey, partsOf(signIn).baseUrl)
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  }
  return redeemed(signIn, `${endpointsOf(address)}/token`, form, dpop ? new ProofKey() : undefined)
}

/** The address that a customer pastes. Undefined if the company has no API. */
async function firstApiOf(tenantKey: string, signIn: SignInForTests): Promise<string | undefined> {
  try {
    return (await signIn.connect({ tenantKey })).address
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}

/** Redeems a code, a refresh token or an assertion. */
export async function redeemed(
  signIn: SignInForTests,
  tokenEndpoint: string,
  form: Record<string, string>,
  key?: ProofKey,
): Promise<TestTokens> {
  const { now } = partsOf(signIn).clock
  const proof = key?.proof({ method: 'POST', url: tokenEndpoint, now: now() })
  const { status, body } = await postForm(signIn, tokenEndpoint, form, proof === undefined ? {} : { dpop: proof })
  if (status !== 200) throw new OAuthError(body.error as OAuthErrorCode, String(body.error_description), { status })
  const accessToken = String(body.access_token)
  const refreshToken = String(body.refresh_token ?? '')
  const { grant_id: grantId, client_id: clientId } = Object(decode(accessToken))
  const next = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
  return {
    accessToken,
    refreshToken,
    expiresIn: Number(body.expires_in),
    scopes: String(body.scope).split(' ').filter(Boolean),
    grantId,
    clientId,
    headersFor: (method, url): Record<string, string> =>
      key === undefined
        ? { authorization: `Bearer ${accessToken}` }
        : { authorization: `DPoP ${accessToken}`, dpop: key.proof({ method, url, accessToken, now: now() }) },
    refresh: () => redeemed(signIn, tokenEndpoint, next, key),
  }
}

/** Sends a form to a handler as a client does: over HTTP, but in memory. No port is opened, and nothing is left open. */
async function postForm(
  handler: Handler,
  url: string,
  form: Record<string, string>,
  more: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { host, pathname } = new URL(url)
  const body = new URLSearchParams(form).toString()
  const headers = {
    host,
    connection: 'close',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
    ...more,
  }
  const [client, server] = duplexPair()
  createServer((req, res) => handler(req, res)).emit('connection', server)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ createConnection: () => client, method: 'POST', path: pathname, headers }, resolve)
        .once('error', reject)
        .end(body)
    })
    return { status: response.statusCode ?? 0, body: (await json(response)) as Record<string, unknown> }
  } finally {
    client.destroy()
    server.destroy()
  }
}
