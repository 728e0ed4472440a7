import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { ConfigurationError } from '../configuration/configuration-error'
import type { CustomerSignInEvent } from '../contract/customer-sign-in-event'
import { type CustomerSignIn, createCustomerSignInAt } from '../customer-sign-in'
import { warnOfErrors } from '../host/emitter'
import { type CustomerSignInOptions, checkedOptions } from '../options'
import { MemoryTokenStore } from '../stores/memory-token-store'
import { MovableClock, type TestClock } from './test-clock'
import { anyCompany, TestTenants } from './test-tenants'

/** Customer sign-in for the tests of a host, which {@link testSignIn} makes. */
export interface SignInForTests extends CustomerSignIn {
  /** The clock by which codes, tokens and grants expire. */
  readonly clock: TestClock
  /** The events so far, the oldest first. A test may empty the array. */
  readonly events: CustomerSignInEvent[]
}

/** What the functions of this kit need of a {@link SignInForTests}. */
interface Parts {
  /** Without a slash at its end. */
  baseUrl: string
  clock: MovableClock
  tenants: TestTenants
}

const partsOfSignIns = new WeakMap<object, Parts>()

/** The parts of a {@link SignInForTests}. @throws {ConfigurationError} if it is not one. */
export function partsOf(signIn: SignInForTests): Parts {
  const parts = partsOfSignIns.get(signIn)
  if (parts) return parts
  throw new ConfigurationError('tokensFor.signIn', signIn, 'what testSignIn has returned')
}

let signingKey: KeyObject | undefined

/**
 * Makes customer sign-in for the tests of a host: build the app with it, in place of what `createCustomerSignIn` returns in production.
 *
 * It is the same code with other defaults: grants in memory, a company for every key, the address `https://app.test`, and a signing key that
 * all calls in a process share. It has a clock to move, and keeps the events. It opens no port and starts no timer, so nothing has to be
 * closed.
 *
 * @param options The options of `createCustomerSignIn`. Each takes the place of a default. Pass those of your own that your app depends on,
 * such as `scopes`. Each company of your `tenantStore` gets a client for {@link tokensFor} in addition to its own.
 * @throws {ConfigurationError} for a wrong option, and in production (`NODE_ENV`).
 *
 * @example
 * const signIn = testSignIn({ scopes: ['profile', 'bookings'] })
 * const app = createApp(signIn)
 */
export function testSignIn(options: Partial<CustomerSignInOptions> = {}): SignInForTests {
  if (process.env.NODE_ENV === 'production') {
    throw new ConfigurationError('testSignIn', undefined, 'called in tests', {
      says: 'must not be called in production (NODE_ENV): createCustomerSignIn makes what a production app needs',
    })
  }
  const clock = new MovableClock()
  const given = {
    ...options,
    tenantStore: options.tenantStore ?? anyCompany,
    tokenStore: options.tokenStore ?? new MemoryTokenStore({ now: clock.now }),
    baseUrl: options.baseUrl ?? 'https://app.test',
    signingKeys: options.signingKeys ?? [ownKey()],
  }
  const { baseUrl = given.baseUrl, onEvent = warnOfErrors } = checkedOptions(given)
  const tenants = new TestTenants(given.tenantStore)
  const events: CustomerSignInEvent[] = []
  const keepEvent = (event: CustomerSignInEvent) => {
    events.push(event)
    return onEvent(event)
  }
  const made = createCustomerSignInAt(clock.nowOrAgo, { ...given, tenantStore: tenants.asStore(), onEvent: keepEvent })
  const signIn = Object.assign(made, { clock, events })
  partsOfSignIns.set(signIn, { baseUrl, clock, tenants })
  return signIn
}

/** Made for the process: if the key were part of the package, everybody could sign with it, wherever it is used by mistake. */
function ownKey(): KeyObject {
  signingKey ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  return signingKey
}
