import { basicChallenge, type ClientAuthenticationMethod } from '../protocol/client-authentication'
import { isClientId, newRegisteredId } from '../protocol/client-id'
import { newClientSecret } from '../protocol/client-secret'
import { withImplied } from '../protocol/implied-scopes'
import { type OAuthError, oauthError } from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'
import type { DenialReason } from '../protocol/reasons'
import type { RedirectUriFault } from '../protocol/redirect-uri'
import type { GuardedStore } from '../stores/guarded-store'
import type { Client, ClientCredentials } from '../stores/tenant-store'
import type { Grant, RegisteredClient, RegistrationLimits } from '../stores/token-store'
import { type JudgedClient, needsRedirectUris, refusingRule } from '../tenants/client-rules'
import type { ResolvedTenant } from '../tenants/tenants'
import { type AuthenticationRules, authenticationOfRegistration } from './authentication-metadata'
import { checkMethods } from './authentication-methods'
import { atTenant, checkSize, offeredHere, readClientMetadata, strangerFault } from './client-metadata'
import type { MetadataDocuments } from './metadata-documents'
import { checkMayRegister, checkMaySignIn, mayNotRedeem } from './permissions'

/** A client of a tenant. */
export interface FoundClient {
  client: Client
  /** Where the client was found: in the tenant's own record, by its metadata document, or by its registration. */
  source: 'tenant' | 'document' | 'registration'
  /** Its registration, if it registered itself. */
  registration: RegisteredClient | undefined
}

/** How clients register themselves. */
export interface RegistrationRules {
  /** Redirect URIs of apps that are accepted although their scheme has no dot. */
  appRedirects: readonly string[]
  /** How long an unused registration lives, in milliseconds. */
  lifetime: number
  limits: RegistrationLimits
  authentication: AuthenticationRules
}

/** What a client authenticates with, and its registration, if it registered itself. */
export interface ClientWithCredentials {
  credentials: ClientCredentials
  registration: RegisteredClient | undefined
}

/** A client that has just registered itself. */
export interface Registered {
  client: RegisteredClient
  /** How it authenticates. */
  method: ClientAuthenticationMethod
  /** Its secret, if it has one. Nobody can read it again. */
  secret: string | undefined
}

const day = 86_400_000

// Room for one failure to extend a registration: the next chance may come only a refreshTokenLifetime, of 30 days at the most, and a day later.
const spare = 32 * day

/** The clients of all tenants: the tenants' own, those with a metadata document, and those that registered themselves. */
export class Clients {
  readonly #store: GuardedStore
  readonly #documents: MetadataDocuments | undefined
  readonly #rules: RegistrationRules

  /** @param documents Absent if clients cannot identify themselves by a metadata document. */
  constructor(store: GuardedStore, documents: MetadataDocuments | undefined, rules: RegistrationRules) {
    this.#store = store
    this.#documents = documents
    this.#rules = rules
  }

