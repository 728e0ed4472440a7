import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { parse as parseQuery } from 'node:querystring'
import { types } from 'node:util'
import { raw } from 'body-parser'
import { parse } from 'content-type'
import { isObject } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { misconfigured, type OAuthError, oauthError } from '../protocol/oauth-error'

/** The parameters of a form or query (RFC 6749 section 3.2). A parameter without a value counts as omitted. */
export class Form {
  readonly #values = new Map<string, string[]>()

  /**
   * @param parameters By name: a string, or an array if the parameter is repeated.
   * @param repeatable The parameters that may be repeated.
   * @throws {OAuthError} `invalid_request` if another parameter is repeated, or if a value is not a string.
   */
  constructor(parameters: Readonly<Record<string, unknown>>, repeatable: readonly string[]) {
    for (const name of Object.keys(parameters)) {
      const sent = checkedValue(name, parameters[name], repeatable)
      if (sent.length > 0) this.#values.set(name, sent)
    }
  }

  /** The first value of a parameter, or undefined if it was omitted. */
  get(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  /** @throws {OAuthError} `invalid_request` if the parameter was omitted. */
  required(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw oauthError('invalid_request', `${name} is missing`)
    return value
  }

  /** All values of a repeatable parameter. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}

/**
 * Reads a form body of at most 16 KiB.
 *
 * @param options.repeatable The parameters that may be repeated. Default none.
 * @throws {OAuthError} `invalid_request` for any other body.
 */
export function readForm(req: IncomingMessage, res: ServerResponse, { repeatable = [] as readonly string[] } = {}) {
  return readBody(req, res, formType).then((body) => new Form(parametersIn(body), repeatable))
}

/** Reads a form of the host's page. Fields can be repeated; what is not text is left out. @throws {OAuthError} As {@link readForm} does. */
export async function readFormOfHost(req: IncomingMessage, res: ServerResponse): Promise<URLSearchParams> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(parametersIn(await readBody(req, res, formType)))) {
    for (const item of [value].flat()) if (typeof item === 'string') form.append(name, item)
  }
  return form
}

/** The parameters of a form body, or what the host's body parser has made of them. */
function parametersIn(body: unknown): Record<string, unknown> {
  const text = textOf(body)
  if (text !== undefined) return parametersOf(text)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

const formType = 'application/x-www-form-urlencoded'

/** Decodes a form-encoded text, however many parameters it has. */
export function parametersOf(text: string): Record<string, string | string[] | undefined> {
  return parseQuery(text, '&', '=', { maxKeys: 0 })
}

/** The values of a parameter that are not empty. */
function checkedValue(name: string, value: unknown, repeatable: readonly string[]): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  // A stranger chooses the name, and the description is shown on a page of this server.
  const shownName = /^[\w.-]{1,40}$/.test(name) ? name : 'Each parameter'
  if (Array.isArray(value) && !repeatable.includes(name)) {
    throw oauthError('invalid_request', `${shownName} must be sent once, as a string`)
  }
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw oauthError('invalid_request', `${shownName} must be a string`)
  }
  return value.filter((item) => item !== '')
}

const maxBytes = 16 * 1024
// Not body-parser's `urlencoded` and `json`: the first merges repeated parameters and reads brackets as structure, the second sets
// prototypes.
const readBytes = raw({ type: () => true, limit: maxBytes })
const utf8 = new TextDecoder()

/** A request whose body the host's own body parser may have read already. In HTTP/2, it has a stream of its own. */
type HostRequest = IncomingMessage & { body?: unknown; stream?: ServerHttp2Stream | undefined }

/**
 * Reads a body of at most 16 KiB, or takes what the host's body parser has made of it: text, bytes, `URLSearchParams`, or plain values.
 *
 * @returns Undefined if the request has no body.
 * @throws {OAuthError} `invalid_request`: 413 if the body is too large, 400 if it has another type or charset, or cannot be read;
 * `server_error` if something in front has read the body and left nothing that can be used.
 */
