import type { IncomingMessage, ServerResponse } from 'node:http'
import { oauthError } from '../protocol/oauth-error'
import { readBody, textOf } from './body'

/**
 * Reads a JSON object of at most 16 KiB.
 *
 * @throws {OAuthError} `invalid_request` if the body is anything else.
 */
export async function readJson(req: IncomingMessage, res: ServerResponse): Promise<Record<string, unknown>> {
  const body = await readBody(req, res, 'application/json')
  const text = textOf(body)
  const value = text === undefined ? body : parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw oauthError('invalid_request', 'The body must be a JSON object')
}

/** @returns Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
