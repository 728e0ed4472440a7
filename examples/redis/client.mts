import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import * as oauth from 'openid-client'
import { print, step } from '../quickstart/wire.js'
import { refreshRetryWindow } from './retry-window.js'

const clientId = 'travel-assistant'
const redirectUri = 'http://127.0.0.1:8080/callback'
const both = ['process 1', 'process 2']

/** The tokens that a client keeps for a customer. */
export interface Connection {
  accessToken: string
  refreshToken: string
}

/** The host as its clients see it, and a way to break it. */
interface Host {
  url: string
  /** Kills the process that gets the next request: after it has done the work, and before it sends the answer. */
  killNext(): void
}

/**
 * Plays a customer's app: it calls one address, and any of the processes may answer. Rejects at the first answer that is not as it
 * should be.
 *
 * @returns A connection that is live at the end.
 */
export async function walk({ url, killNext }: Host): Promise<Connection> {
  const server = await oauth.discovery(new URL(`${url}/v1/acme/oauth`), clientId, undefined, oauth.None(), {
    algorithm: 'oauth2',
    // Only because the host is on this machine. Elsewhere, use https.
    execute: [oauth.allowInsecureRequests],
    [oauth.customFetch]: shownFetch,
  })
  const bookings = new URL(`${url}/v1/acme/bookings`)

  step('Sign-in', 'One process issues the code, the other redeems it: Redis has the grant, and both have the keys.')
  const first = await connect(server)
  assert.deepEqual(answeredBy(2), both)

  step('Refresh', 'Any process can redeem any refresh token.')
  let newest = first
  for (let time = 0; time < 4; time++) newest = await refresh(server, newest)
  assert.deepEqual(answeredBy(4), both)

  step(
    'One refresh token, twice at once',
    'Two tabs refresh. Both get the same new token (refreshRetryWindow), so neither is signed out.',
  )
  const [left, right] = await Promise.all([refresh(server, newest), refresh(server, newest)])
  assert.equal(left.refreshToken, right.refreshToken)
  assert.deepEqual(answeredBy(2), both)

  step(
    'A used refresh token comes back',
    `The very first one comes more than ${refreshRetryWindow} seconds after its use: somebody has kept a copy. The grant ends at every process.`,
  )
  await setTimeout((refreshRetryWindow + 0.1) * 1000)
  assert.equal(await refusal(refresh(server, first)), 'invalid_grant')
  for (const _ of both) assert.equal(await refusal(refresh(server, left)), 'invalid_grant')
  for (const _ of both) assert.equal(await call(server, left, bookings), 401)
  assert.deepEqual(answeredBy(4), both)

  step('Signed out everywhere', 'The customer signs out at one process. Both processes know it at the next request.')
  const again = await connect(server)
  for (const _ of both) assert.equal(await call(server, again, bookings), 200)
  assert.equal(await call(server, again, new URL(`${url}/v1/acme/sign-out`), 'POST'), 200)
  for (const _ of both) assert.equal(await call(server, again, bookings), 401)
  for (const _ of both) assert.equal(await refusal(refresh(server, again)), 'invalid_grant')
  assert.deepEqual(answeredBy(4), both)

  step('A process is killed', 'At the worst moment: the refresh token is used up, and the answer is not sent yet.')
  const live = await connect(server)
  killNext()
  newest = await refreshInAnyCase(server, live)
  assert.equal(await call(server, newest, bookings), 200)
  newest = await refresh(server, newest)
  assert.equal(answeredBy(3).length, 1)
  return newest
}

async function connect(server: oauth.Configuration): Promise<Connection> {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
  const page = oauth.buildAuthorizationUrl(server, {
    redirect_uri: redirectUri,
    scope: 'bookings',
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  return connectionOf(await oauth.authorizationCodeGrant(server, await customerAllows(page), { pkceCodeVerifier }))
}

/** Plays the browser: opens the page, sends its form when the customer presses Allow, and is redirected to the client. */
async function customerAllows(page: URL): Promise<URL> {
  const html = await (await shownFetch(page.href, { method: 'GET' })).text()
  const [, token = ''] = /name="consent_token" value="([^"]+)"/.exec(html) ?? []
  const body = new URLSearchParams({ consent_token: token, decision: 'allow' })
  const allowed = await shownFetch(page.href, { method: 'POST', body, redirect: 'manual' })
  return new URL(allowed.headers.get('Location') ?? '')
}

async function refresh(server: oauth.Configuration, { refreshToken }: Connection): Promise<Connection> {
  return connectionOf(await oauth.refreshTokenGrant(server, refreshToken))
}

/** If there is no answer, or one with 5xx, the refresh token may still be good: a client keeps it and tries again. */
async function refreshInAnyCase(server: oauth.Configuration, connection: Connection): Promise<Connection> {
  try {
    return await refresh(server, connection)
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError && error.status < 500) throw error
    return refresh(server, connection)
  }
}

/** Calls an API of the host. @returns The status. */
async function call(
  server: oauth.Configuration,
  { accessToken }: Connection,
  api: URL,
  method = 'GET',
): Promise<number> {
  try {
    return (await oauth.fetchProtectedResource(server, accessToken, api, method)).status
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
    throw error
  }
  return 'nothing: it succeeded'
}

function connectionOf({ access_token, refresh_token }: oauth.TokenEndpointResponse): Connection {
  assert.ok(refresh_token, 'There is no refresh token')
  return { accessToken: access_token, refreshToken: refresh_token }
}

const answers: string[] = []

/** Like `fetch`, but prints the request, the process that answered, and its answer. */
async function shownFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  const process = response.headers.get('X-Answered-By') ?? 'no process'
  answers.push(process)
  const grantType = options.body instanceof URLSearchParams ? (options.body.get('grant_type') ?? '') : ''
  const asked = `${options.method} ${new URL(url).pathname} ${grantType}`
  print(`   ${asked.padEnd(60)} ${process}: ${response.status} ${await errorIn(response)}`.trimEnd())
  return response
}

async function errorIn(response: Response): Promise<string> {
  if (response.headers.get('Content-Type') !== 'application/json') return ''
  const { error = '' } = (await response.clone().json()) as { error?: string }
  return error
}

/** The names of the processes that gave the latest answers, each once. */
function answeredBy(latest: number): string[] {
  return [...new Set(answers.slice(-latest))].sort()
}
