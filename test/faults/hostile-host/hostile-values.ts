import { inspect } from 'node:util'
import { OAuthError } from 'customer-sign-in'

const fail = (): never => {
  throw new Error('Nobody may read this')
}
const traps = Object.fromEntries(
  Object.getOwnPropertyNames(Reflect).map((trap) => [trap, fail]),
) as ProxyHandler<object>

/** Values that no program expects to be thrown or returned. Each is made when it is needed. */
export const hostileValues: Record<string, () => unknown> = {
  nothing: () => undefined,
  null: () => null,
  'a number': () => Number.NaN,
  'a large integer': () => 10n ** 5000n,
  'a long text': () => 'x'.repeat(1_000_000),
  'a Symbol': () => Symbol('hostile'),
  'a function': () => fail,
  'an object without a prototype': () => Object.create(null),
  'a proxy that refuses everything': () => new Proxy({}, traps),
  'a proxy of an Error': () => new Proxy(new Error('real'), {}),
  'a proxy of an OAuthError that refuses everything': () => new Proxy(new OAuthError('invalid_grant', 'No'), traps),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  'an object whose members throw': () => withGetters({}, 'message', 'then', 'code', 'stack', 'key', 'outcome', 'now'),
  'an object whose name throws': () => withGetters({}, 'constructor', Symbol.toStringTag),
  'an object that cannot be made text': () => ({
    toString: fail,
    valueOf: fail,
    toJSON: fail,
    [Symbol.toPrimitive]: fail,
    [inspect.custom]: fail,
  }),
  'an Error whose message throws': () => withGetters(new Error('real'), 'message', 'stack'),
  'an Error whose code throws': () => withGetters(new Error('real'), 'code'),
  'an Error whose message is a Symbol': () => Object.assign(new Error('real'), { message: Symbol('message') }),
  'an OAuthError whose members throw': () => withGetters(new OAuthError('invalid_grant', 'No'), 'code', 'status'),
  'an OAuthError whose members are none': () =>
    Object.assign(new OAuthError('invalid_grant', 'No'), { code: Symbol('code'), description: 7, status: Number.NaN }),
  'an OAuthError with a header of two lines': () => withHeaders({ 'X-Reason': 'two\r\nlines' }),
  'an OAuthError with a header without a name': () => withHeaders({ '': 'empty' }),
  'an OAuthError with a header that is no text': () => withHeaders({ 'X-Reason': Symbol('text') }),
  'an OAuthError with headers for another body': () =>
    withHeaders({ 'Transfer-Encoding': 'chunked', 'Content-Length': '3', Trailer: 'X-Reason' }),
  'a thenable that throws': () => ({
    // biome-ignore lint/suspicious/noThenProperty: It is one on purpose.
    then: fail,
  }),
  'a thenable that rejects with a Symbol': () => ({
    // biome-ignore lint/suspicious/noThenProperty: It is one on purpose.
    then: (_: unknown, reject: (reason: unknown) => void) => reject(Symbol('rejected')),
  }),
  'a thenable that settles and throws': () => ({
    // biome-ignore lint/suspicious/noThenProperty: It is one on purpose.
    then: (resolve: (value: unknown) => void) => {
      resolve(undefined)
      fail()
    },
  }),
}

function withGetters<T extends object>(object: T, ...names: (string | symbol)[]): T {
  for (const name of names) Object.defineProperty(object, name, { get: fail, enumerable: true, configurable: true })
  return object
}

/** Sets headers as a host can in JavaScript, after the error was made. */
function withHeaders(headers: Record<string, unknown>): OAuthError {
  return Object.assign(new OAuthError('invalid_grant', 'No'), { headers })
}
