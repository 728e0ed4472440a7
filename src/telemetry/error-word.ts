import { underlying } from '../protocol/oauth-error'

/**
 * What kind of error was thrown, in a word that needs no secrecy: its code, such as `ECONNREFUSED`, or else the name of its class. Not its
 * message, which may quote what was sent.
 */
export function errorWord(thrown: unknown): string {
  const { code, name } = underlying(thrown) as { code?: unknown; name: string }
  return [code, name].find(isWord) ?? 'Error'
}

function isWord(text: unknown): text is string {
  return typeof text === 'string' && /^\w{1,60}$/.test(text)
}
