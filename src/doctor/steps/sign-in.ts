import { isLoopbackHost } from '../../protocol/loopback'
import { webAddress } from '../addresses'
import { notJson } from '../judge'
import type { Secrets } from '../printable'
import { fault, type Notes, Skipped } from '../report'
import type { Wire } from '../wire'
import { compareClocks } from './clock'
import { signInRequest } from './first-page'
import type { Client } from './registration'
import type { ResourceFound } from './resource'
import type { ServerFound } from './server'
import { form } from './token'
import { type Tokens, tokensIn } from './tokens'

/** A browser in which somebody signs in, and the address to which it comes back. */
export interface SignInWindow {
  redirectUri: string
  /** How long the browser may take, in minutes. */
  minutes: number
  /** Opens an address. @returns The parameters with which the browser comes back, or undefined if it does not. */
  open(url: string): Promise<URLSearchParams | undefined>
}

/** RFC 6749 sections 4.1.1 to 4.1.4, with `iss` (RFC 9207). */
export async function signIn(
  notes: Notes,
  wire: Wire,
  secrets: Secrets,
  window: SignInWindow,
  server: ServerFound,
  client: Client,
  resource: ResourceFound,
  scope: string | undefined,
): Promise<Tokens> {
  if (client.source === 'document') throw new Skipped('Nobody signs in as an assistant here: give a --client-id.')
  const request = signInRequest(server, client, resource, scope)
  if (!webAddress(request.url)) throw new Skipped('The authorization endpoint is no web address.')
  if (isReadByOthers(server)) throw new Skipped('Others could read the tokens: the token endpoint is not on https.')
  if (isNamedElsewhere(resource)) throw new Skipped('The app names another host as its issuer: mend that first.')
  secrets.add(request.codeVerifier)
  const back = await window.open(request.url)
  if (!back) throw fault('sign-in-abandoned', { minutes: String(window.minutes) })
  secrets.add(back.get('code') ?? undefined)
  checkResponse(back, request.state, server)
  const sent = Date.now()
  const answer = await wire.ask(
    server.token,
    form({
      grant_type: 'authorization_code',
      code: back.get('code') ?? '',
      redirect_uri: client.redirectUri,
      client_id: client.id,
      code_verifier: request.codeVerifier,
      resource: resource.resource,
    }),
  )
  const wrong = notJson(answer)
  if (wrong) throw wrong
  const { status, error = '', errorDescription: description } = answer
  if (status !== 200) throw fault('code-refused', { status: String(status), error, description })
  const tokens = tokensIn(answer.json ?? {}, secrets)
  if (tokens.refreshToken === undefined) notes.find('no-refresh-token', {})
  const issuedAt = issueTimeOf(tokens.accessToken)
  if (issuedAt !== undefined) wire.tellTime('the iat of the access token', issuedAt, sent)
  await compareClocks(notes, wire)
  return tokens
}

/** Whether the endpoints are not on the host of the issuer. They could then get a code of the issuer, with the issuer's own `iss`. */
function isNamedElsewhere({ issuer, reachedAt }: ResourceFound): boolean {
  return new URL(issuer).hostname !== new URL(reachedAt).hostname
}

/** Whether the tokens would go without TLS, although those who log in see https. */
function isReadByOthers({ issuer, token }: ServerFound): boolean {
  const { protocol, hostname } = new URL(token)
  return protocol === 'http:' && issuer.startsWith('https:') && !isLoopbackHost(hostname)
}

/** The authorization response (RFC 6749 section 4.1.2). */
function checkResponse(back: URLSearchParams, state: string, { issuer, namesIssuer }: ServerFound): void {
  const error = back.get('error')
  if (error !== null) throw fault('sign-in-refused', { error, description: back.get('error_description') ?? '' })
  if (back.get('state') !== state) throw fault('state-differs', {})
  const iss = back.get('iss')
  // The code may be that of another server, which this one would then get (RFC 9207 section 2.4).
  if ((iss !== null || namesIssuer) && iss !== issuer)
    throw fault('iss-differs', { value: iss ?? 'missing', expected: issuer })
  if (!back.get('code')) throw fault('no-code', {})
}

/** The `iat` of a JWT, in seconds. Access tokens of other servers may be no JWTs. */
function issueTimeOf(token: string): number | undefined {
  try {
    const { iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return typeof iat === 'number' ? iat : undefined
  } catch {
    return undefined
  }
}
