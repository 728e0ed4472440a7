import { ConfigurationError } from '../configuration/configuration-error'
import type { Client, Tenant, TenantStore } from '../contract/tenant-store'
import { StoreCalls } from '../host/call-host'
import { isTenantKey, type TenantAddress } from '../protocol/issuer'
import { type OAuthError, type OAuthErrorOptions, oauthError } from '../protocol/oauth-error'
import type { ProtectedResources } from './protected-resources'
import { ResolvedTenant, type TenantDefaults, type Whereabouts } from './resolved-tenant'
import { checkFormer, partitionOf, type TenantRecord, tenantRecord } from './tenant-record'

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
    const { record, checked } = await this.#recordOf(tenantKey, shared)
    const addresses = addressesOf(checked, shared)
    return this.#resolved(record, checked, { here: addresses[0], addresses, shared })
  }

  /**
   * Finds the tenant of a request whose path has its key. There is none on a domain of a tenant's own: everything there is that tenant's.
   *
   * @param host As `URL.host` spells it. Undefined if the request has none that can be relied on.
   * @throws {OAuthError} As `find` does, also if the tenant is only on a domain of its own, or if the host may be one.
   */
  async findInPath(tenantKey: string, host: string | undefined, shared: string): Promise<ResolvedTenant> {
    if (this.areFoundByHost && (await this.#mayBeOwnDomain(host, shared))) throw noSuchTenant({ host })
    const { record, checked } = await this.#recordOf(tenantKey, shared)
    const addresses = addressesOf(checked, shared)
    const here = addresses.find(({ keyInPath }) => keyInPath !== undefined)
    if (!here) throw noSuchTenant()
    return this.#resolved(record, checked, { here, addresses, shared })
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
    const checked = this.#checked(record, shared)
    const addresses = addressesOf(checked, shared)
    // A store that compares in another way, such as without the port, would otherwise make one company answer at the address of another.
    const here = addresses.find((address) => isAtHost(address, host))
    return here && this.#resolved(record, checked, { here, addresses, shared })
  }

  /** Finds what is the same at all addresses of a tenant. @throws {OAuthError} As `find` does. */
  async identify(
    tenantKey: string,
  ): Promise<{ id: string; clients: readonly Client[]; locale: string | undefined; ownAddresses: readonly string[] }> {
    const { checked } = await this.#recordOf(tenantKey)
    const { clients = [], locale, baseUrl = [], formerBaseUrls = [] } = checked
    return { id: partitionOf(checked), clients, locale, ownAddresses: formerBaseUrls.concat(baseUrl) }
  }

  /** @param shared Omitted if nobody asks for the tenant's addresses. */
  async #recordOf(tenantKey: string, shared?: string): Promise<{ record: Tenant; checked: TenantRecord }> {
    if (!isTenantKey(tenantKey)) throw noSuchTenant()
    const record = await this.#calls.call('findTenant', () => this.#store.findTenant(tenantKey))
    // A store that folds case would otherwise make one tenant answer under two issuers.
    if (!record || record.key !== tenantKey) throw noSuchTenant()
    return { record, checked: this.#checked(record, shared) }
  }

  #checked(record: Tenant, shared: string | undefined): TenantRecord {
    try {
      const checked = tenantRecord(record)
      if (shared !== undefined) checkFormer(checked, shared)
      if (checked.baseUrl === undefined || this.areFoundByHost) return checked
      const allowed = 'omitted, because tenantStore has no findTenantByHost'
      throw new ConfigurationError('tenant.baseUrl', checked.baseUrl, allowed, { quotes: true })
    } catch (error) {
      throw oauthError('server_error', 'Customer sign-in is misconfigured at this address', {
        cause: error,
        reason: 'misconfigured',
      })
    }
  }

  #resolved(record: Tenant, checked: TenantRecord, whereabouts: Whereabouts): ResolvedTenant {
    return new ResolvedTenant(record, checked, whereabouts, this.#defaults, this.#announced)
  }
}

export function noSuchTenant(detail?: OAuthErrorOptions['detail']): OAuthError {
  return oauthError('not_found', 'There is no customer sign-in at this address', { reason: 'tenant_gone', detail })
}

/** The address of a tenant, and then those that it had before. @param shared The base URL of tenants without a domain of their own. */
function addressesOf(
  { key, baseUrl, formerBaseUrls = [] }: TenantRecord,
  shared: string,
): readonly [TenantAddress, ...TenantAddress[]] {
  const at = (url: string): TenantAddress => ({ baseUrl: url, keyInPath: url === shared ? key : undefined })
  return [at(baseUrl ?? shared), ...formerBaseUrls.map(at)]
}

/** Whether an address is on a domain of the tenant's own, at this host. */
function isAtHost({ baseUrl, keyInPath }: TenantAddress, host: string): boolean {
  return keyInPath === undefined && (baseUrl === `https://${host}` || baseUrl === `http://${host}`)
}
