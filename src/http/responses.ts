import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OAuthError } from '../protocol/oauth-error'
import { nosniff } from './browser-headers'
import { anyOrigin, removeCredentials } from './cors'
import type { PublicDocument } from './public-documents'
import { sendResponse } from './send-response'

const notStored = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
const basicChallenge = { 'WWW-Authenticate': 'Basic realm="client_id"' }
const forAnyOrigin = { ...notStored, ...anyOrigin }

/** Sends JSON that no cache may store (RFC 6749 section 5.1). */
export function respondWithJson(
  res: ServerResponse,
  body: unknown,
  { status = 200 }: { status?: number | undefined } = {},
): void {
  removeCredentials(res)
  send(res, status, forAnyOrigin, JSON.stringify(body))
}

/** Sends an OAuth error (RFC 6749 section 5.2). */
export function respondWithError(res: ServerResponse, error: OAuthError): void {
  respondFinally(res, () => {
    removeCredentials(res)
    // RFC 9110 section 15.5.2 wants a challenge with every 401.
    const challenge = error.status === 401 && basicChallenge
    sendError(res, error, { ...anyOrigin, ...challenge, ...error.headers })
  })
}

/** Sends an OAuth error as a response of the host's own API: the host decides which origins may read it. */
export function respondAsApi(res: ServerResponse, error: OAuthError): void {
  respondFinally(res, () => sendError(res, error, error.headers))
}

/**
 * Challenges a request of the host's own API that has no credentials. The response has no error code (RFC 6750 section 3.1), and is JSON for
 * the clients that read every response as JSON.
 */
export function respondWithChallenge(res: ServerResponse, challenge: string): void {
  respondFinally(res, () => {
    res.setHeader('WWW-Authenticate', challenge)
    send(res, 401, notStored, '{}')
  })
}

function sendError(res: ServerResponse, error: OAuthError, headers: Readonly<Record<string, string>>): void {
  // `setHeader` replaces a header in any capitals, so that a header of the host's error never comes twice.
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  send(res, error.status, notStored, JSON.stringify(error))
}

/**
 * Sends the last response of a failed request, and never throws, because no caller is left to catch an error. Destroys the connection if a
 * response has already begun, or if this one cannot be sent, for example because an error of the host's has invalid headers.
 */
export function respondFinally(res: ServerResponse, respond: () => void): void {
  try {
    if (res.headersSent) res.destroy()
    else respond()
  } catch {
    res.destroy()
  }
}

/** Sends a public document, or only its headers (304) if the client already has this version of it. */
export function respondWithDocument(
  { headers: { 'if-none-match': ifNoneMatch } }: IncomingMessage,
  res: ServerResponse,
  { body, etag, headers }: PublicDocument,
): void {
  removeCredentials(res)
  const varying = { ...headers, Vary: [res.getHeader('Vary') ?? [], headers.Vary].flat().join(', ') }
  if (matchesEtag(ifNoneMatch, etag)) sendResponse(res, 304, { ...nosniff, ...varying })
  else send(res, 200, varying, body)
}

/** Whether `If-None-Match` lists this entity tag (RFC 9110 section 13.1.2). */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

function send(res: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  const length = Buffer.byteLength(body)
  sendResponse(
    res,
    status,
    { 'Content-Type': 'application/json', 'Content-Length': length, ...nosniff, ...headers },
    body,
  )
}
