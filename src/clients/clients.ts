import type { CredentialsSuit } from '../client-authentication/method'
import { checkMethods } from '../client-authentication/methods'
import type { Client, ClientCredentials, ClientMetadata } from '../contract/tenant-store'
import { hasRedirectUri, type RedirectUriFault } from '../protocol/redirect-uri'
import { isRegisteredId } from '../protocol/registered-id'
import { withImplied } from '../protocol/scope'
import { ownClient, type ResolvedTenant } from '../tenants/resolved-tenant'
import { atTenant, offeredHere, strangerFault } from './client-metadata'
import type { MetadataDocuments } from './metadata-documents'
import { checkMayRedeem, checkMaySignIn, refusingRule, unknownClient } from './permissions'
import type { RegistrationRules, Registrations } from './registrations'

/** A client of a tenant. */
export interface FoundClient {
  client: Client
  /** Where the client was found: in the tenant's own record, by its metadata document, or in its id, which carries its registration. */
  source: 'tenant' | 'document' | 'registration'
}

/** The clients of all tenants: the tenants' own, those with a metadata document, and those that registered themselves. */
export class Clients {
  readonly #documents: MetadataDocuments | undefined
  readonly #registrations: Registrations
  readonly #rules: RegistrationRules

  /** @param documents Absent if clients cannot identify themselves by a metadata document. */
  constructor(documents: MetadataDocuments | undefined, registrations: Registrations, rules: RegistrationRules) {
    this.#documents = documents
    this.#registrations = registrations
    this.#rules = rules
  }

  /**
   * Finds a client among the tenant's own, by its metadata document, or by the registration that its id carries.
   *
   * @param redirectUri The one that the client must have, if it is about to be sent a code. A document in memory without it is fetched again.
   * @throws {OAuthError} `unauthorized_client` (403) if a rule of the company keeps it out; `invalid_client` if there is none, or all of its
   * methods to authenticate are off; `temporarily_unavailable` if its document cannot be fetched now.
   */
  async find(clientId: string, tenant: ResolvedTenant, redirectUri?: string): Promise<FoundClient> {
    const found = await this.#find(clientId, tenant, redirectUri)
    checkMethods(found.client, this.#rules.authentication.methods)
    return found
  }

  async #find(clientId: string, tenant: ResolvedTenant, redirectUri?: string): Promise<FoundClient> {
    const own = ownClient(clientId, tenant)
    if (own) return { client: own, source: 'tenant' }
    const { metadataDocuments, scopes } = tenant.policy
    const documents = this.#documents?.isDocumentUrl(clientId) ? this.#documents : undefined
    // First, so that no document of a client that is not allowed is fetched.
    if (documents) checkMaySignIn({ clientId, isDocument: true, redirectUris: [] }, tenant)
    if (documents && metadataDocuments) {
      const suits = ({ redirectUris }: ClientMetadata) =>
        (redirectUri === undefined || hasRedirectUri(redirectUris, redirectUri)) &&
        refusingRule({ clientId, isDocument: true, redirectUris }, tenant.policy.clientRules) === undefined
      const metadata = atTenant(await documents.find(clientId, tenant, suits), tenant.address.ownAddresses)
      checkMaySignIn({ clientId, isDocument: true, redirectUris: metadata.redirectUris }, tenant)
      return { client: { clientId, ...offeredHere(metadata, scopes) }, source: 'document' }
    }
    if (isRegisteredId(clientId)) return { client: this.#registrations.find(clientId, tenant), source: 'registration' }
    const namesDocument = clientId.startsWith('https://') && !metadataDocuments
    throw unknownClient(clientId, namesDocument ? 'documents_off' : 'client_gone')
  }

  /** Whether a client is known by its metadata document. */
  isDocument(clientId: string, tenant: ResolvedTenant): boolean {
    return !ownClient(clientId, tenant) && this.#documents?.isDocumentUrl(clientId) === true
  }

  /** Whether a client that registered itself has its keys at an address that a stranger may have written into the id. */
  publishesKeys(clientId: string, tenant: ResolvedTenant): boolean {
    return this.#registrations.read(clientId, tenant.id)?.jwksUri !== undefined
  }

  /**
   * Checks that a client which is not the tenant's own exists, and that the rules of the company let it redeem what it has. The document of a
   * client is not fetched.
   *
   * @throws {OAuthError} `invalid_grant`, before anything is used up; `invalid_client` if there is no such client.
   */
  checkMayRedeem(clientId: string, tenant: ResolvedTenant): void {
    const isDocument = this.isDocument(clientId, tenant)
    const registration = isDocument ? undefined : this.#registrations.read(clientId, tenant.id)
    if (!isDocument && !registration) throw unknownClient(clientId)
    checkMayRedeem({ clientId, isDocument, redirectUris: registration?.redirectUris ?? [] }, tenant)
  }

  /**
   * Finds what a client authenticates with. Customers who have connected a client stay connected, even if the tenant accepts no new clients of
   * its kind any more.
   *
   * @param suit Whether the client can authenticate with them as it has. If those of a document in memory do not, it is fetched again.
   * @throws {OAuthError} As `find` does.
   */
  async findCredentials(clientId: string, tenant: ResolvedTenant, suit: CredentialsSuit): Promise<ClientCredentials> {
    const own = ownClient(clientId, tenant)
    if (own) return own
    if (this.#documents?.isDocumentUrl(clientId)) return this.#documents.find(clientId, tenant, suit)
    const registration = this.#registrations.read(clientId, tenant.id)
    if (!registration) throw unknownClient(clientId)
    return registration
  }

  /** Says why a redirect URI of a client was left out, or undefined if that is not why the client does not have it. */
  redirectUriFault(redirectUri: string, { source }: FoundClient, tenant: ResolvedTenant): RedirectUriFault | undefined {
    return source === 'tenant'
      ? undefined
      : strangerFault(redirectUri, this.#rules.appRedirects, tenant.address.ownAddresses)
  }

  /** Notes that a customer has allowed a client: if it has a metadata document, this server forgets that document last. */
  noteAllowed({ client }: FoundClient): void {
    this.#documents?.markAllowed(client.clientId)
  }
}

/**
 * The scopes that a tenant offers to a client: all, or those in its own record of the client. The `scope` of a registration or metadata
 * document is no limit: the MCP SDKs register the scope of the first challenge, and such a client could never ask for another one.
 */
export function scopesOfferedTo(clientId: string, tenant: ResolvedTenant): readonly string[] {
  const own = ownClient(clientId, tenant)?.scopes
  if (!own) return tenant.policy.scopes
  const most = withImplied(own, tenant.policy.implied)
  return tenant.policy.scopes.filter((scope) => most.includes(scope))
}
