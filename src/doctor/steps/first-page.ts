import { randomBytes } from 'node:crypto'
import { codeChallengeOf } from '../../protocol/pkce'
import type { Answer } from '../answer'
import type { Wire } from '../wire'
import type { Client } from './registration'
import type { ResourceFound } from './resource'
import type { ServerFound } from './server'

/** An authorization request (RFC 6749 section 4.1.1) with PKCE (RFC 7636) and a resource (RFC 8707). */
export interface SignInRequest {
  url: string
  state: string
  codeVerifier: string
}

/** @param scope What the challenge of the API asks for. */
export function signInRequest(
  server: ServerFound,
  client: Pick<Client, 'id' | 'redirectUri'>,
  { resource }: ResourceFound,
  scope: string | undefined,
): SignInRequest {
  const [state, codeVerifier] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')]
  const url = new URL(server.authorization)
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    code_challenge: codeChallengeOf(codeVerifier),
    code_challenge_method: 'S256',
    state,
    resource,
    ...(scope && { scope }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, state, codeVerifier }
}

/** Opens the page as a browser does. */
export function openPage(wire: Wire, url: string): Promise<Answer> {
  return wire.ask(url, { headers: { Accept: 'text/html,application/xhtml+xml', 'Accept-Language': 'en' } })
}

/** The error that a page or a redirect names, if it names one of RFC 6749 and its followers. */
export function errorIn(answer: Answer): string {
  const inRedirect = answer.redirect?.searchParams.get('error')
  const [inPage] =
    /\b(invalid_(request|client|scope|target|redirect_uri)|unauthorized_client|access_denied|server_error|temporarily_unavailable|unsupported_response_type|not_found)\b/.exec(
      answer.text,
    ) ?? []
  return inRedirect ?? answer.error ?? inPage ?? ''
}
