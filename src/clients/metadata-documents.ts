import { parse } from 'content-type'
import { invalidMetadata } from '../client-authentication/method'
import { authenticationOfDocument } from '../client-authentication/methods'
import { BoundedMap } from '../collections/bounded-map'
import { ConfigurationError } from '../configuration/configuration-error'
import type { ClientMetadata, KnownAssistant } from '../contract/tenant-store'
import { DocumentAway, type FetchedDocument, type FetchGuard } from '../documents/guarded-fetch'
import { day, type FoundDocument, hour, minute, RemoteDocuments } from '../documents/remote-documents'
import type { Emit } from '../host/emitter'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import { isLoopbackHost } from '../protocol/redirect-uri'
import { isClientId } from '../protocol/registered-id'
import { isUrl } from '../protocol/resource'
import { asError } from '../protocol/thrown'
import { tellOfDocuments } from '../telemetry/channels'
import type { TenantIdentity } from '../tenants/resolved-tenant'
import { readClientMetadata } from './client-metadata'
import type { RegistrationRules } from './registrations'

const otherClient = "client_id in the document does not match the document's URL"

/**
 * The clients whose id is the https URL of their metadata document (draft-ietf-oauth-client-id-metadata-document). Failures are not cached:
 * each customer's sign-in asks for the document again.
 */
export class MetadataDocuments {
  readonly #allowLoopback: boolean
  readonly #rules: RegistrationRules
  readonly #emit: Emit
  readonly #documents: RemoteDocuments<ClientMetadata>
  readonly #toldAt = new BoundedMap<string, number>(1000)

  /** @param known Used for documents that cannot be fetched. @throws {ConfigurationError} for one that a client could not have. */
  constructor(
    guard: FetchGuard,
    rules: RegistrationRules,
    known: readonly KnownAssistant[] = [],
    emit: Emit = () => {},
  ) {
    this.#allowLoopback = guard.allowLoopback
    this.#rules = rules
    this.#emit = emit
    this.#documents = new RemoteDocuments(guard, {
      read: (fetched, url) => this.#read(url, fetched),
      fresh: { unsaid: minute, most: day },
      stale: { away: 7 * day, flood: 10 * minute },
      room: { ofSite: 50, ofTenant: 250 },
      pause: { known: 0, unknown: 0 },
      shipped: new Map(known.flatMap((assistant, index) => this.#shipped(assistant, index))),
      tell: tellOfDocuments,
    })
  }

  /** Whether a client id is the URL of a metadata document: https, with a path, and in its normal form. */
  isDocumentUrl(clientId: string): boolean {
    if (!isClientId(clientId) || clientId.includes('#') || !isUrl(clientId)) return false
    const { href, protocol, username, password, pathname, hostname } = new URL(clientId)
    const local = this.#allowLoopback && protocol === 'http:' && isLoopbackHost(hostname)
    return href === clientId && (protocol === 'https:' || local) && pathname !== '/' && username + password === ''
  }

