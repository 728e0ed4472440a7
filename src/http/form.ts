import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { oauthError } from '../protocol/oauth-error'
import { readBody, textOf } from './body'

/** The parameters of a form or query (RFC 6749 section 3.2). A parameter without a value counts as omitted. */
export class Form {
  readonly #values: Map<string, string[]>

  /**
   * @param parameters By name: a string, or an array if the parameter is repeated.
   * @param repeatable The parameters that may be repeated.
   * @throws {OAuthError} `invalid_request` if another parameter is repeated, or if a value is not a string.
   */
  constructor(parameters: Readonly<Record<string, unknown>>, repeatable: readonly string[]) {
    this.#values = checkedValues(parameters, repeatable)
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
export async function readForm(
  req: IncomingMessage,
  res: ServerResponse,
  { repeatable = [] }: { repeatable?: readonly string[] | undefined } = {},
): Promise<Form> {
  return new Form(await readParameters(req, res), repeatable)
}

/**
 * Reads a form of the host's own page, whose fields can be repeated. What is not text is left out.
 *
 * @throws {OAuthError} As {@link readForm} does for a body that is no form.
 */
export async function readFormOfHost(req: IncomingMessage, res: ServerResponse): Promise<URLSearchParams> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(await readParameters(req, res))) {
    for (const item of [value].flat()) if (typeof item === 'string') form.append(name, item)
  }
  return form
}

/** The parameters of a form body, or what the host's body parser has made of them. */
async function readParameters(req: IncomingMessage, res: ServerResponse): Promise<Record<string, unknown>> {
  const body = await readBody(req, res, 'application/x-www-form-urlencoded')
  const text = textOf(body)
  if (text !== undefined) return parametersOf(text)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** Decodes a form-encoded text, however many parameters it has. */
export function parametersOf(text: string): Record<string, string | string[] | undefined> {
  return parse(text, '&', '=', { maxKeys: 0 })
}

function checkedValues(
  parameters: Readonly<Record<string, unknown>>,
  repeatable: readonly string[],
): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const name of Object.keys(parameters)) {
    const sent = checkedValue(name, parameters[name], repeatable)
    if (sent.length > 0) values.set(name, sent)
  }
  return values
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
