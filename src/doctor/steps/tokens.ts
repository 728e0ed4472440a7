import { randomBytes } from 'node:crypto'
import { isLoopbackHost } from '../../protocol/redirect-uri'
import { jsonObject } from '../../protocol/unverified-jwt'
import { type Answer, jsonOf } from '../answer'
import { checkAcrossOrigins } from '../cross-origin'
import { lists } from '../document'
import { fault } from '../findings'
import type { SignInWindow } from '../sign-in-window'
import { type Found, Skipped, type Visit } from '../visit'
import type { Asked } from '../wire'
import { signInRequest } from './authorize'

type Client = Found['registration']

// As long as those of servers that put a signed token into the code, so that a small limit of a proxy is found.
const wrongCode = `customer-sign-in-doctor-${'x'.repeat(1500)}`

/** A form as a client sends it (RFC 6749 section 3.2). */
function form(fields: Record<string, string>): Asked {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' }
  return { method: 'POST', headers, body: new URLSearchParams(fields).toString() }
}

/** Redeems a code that nobody was given. The right answer is `invalid_grant`, which shows that the whole request has arrived. */
export async function tryWrongCode(visit: Visit): Promise<void> {
  const [server, client, { resource }] = visit.found('server', 'registration', 'resource')
  const fields = {
    grant_type: 'authorization_code',
    code: wrongCode,
    redirect_uri: client.redirectUri,
    code_verifier: randomBytes(32).toString('base64url'),
    resource,
  }
  const inBody = form({ ...fields, client_id: client.id })
  const answer = await ask(visit, inBody)
  checkMayBePublic(answer, client)
  checkInvalidGrant(answer, client)
  if (!/\bno-store\b/i.test(answer.header('cache-control') ?? '')) visit.find('token-cached', answer)
  await presentInHeader(visit, form(fields))
  if (takesProofs(server)) await presentProofs(visit, inBody)
  await tryAtRoot(visit, inBody)
  await checkAcrossOrigins(visit, server.token, inBody, ['authorization'])
}

/** A client of the company's own may have a secret, which the doctor does not ask for. */
function checkMayBePublic({ error, description }: Answer, { source }: Client): void {
  const isConfidential = error === 'invalid_client' && /authenticat|secret|assertion/i.test(description)
  if (source === 'given' && isConfidential)
    throw new Skipped('The client must authenticate, and the doctor has no secret.')
}

function checkInvalidGrant(answer: Answer, client: Client): void {
  jsonOf(answer)
  const { status, error, description } = answer
  if (status === 400 && error === 'invalid_grant') return
  if (error === 'invalid_client' && client.source === 'registered') throw fault('client-not-shared', answer)
  if (error === 'invalid_client') throw fault('client-unknown', { ...answer, client: client.id })
  const isLost = error === 'invalid_request' && /missing|required|content-type|body/i.test(description)
  throw fault(isLost ? 'body-lost' : 'wrong-error', answer)
}

/**
 * The same with the client in the `Authorization` header (RFC 6749 section 2.3.1), as clients with a secret send it. This library reads the
 * header of every client. Other servers may read it only if they announce so.
 */
async function presentInHeader(visit: Visit, asked: Asked): Promise<void> {
  const [{ members }, { id }] = visit.found('server', 'registration')
  const user = Buffer.from(`${encodeURIComponent(id)}:`).toString('base64')
  const answer = await ask(visit, { ...asked, headers: { ...asked.headers, Authorization: `Basic ${user}` } })
  const { error, description } = answer
  const isAnnounced = lists(members, 'token_endpoint_auth_methods_supported', 'client_secret_basic')
  const isMissing = description === 'client_id is missing' || (isAnnounced && /client_id/.test(description))
  if (error === 'invalid_request' && isMissing) visit.find('authorization-dropped', answer)
}

/** The same with a DPoP proof that is right, and with one that is not (RFC 9449 section 5). */
async function presentProofs(visit: Visit, asked: Asked): Promise<void> {
  const right = await send(visit, proving(visit, asked))
  if (right.error === 'invalid_dpop_proof') throw fault('proof-refused', right)
  const broken = await send(visit, { ...asked, headers: { ...asked.headers, DPoP: 'no proof' } })
  if (broken.error === 'invalid_grant') visit.find('proof-dropped', broken)
}

/** Where clients look that know only the domain of the issuer. They throw their tokens away if it is another page of the host. */
async function tryAtRoot(visit: Visit, asked: Asked): Promise<void> {
  const [{ token }, { reachedAt }] = visit.found('server', 'resource')
  const url = `${new URL(reachedAt).origin}/token`
  if (new URL(reachedAt).pathname !== '/' || url === token) return
  const { error } = await visit.wire.ask(url, asked)
  if (error === 'invalid_grant') visit.note(`Clients that know only the domain find the token endpoint too: ${url}`)
}

/** Whether clients can prove a key. */
function takesProofs({ members }: Found['server']): boolean {
  return lists(members, 'dpop_signing_alg_values_supported', 'ES256')
}

/** Sends a request to the token endpoint. */
function send(visit: Visit, asked: Asked): Promise<Answer> {
  return visit.wire.ask(visit.found('server')[0].token, asked)
}

