import { inspect, types } from 'node:util'

const [maxCharacters, maxOfMessage] = [500, 10_000]

/**
 * Whatever was thrown, as an Error that any log can take: an Error as it is, and for anything else a new one that describes it. Of an
 * object it says no more than its kind, as its members may be secrets.
 */
export function asError(thrown: unknown): Error {
  try {
    if (isReadableError(thrown)) return thrown
    return new Error(described(thrown).slice(0, maxCharacters))
  } catch {
    return new Error('What was thrown cannot be read')
  }
}

/** A proxy is none: what it says can change from one look to the next. */
function isReadableError(thrown: unknown): thrown is Error {
  if (!types.isNativeError(thrown)) return false
  const { name, message, stack } = thrown
  // A log reads its other members as well, and one of them may throw.
  Object.values(thrown)
  const isText =
    typeof name === 'string' && typeof message === 'string' && ['string', 'undefined'].includes(typeof stack)
  return isText && message.length <= maxOfMessage
}

function described(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  const message: unknown = (thrown as { message?: unknown } | null | undefined)?.message
  if (typeof message === 'string') return message
  return `${inspect(thrown, { depth: -1, customInspect: false })} was thrown, which is no Error`
}
