import { underlying } from '../protocol/oauth-error'

/**
 * What kind of error was thrown, in a word that needs no secrecy: its code, such as `ECONNREFUSED`, or else the name of its class. Not its
 * message, which may quote what was sent.
 */
export function errorWord(thrown: unknown): string {
  try {
    const { code, name } = underlying(thrown) as { code?: unknown; name: string }
    return [code, name].find(isWord) ?? 'Error'
  } catch {
    // A getter of the host's has thrown. What is told of a failure must not change what the client is answered.
    return 'Error'
  }
}

function isWord(text: unknown): text is string {
  return typeof text === 'string' && /^\w{1,60}$/.test(text)
}