/** Sends one, and once more with a proof if a company requires one. */
async function ask(visit: Visit, asked: Asked): Promise<Answer> {
  const answer = await send(visit, asked)
  return answer.error === 'invalid_dpop_proof' ? send(visit, proving(visit, asked)) : answer
}

/** Adds a proof to a request to the token endpoint, which it names as the metadata does. */
function proving(visit: Visit, asked: Asked): Asked {
  const [{ token }, { issuer, reachedAt }] = visit.found('server', 'resource')
  const url = token.replace(new URL(reachedAt).origin, new URL(issuer).origin)
  const DPoP = visit.key.proof({ method: 'POST', url, now: Date.now() })
  return { ...asked, headers: { ...asked.headers, DPoP } }
}

/** Revokes a token that does not exist, which succeeds (RFC 7009 section 2.2). */
export async function revokeUnknown(visit: Visit): Promise<void> {
  const [{ revocation: url }, client] = visit.found('server', 'registration')
  if (url === undefined) throw new Skipped('The metadata has no revocation_endpoint.')
  const asked = form({ token: 'customer-sign-in-doctor', client_id: client.id })
  const answer = await visit.wire.ask(url, asked)
  checkMayBePublic(answer, client)
  if (answer.status !== 200) {
    jsonOf(answer)
    throw fault('revocation-fails', answer)
  }
  await checkAcrossOrigins(visit, url, asked, ['authorization'])
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

/** RFC 6749 sections 4.1.1 to 4.1.4, with `iss` (RFC 9207). */
export async function signIn(visit: Visit, window: SignInWindow): Promise<Found['sign-in']> {
  const [server, client, resource] = visit.found('server', 'registration', 'resource')
  if (client.source === 'document') throw new Skipped('Nobody signs in as an assistant here: give a --client-id.')
  const request = signInRequest(visit, client)
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
function checkResponse(back: URLSearchParams, state: string, { issuer, members }: Found['server']): void {
  const error = back.get('error')
  if (error !== null) throw fault('sign-in-refused', { error, description: back.get('error_description') ?? '' })
  if (back.get('state') !== state) throw fault('state-differs', {})
  const iss = back.get('iss')
  // The code may be that of another server, which this one would then get (RFC 9207 section 2.4).
  const namesIssuer = members.authorization_response_iss_parameter_supported === true
  if ((iss !== null || namesIssuer) && iss !== issuer)
    throw fault('iss-differs', { value: iss ?? 'missing', expected: issuer })
  if (!back.get('code')) throw fault('no-code', {})
}

/** Redeems the refresh token (RFC 6749 section 6). @returns The refresh token that is valid now. */
export async function refresh(visit: Visit): Promise<string> {
  const [{ refreshToken }] = visit.found('sign-in')
  if (refreshToken === undefined) throw new Skipped('There is no refresh token.')
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken }
  return (await redeem(visit, fields)).refreshToken ?? refreshToken
}

/** Revokes the refresh token, so that nothing of the examination stays valid (RFC 7009). */
export async function endGrant(visit: Visit): Promise<void> {
  const [{ revocation }, client, refreshToken] = visit.found('server', 'registration', 'refresh')
  if (revocation === undefined) throw new Skipped('The metadata has no revocation_endpoint.')
  const fields = { token: refreshToken, token_type_hint: 'refresh_token', client_id: client.id }
  const answer = await visit.wire.ask(revocation, form(fields))
  if (answer.status !== 200) throw fault('revocation-fails', answer)
  const repeat = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client.id }
  const again = await send(visit, proving(visit, form(repeat)))
  if (again.status !== 200) return
  visit.hide(...Object.values(again.members))
  throw fault('revocation-without-effect', {})
}

/** Redeems a credential. @returns The tokens of the response (RFC 6749 section 5.1). */
async function redeem(visit: Visit, fields: Record<string, string>): Promise<Found['sign-in']> {
  const [server, client, { resource }] = visit.found('server', 'registration', 'resource')
  const asked = form({ ...fields, client_id: client.id, resource })
  const isRefresh = fields.grant_type === 'refresh_token'
  // A code comes without a proof first, as from most assistants.
  const answer = await ask(visit, isRefresh && takesProofs(server) ? proving(visit, asked) : asked)
  const { access_token, refresh_token, token_type, expires_in } = jsonOf(answer)
  const credential = isRefresh ? 'refresh token' : 'code'
  if (answer.status !== 200) throw fault('credential-refused', { ...answer, credential })
  visit.hide(access_token, refresh_token)
  const missing = (member: string) => fault('member-missing', { ...answer, member })
  if (typeof access_token !== 'string' || access_token === '') throw missing('access_token')
  if (typeof token_type !== 'string' || !/^(bearer|dpop)$/i.test(token_type)) throw missing('token_type')
  if (expires_in !== undefined && typeof expires_in !== 'number') throw missing('expires_in')
  return {
    accessToken: access_token,
    refreshToken: typeof refresh_token === 'string' ? refresh_token : undefined,
    isBound: token_type.toLowerCase() === 'dpop',
  }
}
