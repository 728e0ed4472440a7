import { hash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { OAuthError } from '../protocol/oauth-error'

/** Keeps browsers from guessing a type other than `Content-Type` (Fetch section 3.6). Every response of this library has this header. */
export const nosniff = { 'X-Content-Type-Options': 'nosniff' }

/**
 * Every page and redirect of the sign-in has this header: clients in a browser open the sign-in in a new window and wait for that window
 * to close. Any other policy, such as one that middleware has set for the whole host, would separate the two windows for good.
 */
export const keepsOpener = { 'Cross-Origin-Opener-Policy': 'unsafe-none' }

/** Lets clients in a browser read a response, whatever their origin. These endpoints read no cookie, so another site can borrow no session. */
const anyOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After, DPoP-Nonce',
}

const preflight = {
  ...anyOrigin,
  ...nosniff,
  'Access-Control-Allow-Methods': 'GET, HEAD, POST',
  // Whatever a client's tracing adds: no endpoint reads cookies. The asterisk does not stand for Authorization (Fetch section 4.9), nor for anything in old browsers.
  'Access-Control-Allow-Headers': '*, Authorization, Content-Type, DPoP, MCP-Protocol-Version',
  'Access-Control-Max-Age': '600',
  'Content-Length': '0',
}

/** Answers a CORS preflight. @returns Whether the request was one. */
export function answerPreflight(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.method !== 'OPTIONS') return false
  removeCredentials(res)
  sendResponse(res, 204, preflight)
  return true
}

/**
 * Takes back that middleware in front, such as `cors({ credentials: true })`, has let pages of other origins send cookies: browsers refuse a
 * response that has both this header and `anyOrigin` (Fetch section 3.3.5), and no endpoint for clients reads a cookie.
 */
function removeCredentials(res: ServerResponse): void {
  res.removeHeader('Access-Control-Allow-Credentials')
}

/**
 * Takes back that middleware in front has let pages of other origins read a response: the authorization endpoint has no CORS (RFC 9700
 * section 2.6), because what it answers is for the customer who is signed in.
 */
export function removeCors(res: ServerResponse): void {
  res.removeHeader('Access-Control-Allow-Origin')
  removeCredentials(res)
}

const notStored = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
const basicChallenge = { 'WWW-Authenticate': 'Basic realm="client_id"' }
const forAnyOrigin = { ...notStored, ...anyOrigin }

/** Sends JSON that no cache may store (RFC 6749 section 5.1). */
export function respondWithJson(res: ServerResponse, body: unknown, status = 200): void {
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

// Proxies such as that of MCP Inspector 0.17 pass on the body alone: a client behind one knows a 401 by this word in it.
const unauthorized = { message: 'Unauthorized' }

/** Sends an OAuth error as a response of the host's own API: the host decides which origins may read it. */
export function respondAsApi(res: ServerResponse, error: OAuthError): void {
  const more = error.status === 401 ? unauthorized : {}
  respondFinally(res, () => sendError(res, error, error.headers, more))
}

/**
 * Challenges a request of the host's own API that has no credentials. The response has no error code (RFC 6750 section 3.1), and is JSON for
 * the clients that read every response as JSON.
 */
export function respondWithChallenge(res: ServerResponse, challenge: string): void {
  respondFinally(res, () => {
    res.setHeader('WWW-Authenticate', challenge)
    send(res, 401, notStored, JSON.stringify(unauthorized))
  })
}

function sendError(res: ServerResponse, error: OAuthError, headers: Readonly<Record<string, string>>, more = {}): void {
  // `setHeader` replaces a header in any capitals, so that a header of the host's error never comes twice.
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  send(res, error.status, notStored, JSON.stringify({ ...error.toJSON(), ...more }))
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

type PublicDocument = ReturnType<typeof publicDocument>

/** Makes a document that anyone may read and cache for five minutes, ready to be sent. */
export function publicDocument(members: object) {
  const body = JSON.stringify(members)
  return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` }
}

/** The public documents that were made before: to make one takes longer than the rest of a response. */
export class PublicDocuments {
  readonly #documents = new WeakMap<object, PublicDocument>()

  /**
   * Returns the document of an object, and makes it if there is none. It is forgotten with the object.
   *
   * @param of Decides what the members are, and must never change: other members need another object.
   */
  get(of: object, members: () => object): PublicDocument {
    const known = this.#documents.get(of)
    if (known) return known
    const made = publicDocument(members())
    this.#documents.set(of, made)
    return made
  }
}

/** Sends a public document, or only its headers (304) if the client already has this version of it. */
export function respondWithDocument(req: IncomingMessage, res: ServerResponse, { body, etag }: PublicDocument): void {
  removeCredentials(res)
  // Behind a proxy that Express trusts, the addresses in a document can come from these headers. Every cache goes by `Host` anyway.
  const vary = [res.getHeader('Vary') ?? [], 'X-Forwarded-Host, X-Forwarded-Proto'].flat().join(', ')
  const headers = { 'Cache-Control': 'public, max-age=300', ETag: etag, Vary: vary, ...anyOrigin }
  if (matchesEtag(req.headers['if-none-match'], etag)) sendResponse(res, 304, { ...nosniff, ...headers })
  else send(res, 200, headers, body)
}

/** Whether `If-None-Match` lists this entity tag (RFC 9110 section 13.1.2). */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}

function send(res: ServerResponse, status: number, headers: Record<string, string>, body: string): void {
  const all = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...nosniff, ...headers }
  sendResponse(res, status, all, body)
}

/** Sends a whole response. Not in one chain of calls: Restify's `writeHead` returns nothing. */
export function sendResponse(res: ServerResponse, status: number, headers: OutgoingHttpHeaders, body?: string): void {
  res.writeHead(status, headers)
  res.end(body)
}
