import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { text } from 'body-parser'
import { OAuthError } from '../protocol/oauth-error'

const mostBytes = 16 * 1024
const mediaType = 'application/x-www-form-urlencoded'
// Not `urlencoded`: that folds repeated parameters and reads brackets as structure.
const readText = text({ type: () => true, limit: mostBytes, defaultCharset: 'utf-8' })

/** The parameters of a form body (RFC 6749 section 3.2). One that is sent without a value counts as not sent. */
export class Form {
  readonly #values: Map<string, string[]>

  constructor(values: Map<string, string[]>) {
    this.#values = values
  }

  get(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  /** @throws {OAuthError} `invalid_request` where it was not sent. */
  required(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`)
    return value
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}

/**
 * Reads a form body of at most 16 KiB, or takes what a body parser of the host's has made of it.
 *
 * @param options.repeatable The parameters that may be sent more than once.
 * @throws {OAuthError} `invalid_request`: 413 where it is too large, 400 where it is no UTF-8 form or repeats a parameter.
 */
export async function readForm(
  req: IncomingMessage & { body?: unknown },
  res: ServerResponse,
  { repeatable }: { repeatable: readonly string[] },
): Promise<Form> {
  checkMediaType(req.headers['content-type'])
  if (Number(req.headers['content-length']) > mostBytes) throw tooLarge()
  const parsedByHost = req.readableDidRead || req.readableEnded
  return new Form(checkedValues(parsedByHost ? req.body : await bodyOf(req, res), repeatable))
}

function checkMediaType(contentType = ''): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/.exec(parameter)?.[1]).find(Boolean)
  if (type.trim() !== mediaType) throw new OAuthError('invalid_request', `Content-Type must be ${mediaType}`)
  if (charset !== undefined && charset !== 'utf-8') throw new OAuthError('invalid_request', 'charset must be UTF-8')
}

function bodyOf(req: IncomingMessage & { body?: unknown }, res: ServerResponse): Promise<unknown> {
  return new Promise((resolve, reject) => {
    readText(req, res, (error?: Error & { type?: string }) => {
      if (!error) resolve(req.body)
      else if (error.type === 'entity.too.large') reject(tooLarge())
      else reject(new OAuthError('invalid_request', 'The body cannot be read', { detail: { reason: error.message } }))
    })
  })
}

function checkedValues(body: unknown, repeatable: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of Object.entries(parametersOf(body))) {
    const sent = [value].flat().filter((item) => item !== '')
    if (!sent.every((item) => typeof item === 'string')) {
      throw new OAuthError('invalid_request', `${name} must be plain text`)
    }
    if (sent.length > 1 && !repeatable.includes(name)) {
      throw new OAuthError('invalid_request', `${name} must not be sent more than once`)
    }
    if (sent.length > 0) values.set(name, sent)
  }
  return values
}

function parametersOf(body: unknown): object {
  if (typeof body === 'string') return parse(body, '&', '=', { maxKeys: 0 })
  if (Buffer.isBuffer(body)) return parse(body.toString('utf8'), '&', '=', { maxKeys: 0 })
  return typeof body === 'object' && body !== null ? body : {}
}

function tooLarge(): OAuthError {
  return new OAuthError('invalid_request', `The body must not be larger than ${mostBytes} bytes`, { status: 413 })
}
