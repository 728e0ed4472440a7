// A code, a refresh token or a client's secret, whole or cut off.
const ownCredential = /(csi[a-z]_)[\w-]{16,}/g
// No pattern for the three parts of a JWT: on a long text without dots, that would take time with the square of its length.
const words = /[\w.-]+/g
// Every header that names an algorithm is longer, and what follows `eyJ` in a name such as `AshleyJones` is shorter.
const jwtHeader = /eyJ[\w-]{13,}$/

const maxDepth = 5

/** The most characters that details and channels have of a text: those of the longest client id. */
export const maxTold = 2048

/**
 * Replaces what looks like a credential by `csir_...` or `eyJ...`, wherever it is in a text, or in the texts of lists and plain objects.
 *
 * Clients send credentials in parameters where they do not belong, such as a `redirect_uri` with the code in its query. Whatever this library
 * tells of a request goes through here: details and descriptions of errors, events and channels.
 *
 * @param maxLength The most characters of each text. What is longer is cut off, and so is what is nested in more than five others.
 */
export function withoutCredentials<T>(told: T, maxLength = Number.POSITIVE_INFINITY): T {
  return without(told, maxLength, maxDepth) as T
}

function without(told: unknown, maxLength: number, depth: number): unknown {
  if (typeof told === 'string') {
    const text = /csi[a-z]_|eyJ/.test(told) ? told.replace(words, wordWithout) : told
    return text.length > maxLength ? `${startOf(text, maxLength)}…` : text
  }
  if (typeof told !== 'object' || told === null) return told
  // Strangers can nest a value as deep as nothing can be written.
  if (depth === 0) return '…'
  if (Array.isArray(told)) return told.map((item) => without(item, maxLength, depth - 1))
  if (Object.getPrototypeOf(told) !== Object.prototype) return told
  // Spread first: a member that is called `__proto__` is then one of its own, as it was.
  const copy: Record<string, unknown> = { ...told }
  for (const name of Object.keys(copy)) copy[name] = without(copy[name], maxLength, depth - 1)
  return copy
}

function wordWithout(word: string): string {
  // The id of a registered client is no secret, whatever its characters spell: it is what an operator blocks the client by.
  if (word.startsWith('dcr_')) return word
  return withoutJwt(word.replace(ownCredential, '$1...'))
}

/** Cuts off a JWT (RFC 7519): an access token, or the assertion of a client. */
function withoutJwt(word: string): string {
  const parts = word.split('.')
  const place = parts.findIndex((part, n) => n + 2 < parts.length && jwtHeader.test(part))
  const kept = parts.slice(0, place + 1).join('.')
  return place < 0 ? word : kept.replace(jwtHeader, 'eyJ...')
}

/** The first characters of a text, without half of one: a character beyond U+FFFF is a pair in a string. */
export function startOf(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
}
