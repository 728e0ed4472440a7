import type { MetadataDocuments } from '../clients/metadata-documents'
import { type LanguageTag, languageTagOf } from '../pages/language-tag'
import type { ScopeTexts } from '../pages/scope-words'
import { isLoopbackHost } from '../protocol/loopback'
import { callHostWithin } from '../stores/call-host'
import type { GuardedStore } from '../stores/guarded-store'
import type { ClientMetadata } from '../stores/tenant-store'
import type { Grant } from '../stores/token-store'
import type { Company } from './company'

/** What a scope is called, for a page. */
export interface GrantedScope {
  /** The scope token. */
  scope: string
  /** Its words. The scope token itself, if the option `scopes` does not have it. */
  text: string
  /** The language tag of the words, if they are in another language than the one that was asked for. */
  lang?: string | undefined
}

/** What a customer can be told of a connected client. */
interface ConnectedClient {
  /**
   * Its name, as the consent page shows it. If it has none, or is gone, this is its publisher, or else its id. Unverified unless `vouchedFor`
   * is true: the client has chosen it itself.
   */
  clientName: string
  /** The host that publishes the client's metadata document, if it has one: the only thing about such a client that is proven. */
  publisher?: string | undefined
  /** Whether the company itself vouches for the name, because the client is in its record. */
  vouchedFor: boolean
  /**
   * Where sign-ins with this client can end: the hosts of its redirect URIs, and `this device` for an app on the customer's own. Empty if
   * this is not known.
   */
  destinations: string[]
}

/** A client that a customer has connected, for a "Connected apps" page. Times are milliseconds since 1970. */
export interface ConnectedGrant extends ConnectedClient {
  /** What {@link CustomerGrants.revoke} takes. */
  grantId: string
  /** The client. */
  clientId: string
  /** The customer inside the tenant. */
  subject: string
  /** What the customer has granted. */
  scopes: string[]
  /** The same in words, in the same order. */
  scopeTexts: GrantedScope[]
  /** The protected API that its tokens are for. */
  resource: string
  /** When the customer agreed, and the grant was created. */
  connectedAt: number
  /** When its code or a refresh token was last redeemed. */
  lastUsedAt: number
  /** When it ends unless it is used again. */
  expiresAt: number
}

// How long a list waits for metadata documents that this process has never seen. Milliseconds.
const maxWait = 1000

/** Tells grants as a page shows them. */
export class ConnectedGrants {
  readonly #store: GuardedStore
  readonly #documents: MetadataDocuments | undefined
  readonly #scopeTexts: ScopeTexts
  readonly #locale: string

  /**
   * @param documents Absent if clients cannot identify themselves by a metadata document.
   * @param locale The language of companies that have chosen none.
   */
  constructor(store: GuardedStore, documents: MetadataDocuments | undefined, scopeTexts: ScopeTexts, locale: string) {
    this.#store = store
    this.#documents = documents
    this.#scopeTexts = scopeTexts
    this.#locale = locale
  }

  /**
   * Describes those of a company's grants whose code has been redeemed.
   *
   * @param language The tag of the language of the scopes' words. Default: the company's.
   */
  async describe(grants: readonly Grant[], company: Company, language: string | undefined): Promise<ConnectedGrant[]> {
    const connected = grants.filter(({ credential }) => credential.kind === 'refresh_token')
    const clients = await this.#clientsOf(new Set(connected.map(({ clientId }) => clientId)), company)
    const tag = languageTagOf(language ?? company.locale ?? this.#locale) as LanguageTag
    return connected.map(({ grantId, clientId, subject, scopes, resource, createdAt, expiresAt, swap }) => ({
      grantId,
      clientId,
      ...(clients.get(clientId) as ConnectedClient),
      subject,
      scopes: [...scopes],
      scopeTexts: scopes.map((scope) => ({ scope, ...this.#scopeTexts.in(tag, scope) })),
      resource,
      connectedAt: createdAt,
      lastUsedAt: swap?.at ?? createdAt,
      expiresAt,
    }))
  }

  async #clientsOf(clientIds: ReadonlySet<string>, company: Company): Promise<Map<string, ConnectedClient>> {
    await this.#fetchDocuments([...clientIds], company)
    const clients = new Map<string, ConnectedClient>()
    // One after the other, so that a long list leaves the store's connections to the clients.
    for (const clientId of clientIds) clients.set(clientId, await this.#client(clientId, company))
    return clients
  }

  async #client(clientId: string, company: Company): Promise<ConnectedClient> {
    const own = company.clients.find((client) => client.clientId === clientId)
    if (own) return described(own, { name: clientId, vouchedFor: true })
    if (!this.#documents?.isDocumentUrl(clientId)) {
      return described(await this.#store.findClient(company.id, clientId), { name: clientId, vouchedFor: false })
    }
    const publisher = new URL(clientId).host
    return { ...described(this.#documents.remembered(clientId), { name: publisher, vouchedFor: false }), publisher }
  }

  /** Fetches the documents that this process has never seen. A list does not wait for them for long, and fails with none of them. */
  async #fetchDocuments(clientIds: readonly string[], { id, key, clients }: Company): Promise<void> {
    const documents = this.#documents
    if (!documents || key === undefined) return
    const unseen = clientIds
      .filter((clientId) => clients.every((own) => own.clientId !== clientId))
      .filter((clientId) => documents.isDocumentUrl(clientId) && !documents.remembered(clientId))
    if (unseen.length === 0) return
    const fetching = unseen.map((clientId) => documents.find(clientId, { id, key }))
    await callHostWithin('fetchMetadataDocument', maxWait, () => Promise.allSettled(fetching)).catch(() => {})
  }
}

/** @param unnamed.name What a client without a name is called. */
function described(
  client: Partial<ClientMetadata> = {},
  { name, vouchedFor }: { name: string; vouchedFor: boolean },
): ConnectedClient {
  const { clientName = name, redirectUris = [] } = client
  return { clientName, vouchedFor, destinations: [...new Set(redirectUris.map(destinationOf))] }
}

/** Who receives what is sent to a redirect URI. */
function destinationOf(redirectUri: string): string {
  const { protocol, hostname, host } = new URL(redirectUri)
  return protocol === 'https:' && !isLoopbackHost(hostname) ? host : 'this device'
}
