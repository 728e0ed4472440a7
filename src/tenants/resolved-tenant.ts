import type { AskConsent, Client, ClientRule, Links, Tenant } from '../contract/tenant-store'
import type { PageLook } from '../pages/appearance'
import { canonicalResource, endpointsOf, issuerOf, isUrl, spellingOf, type TenantAddress } from '../protocol/resource'
import { type ImpliedScopes, withImplied, withoutOfflineAccess } from '../protocol/scope'
import type { CheckedIssuer } from '../trusted-issuers/trusted-issuer'
import type { ProtectedResources } from './protected-resources'
import { partitionOf, type TenantRecord } from './tenant-record'

/** Who a tenant is. */
export interface TenantIdentity {
  readonly key: string
  /** Partitions everything stored and issued. */
  readonly id: string
}

/** What a tenant is called at one of its addresses, and what it has there. */
export interface AddressOfTenant extends TenantAddress {
  issuer: string
  /** What the addresses of the endpoints begin with. */
  endpoints: string
  /** The issuers that the tenant has at its other addresses. */
  otherIssuers: readonly string[]
  /** The addresses of this server that belong to the tenant or to all: no client that nobody vouches for may have a redirect URI there. */
  ownAddresses: readonly string[]
  /** As the host spells them, the default one first. */
  resources: readonly [string, ...string[]]
  /** What its resources are called here, by what they are called at its other addresses. Undefined if it has no others. */
  namesHere: ReadonlyMap<string, string> | undefined
}

/** The rules that apply at a tenant. */
export interface ClientRules {
  /** Undefined if every client is allowed. */
  allowed: ClientRule | undefined
  blocked: readonly ClientRule[]
}

/** What a tenant offers, and to whom. */
export interface TenantPolicy {
  clients: readonly Client[]
  /** With those that they imply: a company that offers a scope offers these too. */
  scopes: readonly string[]
  /** Which scopes imply others. */
  implied: ImpliedScopes
  /** How long something is valid, in milliseconds. */
  lifetimes: {
    accessToken: number
    refreshToken: number
    authorizationCode: number
    /** From the sign-in on, however often the grant is refreshed. */
    grant: number | undefined
  }
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
  /** Whose assertions sign customers and workloads in. */
  trustedIssuers: readonly CheckedIssuer[]
  /** Whether nobody connects by hand. */
  enterpriseOnly: boolean
  /** Whether every token is bound to a key. */
  requireDpop: boolean
}

/** How a tenant shows itself. */
export interface TenantLook extends PageLook {
  name: string | undefined
}

/** What a tenant has if its record does not say otherwise. */
export type TenantDefaults = Omit<TenantPolicy, 'clients' | 'trustedIssuers' | 'enterpriseOnly' | 'requireDpop'> &
  Pick<TenantLook, 'theme' | 'links'>

/** A tenant with every default filled in, at one of its addresses. All but the record is shared by requests, and frozen. */
export interface ResolvedTenant extends TenantIdentity {
  /** The host's own record, as its store has just given it. */
  readonly record: Tenant
  readonly address: AddressOfTenant
  readonly policy: TenantPolicy
  readonly look: TenantLook
}

/** A tenant apart from what its store gives anew for each request. */
export type TenantWithoutRecord = Omit<ResolvedTenant, 'record'>

/**
 * Fills in every default, at each address of a tenant: the one that it has now, and then those that it had before.
 *
 * @param checked The record after its checks.
 * @param shared The base URL of tenants without a domain of their own.
 * @param announced The resources of a tenant whose record names none.
 */