  /**
   * Finds a client among the tenant's own, by its metadata document, or among the registered ones.
   *
   * @throws {OAuthError} `unauthorized_client` (403) if a rule of the company keeps it out; `invalid_client` if there is none, or all of its
   * methods to authenticate are off; `temporarily_unavailable` if its document cannot be fetched now.
   */
  async find(clientId: string, tenant: ResolvedTenant): Promise<FoundClient> {
    const found = await this.#find(clientId, tenant)
    checkMethods(found.client, this.#rules.authentication.methods)
    return found
  }

  async #find(clientId: string, tenant: ResolvedTenant): Promise<FoundClient> {
    const own = ownClient(clientId, tenant)
    if (own) return { client: own, source: 'tenant', registration: undefined }
    const judged = { clientId, isDocument: this.#documents?.isDocumentUrl(clientId) === true, redirectUris: [] }
    // First, so that no document of a client that is not allowed is fetched.
    if (judged.isDocument) checkMaySignIn(judged, tenant)
    if (tenant.metadataDocuments && this.#documents?.isDocumentUrl(clientId)) {
      const metadata = atTenant(await this.#documents.find(clientId, tenant), tenant.ownAddresses)
      if (!metadata) throw onlyOnOwnHost()
      const client = { clientId, ...offeredHere(metadata, tenant.scopes) }
      checkMaySignIn({ ...judged, redirectUris: client.redirectUris }, tenant)
      return { client, source: 'document', registration: undefined }
    }
    const registration = isClientId(clientId) ? await this.findRegistration(clientId, tenant) : undefined
    if (!registration) {
      const namesDocument = clientId.startsWith('https://') && !tenant.metadataDocuments
      throw unknownClient(clientId, namesDocument ? 'documents_off' : 'client_gone')
    }
    checkMaySignIn({ ...judged, redirectUris: registration.redirectUris }, tenant)
    return { client: registration, source: 'registration', registration }
  }

  /** Whether only the token store can say if there is such a client: it is not the tenant's own and has no metadata document. */
  isRegistration(clientId: string, tenant: ResolvedTenant): boolean {
    return !ownClient(clientId, tenant) && !this.#documents?.isDocumentUrl(clientId)
  }

  /** Whether a client is known by its metadata document. */
  isDocument(clientId: string, tenant: ResolvedTenant): boolean {
    return !ownClient(clientId, tenant) && this.#documents?.isDocumentUrl(clientId) === true
  }

  /**
   * Checks that the rules of a company let a client redeem what it has. It asks the store only if redirect URIs decide. The document of a
   * client is not fetched.
   *
   * @throws {OAuthError} `invalid_grant`, before anything is used up; `invalid_client` if the client is gone; `temporarily_unavailable` if
   * the store fails.
   */
  async checkMayRedeem(clientId: string, tenant: ResolvedTenant): Promise<void> {
    const judged = await this.#judged(clientId, tenant)
    const rule = refusingRule(judged, tenant.clientRules)
    if (rule !== undefined) throw mayNotRedeem(judged, rule)
  }

  async #judged(clientId: string, tenant: ResolvedTenant): Promise<JudgedClient> {
    const judged = { clientId, isDocument: this.isDocument(clientId, tenant), redirectUris: [] }
    if (!needsRedirectUris(judged, tenant.clientRules)) return judged
    const registration = await this.findRegistration(clientId, tenant)
    if (!registration) throw unknownClient(clientId)
    return { ...judged, redirectUris: registration.redirectUris }
  }

  /**
   * Finds what a client authenticates with. Customers who have connected a client with a metadata document stay connected, even if the tenant
   * accepts no such clients any more.
   *
   * @throws {OAuthError} As `find` does.
   */
  async findCredentials(clientId: string, tenant: ResolvedTenant): Promise<ClientWithCredentials> {
    const own = ownClient(clientId, tenant)
    if (own) return { credentials: own, registration: undefined }
    if (this.#documents?.isDocumentUrl(clientId)) {
      return { credentials: await this.#documents.find(clientId, tenant), registration: undefined }
    }
    const registration = await this.findRegistration(clientId, tenant)
    if (!registration) throw unknownClient(clientId)
    return { credentials: registration, registration }
  }

  findRegistration(clientId: string, tenant: ResolvedTenant): Promise<RegisteredClient | undefined> {
    return this.#store.findClient(tenant.id, clientId)
  }

  /** Says why a redirect URI of a client was left out, or undefined if that is not why the client does not have it. */
  redirectUriFault(redirectUri: string, { source }: FoundClient, tenant: ResolvedTenant): RedirectUriFault | undefined {
    return source === 'tenant' ? undefined : strangerFault(redirectUri, this.#rules.appRedirects, tenant.ownAddresses)
  }

  /**
   * Registers a client (RFC 7591 section 3). Redirect URIs that are not accepted are left out.
   *
   * @throws {OAuthError} `invalid_redirect_uri` or `invalid_client_metadata`.
   */
  async register(given: Readonly<Record<string, unknown>>, tenant: ResolvedTenant): Promise<Registered> {
    const { appRedirects, lifetime, limits, authentication } = this.#rules
    const described = offeredHere(readClientMetadata(given, appRedirects, tenant.ownAddresses), tenant.scopes)
    checkMayRegister(described.redirectUris, tenant)
    const { method, keys } = authenticationOfRegistration(given, authentication)
    const made = method.startsWith('client_secret') ? newClientSecret() : undefined
    const metadata = { ...described, ...keys, ...(made && { secretHashes: [made.hash] }) }
    checkSize(metadata)
    const clientId = newRegisteredId()
    const client = await this.#store.saveClient({ tenantId: tenant.id, clientId, ...metadata, lifetime }, limits)
    return { client, method, secret: made?.secret }
  }

  /**
   * Extends the registration of a client that a customer is asked about: it lives as long as a new one, and all others make room before it.
   * It is not in use yet, because a customer can open the consent page for any number of clients.
   */
  async touchAsked({ registration }: FoundClient, tenant: ResolvedTenant): Promise<void> {
    if (!registration || registration.inUse) return
    const { lifetime } = this.#rules
    await this.#store.touchClient(tenant.id, registration.clientId, { lifetime, inUse: false })
  }

  /**
   * Extends the registration of a client that a customer has allowed, so that it outlives the grant. All others make room before it, and it
   * is not in use until the code is redeemed: a customer can press Allow for any number of clients.
   */
  async touchAllowed({ registration }: FoundClient, tenant: ResolvedTenant): Promise<void> {
    if (!registration) return
    const lifetime = beyondGrants(tenant)
    await this.#store.touchClient(tenant.id, registration.clientId, { lifetime, inUse: false })
  }

  /**
   * Marks a registered client as in use once it has redeemed a grant, so that it makes no room for others, and lets it outlive that grant.
   * Writes at most once a day for each client.
   */
  async touchUsed(registration: RegisteredClient, grant: Grant, tenant: ResolvedTenant): Promise<void> {
    // Absent until it is in use.
    const { lastUsedAt = Number.NEGATIVE_INFINITY, expiresAt } = registration
    const isToday = (grant.swap?.at ?? grant.createdAt) < lastUsedAt + day
    if (isToday && expiresAt >= grant.expiresAt + spare) return
    await this.#store.touchClient(tenant.id, registration.clientId, { lifetime: beyondGrants(tenant), inUse: true })
  }

  /** Notes that a customer has allowed a client: if it has a metadata document, this server forgets that document last. */
  noteAllowed({ client }: FoundClient): void {
    this.#documents?.markAllowed(client.clientId)
  }
}

/** The tenant's own record of a client. */
export function ownClient(clientId: string, tenant: ResolvedTenant): Client | undefined {
  return tenant.clients.find((client) => client.clientId === clientId)
}

/**
 * The scopes that a tenant offers to a client: all, or those in its own record of the client. The `scope` of a registration or metadata
 * document is no limit: the MCP SDKs register the scope of the first challenge, and such a client could never ask for another one.
 */
export function scopesOfferedTo(clientId: string, tenant: ResolvedTenant): readonly string[] {
  const own = ownClient(clientId, tenant)?.scopes
  if (!own) return tenant.scopes
  const most = withImplied(own, tenant.implied)
  return tenant.scopes.filter((scope) => most.includes(scope))
}

/** The error for a client that does not exist. It makes clients register again. */
export function unknownClient(clientId: string, reason: DenialReason = 'client_gone'): OAuthError {
  return oauthError('invalid_client', 'There is no client with this client_id', {
    headers: basicChallenge,
    reason,
    detail: { clientId },
  })
}

function onlyOnOwnHost(): OAuthError {
  const why: ErrorDescription<'invalid_redirect_uri'> = 'redirect_uris must not be on the host of this server'
  return oauthError('invalid_client', `The metadata document of client_id cannot be used: ${why}`, {
    reason: 'redirect_uris_refused',
  })
}

/** How many milliseconds a client must live to outlive every grant that exists now, and a day more, in which nothing needs to be written. */
function beyondGrants({ refreshTokenLifetime }: ResolvedTenant): number {
  return refreshTokenLifetime * 1000 + spare + day
}
