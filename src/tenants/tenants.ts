import { type Links, withDefaultLinks } from '../pages/links'
import type { Theme } from '../pages/theme'
import { type ImpliedScopes, withImplied } from '../protocol/implied-scopes'
import { issuerOf, isTenantKey } from '../protocol/issuer'
import { type OAuthError, oauthError } from '../protocol/oauth-error'
import { spellingOf } from '../protocol/resource'
import { callHostWithin } from '../stores/call-host'
import type { AskConsent, Client, Tenant, TenantStore } from '../stores/tenant-store'
import { allowsDocuments, allowsRegistration, type ClientRules } from './client-rules'
import type { ProtectedResources } from './protected-resources'
import { partitionOf, type TenantRecord, tenantRecord } from './tenant-record'

/** A tenant with every default filled in. */
export interface ResolvedTenant {
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
  /** The public address of the router, with which the addresses of the tenant begin. */
  baseUrl: string
  clients: readonly Client[]
  /** With those that they imply: a company that offers a scope offers these too. */
  scopes: readonly string[]
  /** Which scopes imply others. */
  implied: ImpliedScopes
  /** As the host spells them, the default one first. */
  resources: readonly [string, ...string[]]
  /** Seconds. */
  accessTokenLifetime: number
  /** Seconds. */
  refreshTokenLifetime: number
  /** Whether clients can register themselves. */
  registration: boolean
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
  readonly #timeout: number

  /**
   * @param announced The resources of a tenant whose record names none.
   * @param timeout How long the host's store may take, in milliseconds.
   */
  constructor(store: TenantStore, defaults: TenantDefaults, announced: ProtectedResources, timeout: number) {
    this.#store = store
    this.#defaults = defaults
    this.#announced = announced
    this.#timeout = timeout
  }

  /**
   * Finds the tenant of a request.
   *
   * @throws {OAuthError} `not_found` (404) if there is none, `server_error` (500) if the host's record of it cannot be used,
   * `temporarily_unavailable` (503) if the host's store fails.
   */
  async find(tenantKey: string, baseUrl: string): Promise<ResolvedTenant> {
    const [record, checked] = await this.#recordOf(tenantKey)
    const defaults = this.#defaults
    const issuer = issuerOf(baseUrl, tenantKey)
    const [first = issuer, ...others] = checked.resources ?? [...this.#announced.urlsFor(tenantKey, baseUrl), issuer]
    return {
      key: tenantKey,
      id: partitionOf(checked),
      name: checked.name,
      logoUri: checked.logoUri,
      locale: checked.locale,
      theme: checked.theme ?? defaults.theme,
      links: withDefaultLinks(checked.links, defaults.links),
      issuer,
      baseUrl,
      clients: checked.clients ?? [],
      scopes: withImplied(checked.scopes ?? defaults.scopes, defaults.implied),
      implied: defaults.implied,
      resources: [first, ...others],
      accessTokenLifetime: checked.accessTokenLifetime ?? defaults.accessTokenLifetime,
      refreshTokenLifetime: checked.refreshTokenLifetime ?? defaults.refreshTokenLifetime,
      ...waysIn(checked, defaults),
      askConsent: checked.askConsent ?? defaults.askConsent,
      record,
    }
  }

  /** Finds that id, the tenant's own clients, and the language that it has chosen. @throws {OAuthError} As `find` does. */
  async identify(tenantKey: string): Promise<Pick<ResolvedTenant, 'id' | 'clients' | 'locale'>> {
    const [, checked] = await this.#recordOf(tenantKey)
    return { id: partitionOf(checked), clients: checked.clients ?? [], locale: checked.locale }
  }

  async #recordOf(tenantKey: string): Promise<[Tenant, TenantRecord]> {
    if (!isTenantKey(tenantKey)) throw noSuchTenant()
    const record = await callHostWithin('tenantStore.findTenant', this.#timeout, () =>
      this.#store.findTenant(tenantKey),
    )
    // A store that folds case would otherwise make one tenant answer under two issuers.
    if (!record || record.key !== tenantKey) throw noSuchTenant()
    return [record, checkedRecord(record)]
  }
}

/** Which clients can introduce themselves, and how: neither metadata nor registration offers what the rules would refuse. */
function waysIn(
  { registration = true, metadataDocuments = registration, allowedClients, blockedClients }: TenantRecord,
  defaults: TenantDefaults,
): Pick<ResolvedTenant, 'registration' | 'metadataDocuments' | 'clientRules'> {
  const allowed = allowedClients ?? defaults.clientRules.allowed
  const blocked = blockedClients ? [...defaults.clientRules.blocked, blockedClients] : defaults.clientRules.blocked
  return {
    registration: defaults.registration && registration && allowsRegistration(allowed),
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

/** Finds the tenant's own spelling of a resource that is given in canonical form. Undefined if the tenant does not have the resource. */
export function spelledByTenant(canonical: string, tenant: ResolvedTenant): string | undefined {
  return spellingOf(canonical, tenant.resources)
}

export function noSuchTenant(): OAuthError {
  return oauthError('not_found', 'There is no customer sign-in at this address', { reason: 'tenant_gone' })
}

function checkedRecord(record: Tenant): TenantRecord {
  try {
    return tenantRecord(record)
  } catch (error) {
    throw oauthError('server_error', 'Customer sign-in is misconfigured at this address', {
      cause: error,
      reason: 'misconfigured',
    })
  }
}