export function resolveTenant(
  checked: TenantRecord,
  shared: string,
  defaults: TenantDefaults,
  announced: ProtectedResources,
): TenantWithoutRecord[] {
  const { key, baseUrl, formerBaseUrls = [], name, logoUri, locale, theme = defaults.theme, links } = checked
  const at = (url: string): TenantAddress => ({ baseUrl: url, keyInPath: url === shared ? key : undefined })
  const addresses = [at(baseUrl ?? shared), ...formerBaseUrls.map(at)]
  const everywhere = {
    key,
    id: partitionOf(checked),
    policy: policyOf(checked, defaults),
    look: { name, logoUri, locale, theme, links: withDefaultLinks(links, defaults.links) },
  }
  const ownAddresses = [shared, ...addresses.map((address) => address.baseUrl)]
  return addresses.map((here) => {
    const issuer = issuerOf(here)
    const others = addresses.filter((address) => address !== here)
    const namesHere = others.length > 0 ? announced.namesAt(here, others) : undefined
    const apis = announced.all.map(({ urlFor }) => urlFor(here))
    // Of an API that is announced here, without a slash at its end: strict clients compare it with the address that they have.
    const ofRecord = checked.resources?.map((one) => {
      const canonical = canonicalResource(one) ?? one
      return spellingOf(canonical, apis) === undefined ? one : canonical
    })
    const named = ofRecord ?? [...apis, issuer]
    const spelled = named.map((resource) => namesHere?.get(canonicalResource(resource) ?? resource) ?? resource)
    const [first = issuer, ...more] = new Set(spelled)
    const address = {
      ...here,
      issuer,
      endpoints: endpointsOf(here),
      otherIssuers: others.map(issuerOf),
      ownAddresses,
      resources: [first, ...more] as const,
      namesHere,
    }
    return { ...everywhere, address }
  })
}

/** Neither metadata nor registration offers what the rules would refuse. */
function policyOf(checked: TenantRecord, defaults: TenantDefaults): TenantPolicy {
  const { registration = true, metadataDocuments = registration, allowedClients, blockedClients } = checked
  const { lifetimes, clientRules } = defaults
  const allowed = allowedClients ?? clientRules.allowed
  const { clientIds = [], documentHosts = [], redirectHosts = [] } = allowed ?? {}
  const allowsRegistration = !allowed || redirectHosts.length > 0
  const allowsDocuments = !allowed || documentHosts.length > 0 || clientIds.some((id) => isUrl(id))
  return {
    clients: checked.clients ?? [],
    scopes: withoutOfflineAccess(withImplied(checked.scopes ?? defaults.scopes, defaults.implied)),
    implied: defaults.implied,
    lifetimes: {
      ...lifetimes,
      accessToken: checked.accessTokenLifetime ?? lifetimes.accessToken,
      refreshToken: checked.refreshTokenLifetime ?? lifetimes.refreshToken,
    },
    registration: defaults.registration && registration && allowsRegistration,
    registeredClients: defaults.registeredClients && registration,
    metadataDocuments: defaults.metadataDocuments && metadataDocuments && allowsDocuments,
    clientRules: { allowed, blocked: blockedClients ? [...clientRules.blocked, blockedClients] : clientRules.blocked },
    askConsent: checked.askConsent ?? defaults.askConsent,
    trustedIssuers: checked.trustedIssuers ?? [],
    enterpriseOnly: checked.enterpriseOnly ?? false,
    requireDpop: checked.requireDpop ?? false,
  }
}

/** The links of a company, with those of all companies where it has none. */
function withDefaultLinks(own: Links | undefined, byDefault: Links): Links {
  if (own === undefined) return byDefault
  const given = Object.entries(own).filter(([, link]) => link !== undefined)
  return { ...byDefault, ...Object.fromEntries(given) }
}

/** The tenant's own record of a client. */
export function ownClient(clientId: string, { policy }: ResolvedTenant): Client | undefined {
  return policy.clients.find((client) => client.clientId === clientId)
}

/** Returns those of the scopes that the tenant still offers. Undefined if there were some and none is left. */
export function stillOffered(scopes: string[], { policy }: ResolvedTenant): string[] | undefined {
  const isOffered = (scope: string) => policy.scopes.includes(scope)
  if (scopes.every(isOffered)) return scopes
  const offered = scopes.filter(isOffered)
  return offered.length > 0 ? offered : undefined
}

/** The tenant's spelling of a resource in canonical form, by its name at any address of the tenant. Undefined if the tenant does not have it. */
export function spelledByTenant(canonical: string, { address }: ResolvedTenant): string | undefined {
  const { resources, namesHere } = address
  return spellingOf(canonical, resources) ?? (namesHere && spellingOf(namesHere.get(canonical) ?? '', resources))
}

/** Whether two resources in canonical form are the same one. A tenant with several addresses has each of its APIs at all of them. */
export function isSameResource(one: string, other: string, tenant: ResolvedTenant): boolean {
  if (one === other) return true
  const spelling = tenant.address.namesHere && spelledByTenant(one, tenant)
  return spelling !== undefined && spelling === spelledByTenant(other, tenant)
}
