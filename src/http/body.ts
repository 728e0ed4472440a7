import type { IncomingMessage, ServerResponse } from 'node:http'
import { raw } from 'body-parser'
import { parse } from 'content-type'
import { OAuthError } from '../protocol/oauth-error'

const maxBytes = 16 * 1024
// Not `urlencoded` or `json`: the first folds repeated parameters and reads brackets as structure, the second fills prototypes.
const readBytes = raw({ type: () => true, limit: maxBytes })
const utf8 = new TextDecoder()

/** A body that a host's own body parser may have read already. */
type ParsedByHost = IncomingMessage & { body?: unknown }

/**
 * Reads a body of at most 16 KiB, or takes what a body parser of the host's has made of it.
 *
 * @throws {OAuthError} `invalid_request`: 413 where it is too large, 400 where it is of another type or is not UTF-8.
 */
export async function readBody(req: ParsedByHost, res: ServerResponse, mediaType: string): Promise<unknown> {
  const { headers } = req
  checkMediaType(headers['content-type'], mediaType)
  if (Number(headers['content-length']) > maxBytes) throw tooLarge()
  return req.readableDidRead || req.readableEnded ? req.body : await readStream(req, res)
}

function checkMediaType(contentType = '', mediaType: string): void {
  if (contentType === mediaType) return
  const { type, parameters } = parse(contentType)
  if (type !== mediaType) throw new OAuthError('invalid_request', `Content-Type must be ${mediaType}`)
  if (parameters.charset !== undefined && parameters.charset.toLowerCase() !== 'utf-8') {
    throw new OAuthError('invalid_request', 'charset must be UTF-8')
  }
}

function readStream(req: ParsedByHost, res: ServerResponse): Promise<unknown> {
  return new Promise((resolve, reject) => {
    readBytes(req, res, (error?: Error & { type?: string }) => {
      if (!error && isCutOff(req)) reject(unreadable(new Error('The client hung up')))
      else if (!error) resolve(asText(req))
      else if (error.type === 'entity.too.large') reject(tooLarge())
      else reject(unreadable(error))
    })
  })
}

/** The client can be gone before anybody begins to read. */
function isCutOff(req: IncomingMessage): boolean {
  return req.destroyed && !req.complete
}

/** A host that looks at `req.body` afterwards finds the text as well. */
function asText(req: ParsedByHost): unknown {
  if (Buffer.isBuffer(req.body)) req.body = utf8.decode(req.body)
  return req.body
}

function unreadable({ type, message }: Error & { type?: string }): OAuthError {
  const encoding = type === 'encoding.unsupported'
  const description = encoding ? 'Content-Encoding must be gzip, deflate, br or none' : 'The body cannot be read'
  return new OAuthError('invalid_request', description, { detail: { reason: message } })
}

function tooLarge(): OAuthError {
  return new OAuthError('invalid_request', `The body must not be larger than ${maxBytes} bytes`, { status: 413 })
}
