import { AsyncLocalStorage } from 'node:async_hooks'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { duration, optional } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { CustomerSignInEvent } from '../contract/customer-sign-in-event'
import type { Tenant, TenantStore } from '../contract/tenant-store'
import { type CustomerSignIn, createCustomerSignInWith } from '../customer-sign-in'
import { warnOfErrors } from '../host/emitter'
import { type CustomerSignInOptions, checkedOptions } from '../options'
import { MemoryTokenStore } from '../stores/memory-token-store'

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

/**
 * Makes customer sign-in for the tests of a host: build the app with it, in place of what `createCustomerSignIn` returns in production.
 *
 * It is the same code with other defaults: grants in memory, a company for every key, the address `https://app.test`, and a signing key that
 * all calls in a process share. It has a clock to move, and keeps the events. It opens no port and starts no timer, so nothing has to be
 * closed.
 *
 * @param options The options of `createCustomerSignIn`. Each takes the place of a default. Pass those of your own that your app depends on,
 * such as `scopes`. Each company of your `tenantStore` gets a client for {@link tokensFor} in addition to its own.
 * @param options.replayTolerance For how many seconds a used code or refresh token that is presented again is refused without ending its
 * grant. Default 10, as it always is in production; with 0 a replay ends the grant at once.
 * @throws {ConfigurationError} for a wrong option, and in production (`NODE_ENV`).
 *
 * @example
 * const signIn = testSignIn({ scopes: ['profile', 'bookings'] })
 * const app = createApp(signIn)
 */
export function testSignIn({
  replayTolerance,
  ...options
}: Partial<CustomerSignInOptions> & { replayTolerance?: number | undefined } = {}): SignInForTests {
  if (process.env.NODE_ENV === 'production') {
    throw new ConfigurationError('testSignIn', undefined, 'called in tests', {
      says: 'must not be called in production (NODE_ENV): createCustomerSignIn makes what a production app needs',
    })
  }
  const clock = new MovableClock()
  const given = {
    ...options,
    // A company for every key.
    tenantStore: options.tenantStore ?? { findTenant: (key: string) => ({ key, id: key, name: key }) },
    tokenStore: options.tokenStore ?? new MemoryTokenStore({ now: clock.now }),
    baseUrl: options.baseUrl ?? 'https://app.test',
    keys: { ...options.keys, signing: options.keys?.signing ?? [ownKey] },
  }
  const { baseUrl = given.baseUrl, onEvent = warnOfErrors } = checkedOptions(given)
  const tenants = new TestTenants(given.tenantStore)
  const events: CustomerSignInEvent[] = []
  const keepEvent = (event: CustomerSignInEvent) => {
    events.push(event)
    return onEvent(event)
  }
  const tolerance = optional(duration(0, 60))(replayTolerance, 'testSignIn.replayTolerance')
  const circumstances = { now: clock.nowOrAgo, keysOfIssuers, replayTolerance: tolerance }
  const made = createCustomerSignInWith(circumstances, { ...given, tenantStore: tenants, onEvent: keepEvent })
  const signIn = Object.assign(made, { clock, events })
  partsOfSignIns.set(signIn, { baseUrl, clock, tenants })
  return signIn
}

/** Made for the process: if the key were part of the package, everybody could sign with it, wherever it is used by mistake. */
export const ownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** The `kid` with which {@link ownKey} signs in the place of trusted issuers. */
export const issuerKid = 'customer-sign-in/testing'

/** That key stands for the keys of all trusted issuers, so that nothing is fetched. */
function keysOfIssuers({ kid }: { kid: string | undefined }) {
  if (kid !== issuerKid) return undefined
  return { keys: [{ ...createPublicKey(ownKey).export({ format: 'jwk' }), kid }] }
}

/** The clock of a {@link SignInForTests}: that of the process, and ahead of it by as much as a test has moved it. */
export interface TestClock {
  /** The time in milliseconds since 1970. */
  now(): number

  /**
   * Lets time pass: codes, access tokens, refresh tokens and grants expire as they do in production. It does not move the
   * `Date` of the process, nor its timers, nor the clock of a token store that the test has brought.
   *
   * @param seconds A number that is not negative.
   * @throws {ConfigurationError} for anything else.
   *
   * @example
   * signIn.clock.advance(3600)
   */
  advance(seconds: number): void
}

/** A clock that tells work which belongs to the past another time. Its functions are handed on without it. */
export class MovableClock implements TestClock {
  readonly #setBack = new AsyncLocalStorage<number>()
  #ahead = 0

  readonly now = (): number => Date.now() + this.#ahead

  /** The same, except for what {@link ago} does. Not for a store, which all work shares. */
  readonly nowOrAgo = (): number => this.now() - (this.#setBack.getStore() ?? 0)

  advance(seconds: number): void {
    if (!(Number.isFinite(seconds) && seconds >= 0)) {
      const allowed = 'a number of seconds that is not negative'
      throw new ConfigurationError('testSignIn.clock.advance', seconds, allowed, { quotes: true })
    }
    this.#ahead += seconds * 1000
  }

  /** Does work as if it was so many seconds earlier. Whatever else is done meanwhile is not affected. */
  ago<Result>(seconds: number, work: () => Result): Result {
    return this.#setBack.run(seconds * 1000, work)
  }
}

/** The client that tokens are of, unless a test names another one. */
export const testClient = {
  clientId: 'test-client',
  clientName: 'Test client',
  redirectUris: ['https://client.test/callback'],
}

/** The companies of a store, each with {@link testClient} as one more client of its own. */
export class TestTenants implements TenantStore {
  readonly #store: TenantStore
  readonly #madeUp = new Map<string, Tenant>()
  /** Undefined if the store finds no company by its domain. */
  readonly findTenantByHost?: (host: string) => Promise<Tenant | undefined> | undefined

  constructor(store: TenantStore) {
    this.#store = store
    if (store.findTenantByHost) this.findTenantByHost = async (host) => prepared(await store.findTenantByHost?.(host))
  }

  async findTenant(tenantKey: string): Promise<Tenant | undefined> {
    return prepared(this.#madeUp.get(tenantKey) ?? (await this.#store.findTenant(tenantKey)))
  }

  /** Makes up a company that is like this one in all but its key, id and addresses. @returns Its key. */
  async anotherLike(tenantKey: string): Promise<string> {
    // The most that a key can have.
    const key = `another-${tenantKey}`.slice(0, 64)
    const like = await this.#store.findTenant(tenantKey)
    if (like) this.#madeUp.set(key, copyOf(like, { key, id: key, baseUrl: undefined, formerBaseUrls: undefined }))
    return key
  }
}

function prepared(tenant: Tenant | null | undefined): Tenant | undefined {
  return tenant ? copyOf(tenant, { clients: [...(tenant.clients ?? []), testClient] }) : undefined
}

/** A copy with other members. A record that is an instance of a class keeps its methods, which the host's hooks may call. */
function copyOf(tenant: Tenant, members: Partial<Tenant>): Tenant {
  return Object.assign(Object.create(Object.getPrototypeOf(tenant)), tenant, members)
}
