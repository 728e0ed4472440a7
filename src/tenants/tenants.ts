import { ConfigurationError } from '../configuration/configuration-error'
import type { AskConsent, Client, Links, Tenant, TenantStore, Theme } from '../contract/tenant-store'
import { StoreCalls } from '../host/call-host'
import { withDefaultLinks } from '../pages/links'
import { endpointsOf, issuerOf, isTenantKey, type TenantAddress } from '../protocol/issuer'
import { type OAuthError, type OAuthErrorOptions, oauthError } from '../protocol/oauth-error'
import { canonicalResource, spellingOf } from '../protocol/resource'
import { type ImpliedScopes, withImplied } from '../protocol/scope'
import { addressesOf, checkFormer, isAtHost } from './addresses'
import { allowsDocuments, allowsRegistration, type ClientRules } from './client-rules'
import type { ProtectedResources } from './protected-resources'
import { partitionOf, type TenantRecord, tenantRecord } from './tenant-record'

/** A tenant with every default filled in, at one of its addresses. */
export interface ResolvedTenant extends TenantAddress {
  key: string
  /** Partitions everything stored and issued. */
  id: string
  name: string | undefined
  logoUri: string | undefined
  /** The language tag that the company has chosen for its pages. */
  locale: string | undefined
  theme: Theme
  links: Links
  issuer: string
  /** What the addresses of the endpoints begin with. */
  endpoints: string
  /** The issuers that the tenant has at its other addresses. */
  otherIssuers: readonly string[]
  /** The addresses of this server that belong to the tenant or to all: no client that nobody vouches for may have a redirect URI there. */
  ownAddresses: readonly string[]
  clients: readonly Client[]
  /** With those that they imply: a company that offers a scope offers these too. */
  scopes: readonly string[]
  /** Which scopes imply others. */
  implied: ImpliedScopes
  /** As the host spells them, the default one first. */
  resources: readonly [string, ...string[]]
  /** What its resources are called here, by what they are called at its other addresses. Undefined if it has no others. */
  namesHere: ReadonlyMap<string, string> | undefined
  /** Seconds. */
  accessTokenLifetime: number
  /** Seconds. */
  refreshTokenLifetime: number
  /** Whether clients can register themselves. */
  registration: boolean
  /** Whether customers can sign in with clients that registered themselves, as far as the rules allow them. */
  registeredClients: boolean
  /** Whether a client can identify itself by the address of its metadata document. */
  metadataDocuments: boolean
  /** Which of the clients that introduce themselves are allowed. */
  clientRules: ClientRules
  /** How often customers are asked for consent. */
  askConsent: AskConsent
  /** The host's own record. */
  record: Tenant
}

/** What a tenant has if its record does not say otherwise. */
export type TenantDefaults = Pick<
  ResolvedTenant,
  | 'scopes'
  | 'implied'
  | 'accessTokenLifetime'
  | 'refreshTokenLifetime'
  | 'registration'
  | 'registeredClients'
  | 'metadataDocuments'
  | 'clientRules'
  | 'askConsent'
  | 'theme'
  | 'links'
>

/** The companies that the host knows. */
export class Tenants {
  readonly #store: TenantStore
  readonly #defaults: TenantDefaults
  readonly #announced: ProtectedResources
  readonly #calls: StoreCalls

  /**
   * @param announced The resources of a tenant whose record names none.
   * @param timeout How long the host's store may take, in milliseconds.
   */
  constructor(store: TenantStore, defaults: TenantDefaults, announced: ProtectedResources, timeout: number) {
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
    const found = await this.#recordOf(tenantKey, shared)
    const addresses = addressesOf(found.checked, shared)
    return this.#resolved(found, addresses[0], addresses, shared)
  }

  /**
   * Finds the tenant of a request whose path has its key. There is none on a domain of a tenant's own: everything there is that tenant's.
   *
   * @param host As `URL.host` spells it. Undefined if the request has none that can be relied on.
   * @throws {OAuthError} As `find` does, also if the tenant is only on a domain of its own.
   */
  async findInPath(tenantKey: string, host: string | undefined, shared: string): Promise<ResolvedTenant> {
    const other = this.#hostBeside(shared, host)
    if (other !== undefined && (await this.findAtHost(other, shared))) throw noSuchTenant({ host })
    const found = await this.#recordOf(tenantKey, shared)
    const addresses = addressesOf(found.checked, shared)
    const address = addresses.find(({ keyInPath }) => keyInPath !== undefined)
    if (!address) throw noSuchTenant()
    return this.#resolved(found, address, addresses, shared)
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
    const found = this.#checked(record, shared)
    const addresses = addressesOf(found.checked, shared)
    // A store that compares in another way, such as without the port, would otherwise make one company answer at the address of another.
    const address = addresses.find((each) => isAtHost(each, host))
    return address && this.#resolved(found, address, addresses, shared)
  }

