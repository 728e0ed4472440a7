import type { IncomingMessage, ServerResponse } from 'node:http'
import { raw } from 'body-parser'
import { parse } from 'content-type'
import { type OAuthError, oauthError } from '../protocol/oauth-error'

const maxBytes = 16 * 1024
// Not body-parser's `urlencoded` and `json`: the first merges repeated parameters and reads brackets as structure, the second sets
// prototypes.
const readBytes = raw({ type: () => true, limit: maxBytes })
const utf8 = new TextDecoder()

/** A request whose body the host's own body parser may have read already. */
type HostRequest = IncomingMessage & { body?: unknown }

/**
 * Reads a body of at most 16 KiB, or takes what the host's body parser has made of it.
 *
 * @throws {OAuthError} `invalid_request`: 413 if the body is too large, 400 if it has another type or charset, or cannot be read.
 */
export async function readBody(req: HostRequest, res: ServerResponse, mediaType: string): Promise<unknown> {
  const { headers } = req
  checkMediaType(headers['content-type'], mediaType)
  if (Number(headers['content-length']) > maxBytes) throw tooLarge()
  return req.readableDidRead || req.readableEnded ? req.body : await readStream(req, res)
}

function checkMediaType(contentType = '', mediaType: string): void {
  if (contentType === mediaType) return
  const { type, parameters } = parse(contentType)
  if (type !== mediaType) throw oauthError('invalid_request', `Content-Type must be ${mediaType}`)
  if (parameters.charset !== undefined && parameters.charset.toLowerCase() !== 'utf-8') {
    throw oauthError('invalid_request', 'charset must be UTF-8')
  }
}

function readStream(req: HostRequest, res: ServerResponse): Promise<unknown> {
  return new Promise((resolve, reject) => {
    readBytes(req, res, (error?: Error & { type?: string }) => {
      if (!error && isCutOff(req)) reject(unreadable(new Error('The client hung up')))
      else if (!error) resolve(decodeBody(req))
      else if (error.type === 'entity.too.large') reject(tooLarge())
      else reject(unreadable(error))
    })
  })
}

/** Whether the client hung up before the body was complete; `raw` then reports no error. */
function isCutOff(req: IncomingMessage): boolean {
  return req.destroyed && !req.complete
}

/** Decodes the bytes in `req.body`, and leaves the text there for the host to read. */
function decodeBody(req: HostRequest): unknown {
  if (Buffer.isBuffer(req.body)) req.body = utf8.decode(req.body)
  return req.body
}

function unreadable({ type, message }: Error & { type?: string }): OAuthError {
  const encoding = type === 'encoding.unsupported'
  const description = encoding ? 'Content-Encoding must be gzip, deflate, br or none' : 'The body cannot be read'
  return oauthError('invalid_request', description, { detail: { reason: message } })
}

function tooLarge(): OAuthError {
  return oauthError('invalid_request', `The body must not be larger than ${maxBytes} bytes`, { status: 413 })
}
