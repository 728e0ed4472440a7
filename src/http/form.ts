import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { OAuthError } from '../protocol/oauth-error'
import { readBody } from './body'

/** The parameters of a form or query (RFC 6749 section 3.2). One that is sent without a value counts as not sent. */
export class Form {
  readonly #values: Map<string, string[]>

  /**
   * @param parameters By name, as text or as a list where they are repeated.
   * @param repeatable The parameters that may be sent more than once.
   * @throws {OAuthError} `invalid_request` where another one is, or where one is no text.
   */
  constructor(parameters: Readonly<Record<string, unknown>>, repeatable: readonly string[] = []) {
    this.#values = checkedValues(parameters, repeatable)
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

/** Reads a form body of at most 16 KiB, with the parameters that may be sent more than once. */
export async function readForm(
  req: IncomingMessage,
  res: ServerResponse,
  { repeatable = [] }: { repeatable?: readonly string[] | undefined } = {},
): Promise<Form> {
  const body = await readBody(req, res, 'application/x-www-form-urlencoded')
  if (typeof body === 'string' || Buffer.isBuffer(body)) return new Form(parametersOf(body.toString()), repeatable)
  return new Form(typeof body === 'object' && body !== null ? { ...body } : {}, repeatable)
}

/** The parameters of a form-encoded text, however many. */
export function parametersOf(text: string): Record<string, string | string[] | undefined> {
  return parse(text, '&', '=', { maxKeys: 0 })
}

function checkedValues(
  parameters: Readonly<Record<string, unknown>>,
  repeatable: readonly string[],
): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const name of Object.keys(parameters)) {
    const value = parameters[name]
    if (value === '') continue
    const given = typeof value === 'string' ? [value] : repeated(name, value, repeatable)
    if (given.length > 0) values.set(name, given)
  }
  return values
}

function repeated(name: string, value: unknown, repeatable: readonly string[]): string[] {
  // The name can be any text, and the description can be read on a page of this server's.
  const named = /^[\w.-]{1,40}$/.test(name) ? name : 'Each parameter'
  if (Array.isArray(value) && !repeatable.includes(name)) {
    throw new OAuthError('invalid_request', `${named} must be sent once, as plain text`)
  }
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new OAuthError('invalid_request', `${named} must be plain text`)
  }
  return value.filter((text) => text !== '')
}
