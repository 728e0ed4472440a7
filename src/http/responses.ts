import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OAuthError } from '../protocol/oauth-error'
import { anyOrigin } from './cors'

const notStored = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/** Answers with JSON that no cache may keep (RFC 6749 section 5.1). */
export function respondWithJson(res: ServerResponse, body: unknown, { status = 200 }: { status?: number } = {}): void {
  send(res, status, { ...anyOrigin, ...notStored }, JSON.stringify(body))
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
  respondLast(res, () => {
    // One by one: an error of the host's may spell a header in its own way, which must not come twice.
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    send(res, error.status, notStored, JSON.stringify(error))
  })
}

/**
 * Answers where nobody is left to catch an error: ends the connection where an answer has begun, which cannot be taken back, and where
 * this one cannot be sent, as the headers of an error of the host's may be.
 */
export function respondLast(res: ServerResponse, respond: () => void): void {
  try {
    if (res.headersSent) res.destroy()
    else respond()
  } catch {
    res.destroy()
  }
}

/** Answers with a public document, which the client may keep for `maxAge` seconds, and not at all if it has it already. */
export function respondWithDocument(req: IncomingMessage, res: ServerResponse, document: object, maxAge: number): void {
  const body = JSON.stringify(document)
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const headers = { ...anyOrigin, 'Cache-Control': `public, max-age=${maxAge}`, ETag: etag }
  if (isKnown(etag, req.headers['if-none-match'])) res.writeHead(304, headers).end()
  else send(res, 200, headers, body)
}

/** RFC 9110 section 13.1.2. */
function isKnown(etag: string, ifNoneMatch = ''): boolean {
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}

function send(res: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  res
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers })
    .end(body)
}