export function readBody(req: HostRequest, res: ServerResponse, mediaType: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const { headers } = req
    checkMediaType(headers['content-type'], mediaType)
    if (Number(headers['content-length']) > maxBytes) throw tooLarge()
    const take = (body: unknown) => {
      if (isUsable(body) || (body === undefined && !hasBody(req))) resolve(body)
      else if (isCutOff(req) || res.writableEnded) reject(unreadable({ message: 'The request has ended' }))
      else reject(readInFront(body))
    }
    if (req.readableDidRead || req.readableEnded) take(req.body)
    else readStream(req, res, (refusal) => (refusal ? reject(refusal) : take(req.body)))
  })
}

function checkMediaType(contentType = '', mediaType: string): void {
  if (contentType === mediaType) return
  const { type, parameters } = parse(contentType)
  if (type !== mediaType) throw oauthError('invalid_request', `Content-Type must be ${mediaType}`)
  if (parameters.charset !== undefined && !/^utf-?8$/i.test(parameters.charset)) {
    throw oauthError('invalid_request', 'charset must be UTF-8')
  }
}

/** Reads the body, and leaves its text in `req.body` for the host to read. */
function readStream(req: HostRequest, res: ServerResponse, done: (refusal?: OAuthError) => void): void {
  const { headers } = req
  // body-parser goes by a header to know that there is a body. HTTP/2 needs no header for that, and forbids this one.
  const isOfHttp2 = req.httpVersionMajor >= 2
  if (isOfHttp2) headers['transfer-encoding'] = 'chunked'
  readBytes(req, res, (error?: Error & { type?: string }) => {
    if (error) return done(error.type === 'entity.too.large' ? tooLarge() : unreadable(error))
    if (isCutOff(req)) return done(unreadable({ message: 'The client hung up' }))
    if (Buffer.isBuffer(req.body)) req.body = utf8.decode(req.body)
    done()
  })
  if (isOfHttp2) headers['transfer-encoding'] = undefined
}

/** Whether a body belongs to the request, by its head alone. */
function hasBody({ headers, stream }: HostRequest): boolean {
  if (stream?.endAfterHeaders !== undefined) return !stream.endAfterHeaders
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/** Whether the client hung up, or framed the body wrongly, before the body was complete; `raw` then reports no error. */
function isCutOff({ stream, destroyed, complete, socket }: HostRequest): boolean {
  // Node destroys the socket before the request. A host without sockets may have none here.
  const isOver = destroyed || (socket as Socket | undefined)?.readable === false
  return stream?.aborted || (isOver && !complete)
}

/** The text of a body that nothing has parsed yet, or undefined. */
export function textOf(body: unknown): string | undefined {
  if (types.isUint8Array(body)) return utf8.decode(body)
  return typeof body === 'string' || body instanceof URLSearchParams ? String(body) : undefined
}

/** Whether it is what body parsers leave: not a promise, a stream or a `FormData`, whose members nobody can see. */
function isUsable(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return body !== undefined
  const prototype: unknown = Object.getPrototypeOf(body)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return isPlain || Array.isArray(body) || textOf(body) !== undefined
}

function unreadable({ type, message }: { type?: string; message: string }): OAuthError {
  const encoding = type === 'encoding.unsupported'
  const description = encoding ? 'Content-Encoding must be gzip, deflate, br or none' : 'The body cannot be read'
  return oauthError('invalid_request', description, { detail: { reason: message } })
}

/** The body has been read, so the request cannot be answered. The client has done nothing wrong, and only the operator can do something. */
function readInFront(left: unknown): OAuthError {
  const problem = left === undefined ? 'is not set' : 'is neither text, bytes, URLSearchParams nor a plain object'
  const cause = new ConfigurationError('req.body', undefined, 'what the body parser in front has made of the body', {
    says: `${problem}, but something in front has read the body: mount signIn before that, or let it put what it reads into req.body`,
  })
  return misconfigured('Customer sign-in is misconfigured at this address', cause)
}

function tooLarge(): OAuthError {
  return oauthError('invalid_request', `The body must not be larger than ${maxBytes} bytes`, { status: 413 })
}

/** Reads a JSON object of at most 16 KiB. @throws {OAuthError} `invalid_request` if the body is anything else. */
export async function readJson(req: IncomingMessage, res: ServerResponse): Promise<Record<string, unknown>> {
  const body = await readBody(req, res, 'application/json')
  const text = textOf(body)
  try {
    const value: unknown = text === undefined ? body : JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // It is not JSON, and is refused like JSON that is no object.
  }
  throw oauthError('invalid_request', 'The body must be a JSON object')
}