  /**
   * Finds the metadata of a client for a tenant. A document that cannot be fetched is replaced by the copy that was fetched last, for seven days
   * after it was fresh, or for ten minutes in a flood of other documents, unless its own headers forbid it; or else by a known one, except in a flood.
   *
   * @param suits Whether a document has what the client needs. If the one in memory has not, it is fetched again, at most once a minute: its
   * publisher may have added that since. The document that is found then may not have it either.
   * @throws {OAuthError} `invalid_client` if there is no such document or it is not about this client; `temporarily_unavailable` if it
   * cannot be fetched now, because its server fails or there is a flood, and there is no copy.
   */
  async find(
    clientId: string,
    tenant: TenantIdentity,
    suits: (document: ClientMetadata) => boolean | Promise<boolean> = () => true,
  ): Promise<ClientMetadata> {
    try {
      const { document, copy } = await this.#documents.find(clientId, tenant.id)
      if (copy) this.#tellOfCopy(clientId, tenant, copy)
      return (await suits(document)) ? document : ((await this.#documents.findNewer(clientId)) ?? document)
    } catch (error) {
      throw unusable(clientId, error)
    }
  }

  /** What this process knows of a client without a fetch: for its name, not for what it may do. */
  remembered(clientId: string): ClientMetadata | undefined {
    return this.#documents.remembered(clientId)
  }

  /** How many documents are kept, how many of them are stale, and of how many a copy is used because they cannot be fetched. */
  counts(): { kept: number; stale: number; failing: number } {
    return this.#documents.counts()
  }

  /** Notes that a customer has allowed a client. Its document, if it has one, is kept longer than others. */
  markAllowed(clientId: string): void {
    this.#documents.markAllowed(clientId)
  }

  /** Tells the host once an hour that a copy of a document is used. */
  #tellOfCopy(
    clientId: string,
    { key: tenantKey, id: tenantId }: TenantIdentity,
    { kind, age, error }: NonNullable<FoundDocument<unknown>['copy']>,
  ): void {
    const now = performance.now()
    if (now < (this.#toldAt.get(clientId) ?? -hour) + hour) return
    this.#toldAt.set(clientId, now)
    const seconds = age === undefined ? undefined : Math.round(age / 1000)
    const detail = { reason: error.message }
    this.#emit({ type: 'stale', tenantKey, tenantId, clientId, copy: kind, age: seconds, detail })
  }

  #read(clientId: string, { status, headers, body }: FetchedDocument): ClientMetadata {
    if (status !== 200) {
      // Firewalls against bots answer 403, and a host's own proxy 407, which says nothing about the document.
      const isAway = [403, 407, 408, 425, 429].includes(status) || status >= 500
      throw new (isAway ? DocumentAway : Error)(`The status is ${status}`)
    }
    checkType(headers['content-type'])
    let document: unknown
    try {
      document = JSON.parse(body)
    } catch {
      throw invalidMetadata('the document must be JSON')
    }
    return this.#parse(clientId, Object(document))
  }

  /** The copy of a known assistant's document: none if this server has no method by which the client could authenticate. */
  #shipped({ document }: KnownAssistant, index: number): [url: string, metadata: ClientMetadata][] {
    const clientId = String(document.client_id)
    try {
      if (!this.isDocumentUrl(clientId)) throw invalidMetadata(otherClient)
      return [[clientId, this.#parse(clientId, document)]]
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      if (error.reason === 'method_off') return []
      const says = `cannot be used: ${error.description}`
      throw new ConfigurationError(`clients.known[${index}].document`, document, 'a metadata document of a client', {
        says,
      })
    }
  }

  #parse(clientId: string, metadata: Record<string, unknown>): ClientMetadata {
    if (metadata.client_id !== clientId) throw invalidMetadata(otherClient)
    // MCP requires it of documents, and the draft does not. A registration may leave it out.
    if ((metadata.client_name ?? '') === '') throw invalidMetadata('the document must have a client_name')
    const { keys } = authenticationOfDocument(metadata, this.#rules.authentication)
    return { ...readClientMetadata(metadata, this.#rules.appRedirects), ...keys }
  }
}

/** A document of another type may be a file that a stranger has uploaded to somebody else's site. */
function checkType(contentType = ''): void {
  const { type } = parse(contentType, { parameters: false })
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type)) return
  const wrong = invalidMetadata('the Content-Type of the document must be application/json')
  // From a firewall against bots, or a site that is down. If there is no copy, it is refused like any other wrong type.
  throw type === 'text/html' ? new DocumentAway(wrong.message, { cause: wrong }) : wrong
}

/** The error that the client is answered with, for whatever a fetch has thrown. */
function unusable(clientId: string, thrown: unknown): OAuthError {
  const { message: reason, cause } = asError(thrown)
  const known = [thrown, cause].find((error) => error instanceof OAuthError)
  // The host's own function has returned something else than a response.
  if (known?.status === 503) return known
  const detail = { clientId, reason }
  if (thrown instanceof DocumentAway && !known) {
    const why = thrown.isFlood
      ? 'Too many client metadata documents are being fetched'
      : 'The metadata document of client_id cannot be fetched at the moment'
    return thrown.answer(why, { reason: 'document_unavailable', detail })
  }
  const described = known ? (`: ${known.description}` as const) : ''
  return oauthError('invalid_client', `The metadata document of client_id cannot be used${described}`, {
    reason: known?.reason ?? 'document_unusable',
    detail: { ...known?.detail, ...detail },
    cause: thrown,
  })
}
