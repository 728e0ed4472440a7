import { isLoopbackHost } from '../../protocol/redirect-uri'
import { jsonObject } from '../../protocol/unverified-jwt'
import { webAddress } from '../document'
import { fault } from '../findings'
import type { SignInWindow } from '../sign-in-window'
import { type Found, Skipped, type Visit } from '../visit'
import { signInRequest } from './authorize'
import { redeem } from './token'

/** RFC 6749 sections 4.1.1 to 4.1.4, with `iss` (RFC 9207). */
export async function signIn(visit: Visit, window: SignInWindow): Promise<Found['sign-in']> {
  const [server, client, resource] = visit.found('server', 'registration', 'resource')
  if (client.source === 'document') throw new Skipped('Nobody signs in as an assistant here: give a --client-id.')
  const request = signInRequest(visit, client)
  if (!webAddress(request.url)) throw new Skipped('The authorization endpoint is no web address.')
  if (isReadByOthers(server)) throw new Skipped('Others could read the tokens: the token endpoint is not on https.')
  if (isNamedElsewhere(resource)) throw new Skipped('The app names another host as its issuer: mend that first.')
  visit.hide(request.codeVerifier)
  const back = await window.open(request.url)
  if (!back) throw fault('sign-in-abandoned', { minutes: window.minutes })
  visit.hide(back.get('code'))
  checkResponse(back, request.state, server)
  const sent = Date.now()
  const tokens = await redeem(visit, {
    grant_type: 'authorization_code',
    code: back.get('code') ?? '',
    redirect_uri: client.redirectUri,
    code_verifier: request.codeVerifier,
  })
  if (tokens.refreshToken === undefined) visit.find('no-refresh-token', {})
  // Access tokens of other servers may be no JWTs.
  const claims = Buffer.from(tokens.accessToken.split('.')[1] ?? '', 'base64url').toString()
  const { iat } = jsonObject(claims) ?? {}
  if (typeof iat === 'number') visit.wire.tellTime('the iat of the access token', iat, sent)
  await compareClocks(visit)
  return tokens
}

/** Whether the endpoints are not on the host of the issuer. They could then get a code of the issuer, with the issuer's own `iss`. */
function isNamedElsewhere({ issuer, reachedAt }: Found['resource']): boolean {
  return new URL(issuer).hostname !== new URL(reachedAt).hostname
}

/** Whether the tokens would go without TLS, although those who log in see https. */
function isReadByOthers({ issuer, token }: Found['server']): boolean {
  const { protocol, hostname } = new URL(token)
  return protocol === 'http:' && issuer.startsWith('https:') && !isLoopbackHost(hostname)
}

/** The authorization response (RFC 6749 section 4.1.2). */
function checkResponse(back: URLSearchParams, state: string, { issuer, namesIssuer }: Found['server']): void {
  const error = back.get('error')
  if (error !== null) throw fault('sign-in-refused', { error, description: back.get('error_description') ?? '' })
  if (back.get('state') !== state) throw fault('state-differs', {})
  const iss = back.get('iss')
  // The code may be that of another server, which this one would then get (RFC 9207 section 2.4).
  if ((iss !== null || namesIssuer) && iss !== issuer)
    throw fault('iss-differs', { value: iss ?? 'missing', expected: issuer })
  if (!back.get('code')) throw fault('no-code', {})
}

// Seconds. The verifiers of access tokens mostly allow for half a minute or a minute.
const clockTolerance = 30

/** Compares the clocks of the servers with that of this machine, by what they have said so far. */
export async function compareClocks(visit: Visit): Promise<void> {
  visit.found('api')
  const off = visit.wire.clocks.filter(({ ahead }) => Math.abs(ahead) > clockTolerance)
  for (const source of new Set(off.map((each) => each.source))) {
    const { ahead } = off.find((each) => each.source === source) ?? { ahead: 0 }
    const direction = ahead > 0 ? 'ahead of' : 'behind'
    visit.find('clock-off', { source, seconds: Math.abs(ahead), direction })
  }
}
