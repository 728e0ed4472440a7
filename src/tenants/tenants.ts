import { BoundedMap } from '../collections/bounded-map'
import { isObject } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Tenant, TenantStore } from '../contract/tenant-store'
import { StoreCalls } from '../host/call-host'
import { misconfigured, type OAuthError, type OAuthErrorOptions, oauthError } from '../protocol/oauth-error'
import { isTenantKey, type ProtectedResource, type TenantAddress } from '../protocol/resource'
import type { ProtectedResources } from './protected-resources'
import { type ResolvedTenant, resolveTenant, type TenantDefaults, type TenantWithoutRecord } from './resolved-tenant'
import { checkFormer, memberNames, partitionOf, type TenantRecord, tenantRecord } from './tenant-record'

/** A tenant at each of its addresses, the one that it has now first, and what it was resolved from. */
interface KnownTenant {
  at: readonly TenantWithoutRecord[]
  /** A copy of what its record said. */
  said: Data
  shared: string
  announced: readonly ProtectedResource[]
  defaults: TenantDefaults
}

/** How many tenants stay resolved, and how many characters the record of one may have. A logo can be in its address. */
const maxKnown = 10_000
const maxSaid = 65_536

/** The companies that the host knows. A tenant is resolved again whenever its record, which the store is asked for each time, has changed. */
export class Tenants {
  readonly #known = new BoundedMap<string, KnownTenant>(maxKnown)
  readonly #store: TenantStore
  readonly #defaults: () => TenantDefaults
  readonly #announced: ProtectedResources
  readonly #calls: StoreCalls

  /**
   * @param defaults What a tenant has whose record does not say: the same object while the options say the same.
   * @param announced The resources of a tenant whose record names none.
   * @param timeout How long the host's store may take, in milliseconds.
   */
  constructor(store: TenantStore, defaults: () => TenantDefaults, announced: ProtectedResources, timeout: number) {
    this.#store = store
    this.#defaults = defaults
    this.#announced = announced
    this.#calls = new StoreCalls('tenantStore', store, timeout)
  }

  /** Whether tenants can have a domain of their own. */
  get areFoundByHost(): boolean {
    return this.#store.findTenantByHost !== undefined
  }

