import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OAuthError } from '../protocol/oauth-error'
import { nosniff } from './browser-headers'
import { anyOrigin } from './cors'
import type { PublicDocument } from './public-documents'

const notStored = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
const forAnyOrigin = { ...notStored, ...anyOrigin }

/** Answers with JSON that no cache may keep (RFC 6749 section 5.1). */
export function respondWithJson(
  res: ServerResponse,
  body: unknown,
  { status = 200 }: { status?: number | undefined } = {},
): void {
  send(res, status, forAnyOrigin, JSON.stringify(body))
}

/** Answers with an OAuth error (RFC 6749 section 5.2). */
export function respondWithError(res: ServerResponse, error: OAuthError): void {
  sendError(res, error, { ...anyOrigin, ...error.headers })
}

/** Answers with an OAuth error in the place of the host's own API, where the host says which origins may read it. */
export function respondAsApi(res: ServerResponse, error: OAuthError): void {
  sendError(res, error, error.headers)
}

function sendError(res: ServerResponse, error: OAuthError, headers: Readonly<Record<string, string>>): void {
  respondFinally(res, () => {
    // One by one: an error of the host's may spell a header in its own way, which must not come twice.
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    send(res, error.status, notStored, JSON.stringify(error))
  })
}

/**
 * Answers where nobody is left to catch an error: ends the connection where an answer has begun, which cannot be taken back, and where
 * this one cannot be sent, as the headers of an error of the host's may be.
 */
export function respondFinally(res: ServerResponse, respond: () => void): void {
  try {
    if (res.headersSent) res.destroy()
    else respond()
  } catch {
    res.destroy()
  }
}

/** Answers with a public document, or with its headers alone where the client has it already. */
export function respondWithDocument(
  { headers: { 'if-none-match': known } }: IncomingMessage,
  res: ServerResponse,
  { body, etag, headers }: PublicDocument,
): void {
  if (known !== undefined && names(known, etag)) res.writeHead(304, { ...nosniff, ...headers }).end()
  else send(res, 200, headers, body)
}

/** Whether a list of entity tags names this one (RFC 9110 section 13.1.2). */
function names(list: string, etag: string): boolean {
  const tags = list.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

function send(res: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  res
    .writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...nosniff,
      ...headers,
    })
    .end(body)
}
