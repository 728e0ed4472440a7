import { inspect, types } from 'node:util'
import { startOf, withoutCredentials } from './without-credentials'

// Of a description that is made here, and of the message of an Error that stays as it is.
const maxCharacters = 500
const maxMessageCharacters = 10_000

// How far down JSON follows causes: they can form a circle.
const maxCauses = 5

/**
 * Turns whatever was thrown into an Error that any log can take, also one that writes JSON. An Error stays the same, unless it quotes a
 * credential that somebody has sent; anything else is described by a new Error. For an object that says only which kind it is, because its
 * members may be secrets.
 */
export function asError(thrown: unknown): Error {
  try {
    if (isReadableError(thrown)) return withJson(withoutQuotedCredentials(thrown, maxCauses))
    return withJson(new Error(startOf(withoutCredentials(described(thrown)), maxCharacters)))
  } catch {
    return withJson(new Error('What was thrown cannot be read'))
  }
}

/** The same error, or a copy without the credentials that its message quotes, or that of an error in it. */
function withoutQuotedCredentials(error: Error & { errors?: unknown }, depth: number): Error {
  const { name, message, stack = '', cause, errors } = error
  const below = (other: unknown) =>
    types.isNativeError(other) && depth > 0 ? withoutQuotedCredentials(other, depth - 1) : other
  const inside: unknown[] = [cause, ...(Array.isArray(errors) ? errors : [])]
  const [toldCause, ...toldErrors] = inside.map(below)
  const [told, toldStack] = [withoutCredentials(message), withoutCredentials(stack)]
  const isSame = [toldCause, ...toldErrors].every((each, place) => each === inside[place])
  if (told === message && toldStack === stack && isSame) return error
  return Object.assign(
    new Error(told),
    { name, stack: toldStack, cause: toldCause },
    'code' in error && { code: error.code },
    Array.isArray(errors) && { errors: toldErrors },
  )
}

/** Adds the method that JSON asks for: what an error says is not enumerable, so that JSON alone would make `{}` of it. */
function withJson(error: Error): Error {
  if ('toJSON' in error) return error
  if (!Object.isExtensible(error)) return withJson(new Error(error.message, { cause: error }))
  return Object.defineProperty(error, 'toJSON', { value: () => inJson(error, maxCauses), configurable: true })
}

/** What an error says, and what has caused it. Not its other members: the Redis client's has the arguments of the command. */
function inJson(error: Error & { code?: unknown; errors?: unknown }, depth: number): object {
  const { name, message, code, stack, cause, errors } = error
  const below = (other: unknown) => (types.isNativeError(other) && depth > 0 ? inJson(other, depth - 1) : undefined)
  return {
    name,
    message,
    code: typeof code === 'object' ? undefined : code,
    stack,
    cause: below(cause),
    errors: Array.isArray(errors) ? errors.map(below) : undefined,
  }
}

/** What an error says, in one line. One that stands for several, as for all addresses of a database, often has no message of its own. */
export function messageOf({ message, name, errors }: Error & { errors?: unknown }): string {
  if (message !== '') return message
  const messages = Array.isArray(errors) ? errors.map((each) => asError(each).message) : []
  return messages.join(', ') || name
}

/** The error for something that took too long, with the code of the system for that. */
export function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}

/** Whether it is an error that can be read. A proxy is not: its values can change each time they are read. */
function isReadableError(thrown: unknown): thrown is Error {
  if (!types.isNativeError(thrown)) return false
  const { name, message, stack } = thrown
  // A log also reads the other members, and a getter may throw.
  Object.values(thrown)
  const isText =
    typeof name === 'string' && typeof message === 'string' && ['string', 'undefined'].includes(typeof stack)
  return isText && message.length <= maxMessageCharacters
}

function described(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  const message: unknown = (thrown as { message?: unknown } | null | undefined)?.message
  if (typeof message === 'string') return message
  return `${inspect(thrown, { depth: -1, customInspect: false })} was thrown, which is not an Error`
}