  /**
   * Finds a tenant, at the address that it has now.
   *
   * @param shared The base URL of the tenants without a domain of their own.
   * @throws {OAuthError} `not_found` (404) if there is none, `server_error` (500) if the host's record of it cannot be used,
   * `temporarily_unavailable` (503) if the host's store fails.
   */
  async find(tenantKey: string, shared: string): Promise<ResolvedTenant> {
    const record = recordOf(await this.#ask(tenantKey), tenantKey)
    return tenantOf(record, this.#resolved(record, shared)[0])
  }

  /**
   * Finds the tenant of a request whose path has its key. There is none on a domain of a tenant's own: everything there is that tenant's.
   *
   * @param host As `URL.host` spells it. Undefined if the request has none that can be relied on.
   * @throws {OAuthError} As `find` does, also if the tenant is only on a domain of its own, or if the host may be one.
   */
  async findInPath(tenantKey: string, host: string | undefined, shared: string): Promise<ResolvedTenant> {
    if (this.areFoundByHost && (await this.#mayBeOwnDomain(host, shared))) throw noSuchTenant({ host })
    const record = recordOf(await this.#ask(tenantKey), tenantKey)
    return tenantOf(
      record,
      this.#resolved(record, shared).find(({ address }) => address.keyInPath !== undefined),
    )
  }

  /** Whether a host may be that of a domain of a tenant's own. The host of the shared base URL is nobody's, and is not looked up. */
  async #mayBeOwnDomain(host: string | undefined, shared: string): Promise<boolean> {
    if (host === undefined) return true
    // A browser takes a name with a dot at its end for the same server, and a proxy in front may have the default port.
    const name = host.replace(/\.(?=$|:)/, '')
    const spellings = new Set([name, name.replace(/:(?:80|443)$/, '')])
    if (spellings.has(new URL(shared).host)) return false
    for (const spelling of spellings) if (await this.findAtHost(spelling, shared)) return true
    return false
  }

  /**
   * Finds the tenant that has a domain of its own at a host.
   *
   * @param host As `URL.host` spells it. Undefined if the request has none that can be relied on.
   * @returns Undefined if there is none.
   * @throws {OAuthError} `server_error` or `temporarily_unavailable`, as `find` does.
   */
  async findAtHost(host: string | undefined, shared: string): Promise<ResolvedTenant | undefined> {
    if (host === undefined) return undefined
    const record = await this.#calls.call('findTenantByHost', () => this.#store.findTenantByHost?.(host))
    if (!record || typeof record.key !== 'string' || !isTenantKey(record.key)) return undefined
    // A store that compares in another way, such as without the port, would otherwise make one company answer at the address of another.
    const here = this.#resolved(record, shared).find(({ address }) => isAtHost(address, host))
    return here && { ...here, record }
  }

  /**
   * Finds what is the same at all addresses of a tenant: its id, and of its record the clients, the language and the addresses of its own.
   *
   * @throws {OAuthError} As `find` does.
   */
  async identify(tenantKey: string) {
    const checked = this.#checked(recordOf(await this.#ask(tenantKey), tenantKey))
    const { clients = [], locale, baseUrl = [], formerBaseUrls = [] } = checked
    return { id: partitionOf(checked), clients, locale, ownAddresses: formerBaseUrls.concat(baseUrl) }
  }

  /** Asks the host for a tenant. @throws {OAuthError} `not_found` at once if there cannot be one. */
  #ask(tenantKey: string): Promise<Tenant | null | undefined> {
    if (!isTenantKey(tenantKey)) throw noSuchTenant()
    return this.#calls.call('findTenant', () => this.#store.findTenant(tenantKey))
  }

  /** A tenant at each of its addresses. Compared by value, because the host may change its objects at any time. */
  #resolved(record: Tenant, shared: string): readonly TenantWithoutRecord[] {
    const known = this.#known.get(record.key)
    const announced = this.#announced.all
    const defaults = orMisconfigured(this.#defaults)
    const isKnown = known?.shared === shared && known.announced === announced && known.defaults === defaults
    if (isKnown && saysTheSame(record, known.said)) return known.at
    const said = copyOfRecord(record)
    const at = resolveTenant(this.#checked(said ?? record, shared), shared, defaults, this.#announced)
    if (said) this.#known.set(record.key, { at: frozen(at), said, shared, announced, defaults })
    return at
  }

  /** @param shared Omitted if nobody asks for the tenant's addresses. */
  #checked(record: object, shared?: string): TenantRecord {
    return orMisconfigured(() => {
      const checked = tenantRecord(record, 'tenant')
      if (shared !== undefined) checkFormer(checked, shared)
      if (checked.baseUrl === undefined || this.areFoundByHost) return checked
      const allowed = 'omitted, because tenantStore has no findTenantByHost'
      throw new ConfigurationError('tenant.baseUrl', checked.baseUrl, allowed, { quotes: true })
    })
  }
}

/** Reads what the host says. @throws {OAuthError} `server_error` if it cannot be used. */
function orMisconfigured<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw misconfigured('Customer sign-in is misconfigured at this address', error)
  }
}

/** @throws {OAuthError} `not_found` if the host's store has found none. */
function recordOf(found: Tenant | null | undefined, tenantKey: string): Tenant {
  // A store that folds case would otherwise make one tenant answer under two issuers.
  if (!found || found.key !== tenantKey) throw noSuchTenant()
  return found
}

/** @throws {OAuthError} `not_found` if the tenant is not where it was looked for. */
function tenantOf(record: Tenant, here: TenantWithoutRecord | undefined): ResolvedTenant {
  if (!here) throw noSuchTenant()
  return { ...here, record }
}

export function noSuchTenant(detail?: OAuthErrorOptions['detail']): OAuthError {
  return oauthError('not_found', 'There is no customer sign-in at this address', { reason: 'tenant_gone', detail })
}

/** Whether an address is on a domain of the tenant's own, at this host. */
function isAtHost({ baseUrl, keyInPath }: TenantAddress, host: string): boolean {
  return keyInPath === undefined && (baseUrl === `https://${host}` || baseUrl === `http://${host}`)
}

/** Whether a record says what it said when it was copied. Of the host's own members only the names matter, which may be misspelt. */
function saysTheSame(record: Tenant, said: Data): boolean {
  for (const name in record) if (!Object.hasOwn(said, name) && Object.hasOwn(record, name)) return false
  return memberNames.every((name) => isSame(record[name], said[name]))
}

/** @returns Undefined if there is an object of a class inside, of which nobody can see what it says next time, or if it says too much. */
function copyOfRecord(record: Tenant): Data | undefined {
  if (!isObject(record) || !memberNames.every((name) => isData(record[name]))) return undefined
  if (JSON.stringify(memberNames.map((name) => record[name])).length > maxSaid) return undefined
  const ofHost = Object.keys(record).map((name) => [name, undefined])
  return Object.fromEntries([...ofHost, ...memberNames.map((name) => [name, copyOf(record[name])])])
}

type Data = Readonly<Record<string, unknown>>

// How many lists and objects are around a value. Around those of a client's key there are six; a circle has no end.
const maxDepth = 10

/** Whether a value and all that is inside show what they say: an object of a class may say more to those who ask it. */
function isData(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint'
  if (depth === maxDepth || !isPlain(value)) return false
  return Object.values(value).every((inside) => isData(inside, depth + 1))
}

/** Whether it is a list, or an object all of whose members are its own and everybody sees them. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype: object | null = Object.getPrototypeOf(value)
  // Of any realm: `Object.prototype` has no prototype, and neither has an object that a host makes another's prototype.
  const isOfObject = (one: object) => Object.getPrototypeOf(one) === null && Object.hasOwn(one, 'isPrototypeOf')
  const hasClass = prototype !== null && !isOfObject(prototype)
  return !hasClass && Object.getOwnPropertyNames(value).length === Object.keys(value).length
}

/** Not by `structuredClone`, which refuses proxies. */
function copyOf(data: unknown): unknown {
  if (Array.isArray(data)) return Array.from(data, copyOf)
  if (!isObject(data)) return data
  return Object.fromEntries(Object.entries(data).map(([name, inside]) => [name, copyOf(inside)]))
}

function isSame(given: unknown, copy: unknown): boolean {
  if (Array.isArray(copy)) {
    const isAsLong = Array.isArray(given) && given.length === copy.length
    return isAsLong && copy.every((inside, place) => isSame(given[place], inside))
  }
  if (typeof copy !== 'object' || copy === null) return Object.is(given, copy)
  if (typeof given !== 'object' || given === null || Array.isArray(given) || !isPlain(given)) return false
  const names = Object.keys(copy)
  if (Object.keys(given).length !== names.length) return false
  return names.every((name) => Object.hasOwn(given, name) && isSame(Reflect.get(given, name), Reflect.get(copy, name)))
}

/** Freezes a value and all that is inside, because requests share it. What is no object counts as frozen. */
function frozen<T>(value: T): T {
  if (!Object.isFrozen(value)) Object.values(Object.freeze(value as object)).forEach(frozen)
  return value
}
