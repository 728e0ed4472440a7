import type { AskConsent, Client, ClientRule, Links, Logo, Tenant, Theme } from '../contract/tenant-store'
import { canonicalResource, endpointsOf, issuerOf, spellingOf, type TenantAddress } from '../protocol/resource'
import { type ImpliedScopes, withImplied } from '../protocol/scope'
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

/** How long something is valid, in milliseconds. */
export interface Lifetimes {
  accessToken: number
  refreshToken: number
  authorizationCode: number
  /** From the sign-in on, however often the grant is refreshed. */
  grant: number | undefined
}

/** What a tenant offers, and to whom. */
export interface TenantPolicy {
  clients: readonly Client[]
  /** With those that they imply: a company that offers a scope offers these too. */
  scopes: readonly string[]
  /** Which scopes imply others. */
  implied: ImpliedScopes
  lifetimes: Lifetimes
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
export interface TenantLook {
  name: string | undefined
  logoUri: Logo | undefined
  /** The language tag that the company has chosen for its pages. */
  locale: string | undefined
  theme: Theme
  links: Links
}

/** What a tenant has if its record does not say otherwise. */
export type TenantDefaults = Omit<TenantPolicy, 'clients' | 'trustedIssuers' | 'enterpriseOnly' | 'requireDpop'> &
  Pick<TenantLook, 'theme' | 'links'>

/** Where a tenant was found. */
export interface Whereabouts {
  here: TenantAddress
  /** The address that it has now, and then those that it had before. */
  addresses: readonly TenantAddress[]
  /** The base URL of tenants without a domain of their own. */
  shared: string
}

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
 * Fills in every default.
 *
 * @param checked The record after its checks.
 * @param announced The resources of a tenant whose record names none.
 */
export function resolveTenant(
  checked: TenantRecord,
  whereabouts: Whereabouts,
  defaults: TenantDefaults,
  announced: ProtectedResources,
): TenantWithoutRecord {
  return {
    key: checked.key,
    id: partitionOf(checked),
    address: addressOf(checked, whereabouts, announced),
    policy: policyOf(checked, defaults),
    look: lookOf(checked, defaults),
  }
}

function addressOf(
  { resources }: TenantRecord,
  { here, addresses, shared }: Whereabouts,
  announced: ProtectedResources,
): AddressOfTenant {
  const issuer = issuerOf(here)
  const others = addresses.filter((address) => address !== here)
  const namesHere = others.length > 0 ? announced.namesAt(here, others) : undefined
  const listed = resources ?? [...announced.urlsFor(here), issuer]
  const [first = issuer, ...more] = namesHere ? namedHere(listed, namesHere) : listed
  return {
    ...here,
    issuer,
    endpoints: endpointsOf(here),
    otherIssuers: others.map(issuerOf),
    ownAddresses: [shared, ...addresses.map(({ baseUrl }) => baseUrl)],
    resources: [first, ...more],
    namesHere,
  }
}

/** The resources under the names that they have here. */
function namedHere(resources: readonly string[], namesHere: ReadonlyMap<string, string>): string[] {
  return [...new Set(resources.map((resource) => namesHere.get(canonicalResource(resource) ?? resource) ?? resource))]
}

/** Neither metadata nor registration offers what the rules would refuse. */
function policyOf(checked: TenantRecord, defaults: TenantDefaults): TenantPolicy {
  const { registration = true, metadataDocuments = registration, allowedClients, blockedClients } = checked
  const allowed = allowedClients ?? defaults.clientRules.allowed
  const { lifetimes } = defaults
  const blocked = blockedClients ? [...defaults.clientRules.blocked, blockedClients] : defaults.clientRules.blocked
  return {
    clients: checked.clients ?? [],
    scopes: withImplied(checked.scopes ?? defaults.scopes, defaults.implied),
    implied: defaults.implied,
    lifetimes: {
      accessToken: checked.accessTokenLifetime ?? lifetimes.accessToken,
      refreshToken: checked.refreshTokenLifetime ?? lifetimes.refreshToken,
      authorizationCode: lifetimes.authorizationCode,
      grant: lifetimes.grant,
    },
    registration: defaults.registration && registration && allowsRegistration(allowed),
    registeredClients: defaults.registeredClients && registration,
    metadataDocuments: defaults.metadataDocuments && metadataDocuments && allowsDocuments(allowed),
    clientRules: { allowed, blocked },
    askConsent: checked.askConsent ?? defaults.askConsent,
    trustedIssuers: checked.trustedIssuers ?? [],
    enterpriseOnly: checked.enterpriseOnly ?? false,
    requireDpop: checked.requireDpop ?? false,
  }
}

/** Whether a rule can allow a client that registers now. */
function allowsRegistration(allowed: ClientRule | undefined): boolean {
  return allowed === undefined || (allowed.redirectHosts ?? []).length > 0
}

/** Whether a rule can allow a client with a metadata document. */
function allowsDocuments(allowed: ClientRule | undefined): boolean {
  if (allowed === undefined) return true
  const { clientIds = [], documentHosts = [] } = allowed
  return documentHosts.length > 0 || clientIds.some((id) => URL.canParse(id))
}

function lookOf({ name, logoUri, locale, theme, links }: TenantRecord, defaults: TenantDefaults): TenantLook {
  return {
    name,
    logoUri,
    locale,
    theme: theme ?? defaults.theme,
    links: withDefaultLinks(links, defaults.links),
  }
}

/** The links of a company, with those of all companies where it has none. */
function withDefaultLinks(own: Links | undefined, byDefault: Links): Links {
  if (own === undefined) return byDefault
  return {
    home: own.home ?? byDefault.home,
    connectedApps: own.connectedApps ?? byDefault.connectedApps,
    privacy: own.privacy ?? byDefault.privacy,
    terms: own.terms ?? byDefault.terms,
    imprint: own.imprint ?? byDefault.imprint,
    support: own.support ?? byDefault.support,
    documentation: own.documentation ?? byDefault.documentation,
  }
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

/**
 * Finds the tenant's own spelling of a resource that is given in canonical form, also if that is what it is called at another address of the
 * tenant. Undefined if the tenant does not have the resource.
 */
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