  /** A host that may be that of a domain of a tenant's own. The host of the shared base URL is nobody's, and is not looked up. */
  #hostBeside(shared: string, host: string | undefined): string | undefined {
    if (host === undefined || !this.areFoundByHost) return undefined
    // A browser takes a name with a dot at its end for the same server.
    const name = host.replace(/\.(?=$|:)/, '')
    return name === new URL(shared).host ? undefined : name
  }

  /** Finds the id that everything of a tenant is stored under. @throws {OAuthError} As `find` does. */
  async idOf(tenantKey: string): Promise<string> {
    return (await this.identify(tenantKey)).id
  }

  /** Finds that id, the tenant's own clients and addresses, and the language that it has chosen. @throws {OAuthError} As `find` does. */
  async identify(tenantKey: string): Promise<Pick<ResolvedTenant, 'id' | 'clients' | 'locale' | 'ownAddresses'>> {
    const { checked } = await this.#recordOf(tenantKey)
    const { clients = [], locale, baseUrl = [], formerBaseUrls = [] } = checked
    return { id: partitionOf(checked), clients, locale, ownAddresses: formerBaseUrls.concat(baseUrl) }
  }

  async #recordOf(tenantKey: string, shared?: string): Promise<Found> {
    if (!isTenantKey(tenantKey)) throw noSuchTenant()
    const record = await this.#calls.call('findTenant', () => this.#store.findTenant(tenantKey))
    // A store that folds case would otherwise make one tenant answer under two issuers.
    if (!record || record.key !== tenantKey) throw noSuchTenant()
    return this.#checked(record, shared)
  }

  /** @param shared Omitted if nobody asks for the tenant's addresses. */
  #checked(record: Tenant, shared: string | undefined): Found {
    try {
      const checked = tenantRecord(record)
      if (shared !== undefined) checkFormer(checked, shared)
      if (checked.baseUrl === undefined || this.areFoundByHost) return { record, checked }
      throw new ConfigurationError(
        'tenant.baseUrl',
        checked.baseUrl,
        'omitted, because tenantStore has no findTenantByHost',
        {
          quotes: true,
        },
      )
    } catch (error) {
      throw oauthError('server_error', 'Customer sign-in is misconfigured at this address', {
        cause: error,
        reason: 'misconfigured',
      })
    }
  }

  #resolved(
    { record, checked }: Found,
    address: TenantAddress,
    addresses: readonly TenantAddress[],
    shared: string,
  ): ResolvedTenant {
    const defaults = this.#defaults
    const issuer = issuerOf(address)
    const others = addresses.filter((other) => other !== address)
    const namesHere = others.length > 0 ? this.#announced.namesAt(address, others) : undefined
    const listed = checked.resources ?? [...this.#announced.urlsFor(address), issuer]
    const [first = issuer, ...more] = namesHere ? namedHere(listed, namesHere) : listed
    return {
      // Not spread: an object that begins with a spread takes twenty times as long to make.
      baseUrl: address.baseUrl,
      keyInPath: address.keyInPath,
      key: checked.key,
      id: partitionOf(checked),
      name: checked.name,
      logoUri: checked.logoUri,
      locale: checked.locale,
      theme: checked.theme ?? defaults.theme,
      links: withDefaultLinks(checked.links, defaults.links),
      issuer,
      endpoints: endpointsOf(address),
      otherIssuers: others.map(issuerOf),
      ownAddresses: [shared, ...addresses.map(({ baseUrl }) => baseUrl)],
      clients: checked.clients ?? [],
      scopes: withImplied(checked.scopes ?? defaults.scopes, defaults.implied),
      implied: defaults.implied,
      resources: [first, ...more],
      namesHere,
      accessTokenLifetime: checked.accessTokenLifetime ?? defaults.accessTokenLifetime,
      refreshTokenLifetime: checked.refreshTokenLifetime ?? defaults.refreshTokenLifetime,
      ...waysIn(checked, defaults),
      askConsent: checked.askConsent ?? defaults.askConsent,
      record,
    }
  }
}

/** A tenant's record as the host gave it, and after its checks. */
interface Found {
  record: Tenant
  checked: TenantRecord
}

/** The resources under the names that they have here. */
function namedHere(resources: readonly string[], namesHere: ReadonlyMap<string, string>): string[] {
  return [...new Set(resources.map((resource) => namesHere.get(canonicalResource(resource) ?? resource) ?? resource))]
}

/** Which clients can introduce themselves, and how: neither metadata nor registration offers what the rules would refuse. */
function waysIn(
  { registration = true, metadataDocuments = registration, allowedClients, blockedClients }: TenantRecord,
  defaults: TenantDefaults,
): Pick<ResolvedTenant, 'registration' | 'registeredClients' | 'metadataDocuments' | 'clientRules'> {
  const allowed = allowedClients ?? defaults.clientRules.allowed
  const blocked = blockedClients ? [...defaults.clientRules.blocked, blockedClients] : defaults.clientRules.blocked
  return {
    registration: defaults.registration && registration && allowsRegistration(allowed),
    registeredClients: defaults.registeredClients && registration,
    metadataDocuments: defaults.metadataDocuments && metadataDocuments && allowsDocuments(allowed),
    clientRules: { allowed, blocked },
  }
}

/** Returns those of the scopes that the tenant still offers. Undefined if there were some and none is left. */
export function stillOffered(scopes: string[], tenant: ResolvedTenant): string[] | undefined {
  const isOffered = (scope: string) => tenant.scopes.includes(scope)
  if (scopes.every(isOffered)) return scopes
  const offered = scopes.filter(isOffered)
  return offered.length > 0 ? offered : undefined
}

/**
 * Finds the tenant's own spelling of a resource that is given in canonical form, also if that is what it is called at another address of the
 * tenant. Undefined if the tenant does not have the resource.
 */
export function spelledByTenant(canonical: string, { resources, namesHere }: ResolvedTenant): string | undefined {
  return spellingOf(canonical, resources) ?? (namesHere && spellingOf(namesHere.get(canonical) ?? '', resources))
}

/** Whether two resources in canonical form are the same one. A tenant with several addresses has each of its APIs at all of them. */
export function isSameResource(one: string, other: string, tenant: ResolvedTenant): boolean {
  if (one === other) return true
  const spelling = tenant.namesHere && spelledByTenant(one, tenant)
  return spelling !== undefined && spelling === spelledByTenant(other, tenant)
}

export function noSuchTenant(detail?: OAuthErrorOptions['detail']): OAuthError {
  return oauthError('not_found', 'There is no customer sign-in at this address', { reason: 'tenant_gone', detail })
}
