import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import * as oauth from 'openid-client'
import { print, shownFetch, showValues, step } from './wire.js'

const clientId = 'travel-assistant'
const scope = 'profile bookings'

/** The tokens that a client keeps for a customer. */
export interface Connection {
  accessToken: string
  refreshToken: string
}

/**
 * Plays a client, with a client library that is not ours, and shows each step. Rejects at the first answer that is not as it should be.
 *
 * @returns A connection that is live at the end.
 */
export async function walk(host: string, redirectUri: string): Promise<Connection> {
  const bookings = (company: string) => new URL(`${host}/v1/${company}/bookings`)

  step('Discovery', 'From the issuer alone, the client learns all addresses of Acme. Each company has its own issuer.')
  const acme = await discover(`${host}/v1/acme/oauth`, shownFetch('client'))

  step('Authorization', 'The browser carries only a hash of the code_verifier, so a stolen code cannot be redeemed.')
  const request = await authorizationRequest(acme, redirectUri)
  const response = await customerAllows(request.url, shownFetch('browser'))

  step('Code exchange', 'The code_verifier proves that the client that redeems the code also began the sign-in.')
  const first = await exchange(acme, response, request)
  print('   The access token, which is signed and not encrypted, contains:')
  showValues(Object.entries(claimsOf(first.accessToken)))

  step(
    'Protected call',
    'The API checks signature, company, audience, expiry, scope, and that the grant is still live.',
  )
  assert.equal(await call(acme, first, bookings('acme')), 200)

  step(
    'Refresh',
    'A refresh token is used once. The answer has the next one, which begins alike: that part names the grant.',
  )
  const second = await refresh(acme, first)

  step('Used again at once', 'More often two tabs than a thief. It is refused, but nobody is signed out.')
  assert.equal(await refusal(refresh(acme, first)), 'invalid_grant')
  assert.equal(await call(acme, second, bookings('acme')), 200)

  step('Used again later', 'The first token comes again more than 10 seconds after its use: somebody has kept a copy.')
  const third = await refresh(acme, second)
  await setTimeout(10_100)
  assert.equal(await refusal(refresh(acme, first)), 'invalid_grant')

  step(
    'What happened to the grant',
    'It has ended. Neither the newest refresh token nor the access token works any more.',
  )
  assert.equal(await refusal(refresh(acme, third)), 'invalid_grant')
  assert.equal(await call(acme, third, bookings('acme')), 401)

  step('Another company', 'The customer connects again (not shown). The token works for the API of Acme and no other.')
  const live = await connect(await discover(`${host}/v1/acme/oauth`), redirectUri)
  assert.equal(await call(acme, live, bookings('acme')), 200)
  assert.equal(await call(acme, live, bookings('globex')), 401)

  step('A company without customer sign-in', 'It looks like a company that does not exist.')
  assert.equal(await refusal(discover(`${host}/v1/initech/oauth`, shownFetch('client'))), 'HTTP 404')
  return live
}

function discover(issuer: string, fetch?: oauth.CustomFetch): Promise<oauth.Configuration> {
  return oauth.discovery(new URL(issuer), clientId, undefined, oauth.None(), {
    algorithm: 'oauth2',
    // Only because the host is on this machine. Elsewhere, use https.
    execute: [oauth.allowInsecureRequests],
    ...(fetch && { [oauth.customFetch]: fetch }),
  })
}

interface PendingRequest {
  url: URL
  codeVerifier: string
  state: string
}

async function authorizationRequest(server: oauth.Configuration, redirectUri: string): Promise<PendingRequest> {
  const codeVerifier = oauth.randomPKCECodeVerifier()
  const state = oauth.randomState()
  const url = oauth.buildAuthorizationUrl(server, {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  })
  return { url, codeVerifier, state }
}

/** Plays the browser: opens the page, sends its form, and is redirected to the client. */
async function customerAllows(page: URL, fetch: oauth.CustomFetch): Promise<URL> {
  const open: oauth.CustomFetchOptions = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' }
  assert.equal((await fetch(page.href, open)).status, 200)
  const allowed = await fetch(page.href, {
    ...open,
    method: 'POST',
    headers: { origin: page.origin },
    body: new URLSearchParams({ answer: 'allow' }),
  })
  assert.equal(allowed.status, 303)
  return new URL(allowed.headers.get('Location') ?? '')
}

async function exchange(server: oauth.Configuration, response: URL, request: PendingRequest): Promise<Connection> {
  const { codeVerifier: pkceCodeVerifier, state: expectedState } = request
  return connectionOf(await oauth.authorizationCodeGrant(server, response, { pkceCodeVerifier, expectedState }))
}

async function connect(server: oauth.Configuration, redirectUri: string): Promise<Connection> {
  const request = await authorizationRequest(server, redirectUri)
  const quietly: oauth.CustomFetch = (url, options) => fetch(url, options)
  return exchange(server, await customerAllows(request.url, quietly), request)
}

async function refresh(server: oauth.Configuration, { refreshToken }: Connection): Promise<Connection> {
  return connectionOf(await oauth.refreshTokenGrant(server, refreshToken))
}

/** Calls the API. @returns The status. */
async function call(server: oauth.Configuration, { accessToken }: Connection, api: URL): Promise<number> {
  try {
    return (await oauth.fetchProtectedResource(server, accessToken, api, 'GET')).status
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.status
    throw error
  }
}

/** The `error` of a request that is refused. Rejects if the request fails in any other way. */
async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) return error.error
    if (error instanceof oauth.ClientError && error.cause instanceof Response) return `HTTP ${error.cause.status}`
    throw error
  }
  return 'nothing: it succeeded'
}

function connectionOf({ access_token, refresh_token }: oauth.TokenEndpointResponse): Connection {
  assert.ok(refresh_token, 'There is no refresh token')
  return { accessToken: access_token, refreshToken: refresh_token }
}

function claimsOf(jwt: string): object {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}
