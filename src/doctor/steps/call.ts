import { bearerChallenge } from '../challenge'
import { interference } from '../judge'
import { fault, type Notes } from '../report'
import type { Wire } from '../wire'
import type { ApiFound } from './api'
import type { Tokens } from './tokens'

/** Sends the first request again, with the access token (RFC 6750 section 2.1). */
export async function callApi(
  notes: Notes,
  wire: Wire,
  address: string,
  { asked }: ApiFound,
  { accessToken }: Tokens,
): Promise<void> {
  const headers = { ...asked.headers, Authorization: `Bearer ${accessToken}` }
  const answer = await wire.ask(address, { ...asked, headers })
  const { request, status } = answer
  const challenge = bearerChallenge(answer.header('www-authenticate') ?? '')
  const error = challenge?.error ?? answer.error ?? ''
  const description = challenge?.error_description ?? answer.errorDescription
  if (status === 403 && error === 'insufficient_scope')
    throw fault('scope-insufficient', { request, scope: challenge?.scope ?? '' })
  if (status === 401 || (status === 403 && challenge))
    throw fault('token-rejected', { request, status: String(status), error, description })
  const replaced = interference(answer)
  if (replaced) throw replaced
  if (status === 400 && isParseError(answer.json?.error)) throw fault('body-read-before', { request })
  if (status === 403) throw fault('call-fails', { request, status: String(status) })
  if (status >= 400) notes.note(`The API let the token through, and answered the request with ${status}.`)
}

/** JSON-RPC 2.0 section 5.1. The message itself is valid. */
function isParseError(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === -32700
}
