import { parse } from 'content-type'
import type { AuthenticationRules } from '../client-authentication/method'
import { authenticationOfDocument, publicClients } from '../client-authentication/methods'
import { BoundedMap } from '../collections/bounded-map'
import { PerMinute } from '../collections/per-minute'
import type { ClientMetadata, KnownAssistant } from '../contract/tenant-store'
import { type FetchFor, FetchSlots, NoFetchSlot, sharesOf } from '../documents/fetch-slots'
import { type FetchedDocument, type FetchGuard, guardedFetch } from '../documents/guarded-fetch'
import { type FetchMetadataDocumentHook, hostFetch } from '../documents/host-fetch'
import { siteOf } from '../documents/site'
import type { Emit } from '../host/emitter'
import { isClientId } from '../protocol/client-id'
import { isLoopbackHost } from '../protocol/loopback'
import { type OAuthError, oauthError, underlying } from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'
import type { ResolvedTenant } from '../tenants/tenants'
import { readClientMetadata } from './client-metadata'
import { invalid, isAway, TooMany, UnexpectedStatus, unusable, WebPage } from './document-faults'
import { type Freshness, KeptDocuments, type Standing } from './kept-documents'
import { KnownDocuments } from './known-documents'

// Milliseconds.
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const week = 7 * day

const maxPerMinuteOfKnown = 60

type NamedTenant = Pick<ResolvedTenant, 'id' | 'key'>

/** What a host can choose about metadata documents, apart from where they may be. */
export interface DocumentChoices {
  /** Which methods of clients to authenticate are on. By default none. */
  authentication?: AuthenticationRules | undefined
  /** Used for documents that cannot be fetched. By default none. */
  known?: readonly KnownAssistant[] | undefined
  /** Fetches the documents. By default the guarded fetch does. */
  fetchDocument?: FetchMetadataDocumentHook | undefined
  emit?: Emit | undefined
}

/**
 * The clients whose id is the https URL of their metadata document (draft-ietf-oauth-client-id-metadata-document).
 *
 * Each site and each tenant has a share of the fetches and of the documents in memory. URLs that have given a document before are fetched
 * in slots of their own, so that a flood of other URLs cannot delay them. Failures are not cached.
 */
export class MetadataDocuments {
  readonly #guard: FetchGuard
  readonly #appRedirects: readonly string[]
  readonly #authentication: AuthenticationRules
  readonly #fetchDocument: FetchMetadataDocumentHook | undefined
  readonly #emit: Emit
  readonly #kept = new KeptDocuments()
  readonly #known: KnownDocuments
  readonly #slots: Record<Standing, FetchSlots> = {
    unknown: new FetchSlots(),
    known: new FetchSlots(),
    allowed: new FetchSlots(),
  }
  readonly #perMinute = new PerMinute()
  readonly #fetching = new Map<string, Promise<ClientMetadata>>()
  readonly #toldAt = new BoundedMap<string, number>(1000)

  /** @throws {ConfigurationError} for a known document that a client could not have. */
  constructor(
    guard: FetchGuard,
    appRedirects: readonly string[],
    { authentication = publicClients, known = [], fetchDocument, emit = () => {} }: DocumentChoices = {},
  ) {
    this.#guard = guard
    this.#appRedirects = appRedirects
    this.#authentication = authentication
    this.#fetchDocument = fetchDocument
    this.#emit = emit
    this.#known = new KnownDocuments(known, (document) => this.#readKnown(document))
  }

  /** Whether a client id is the URL of a metadata document: https, with a path, and in its normal form. */
  isDocumentUrl(clientId: string): boolean {
    if (!isClientId(clientId) || clientId.includes('#') || !URL.canParse(clientId)) return false
    const { href, protocol, username, password, pathname, hostname } = new URL(clientId)
    const local = this.#guard.allowLoopback && protocol === 'http:' && isLoopbackHost(hostname)
    return href === clientId && (protocol === 'https:' || local) && pathname !== '/' && username + password === ''
  }

  /**
   * Finds the metadata of a client for a tenant. A document that cannot be fetched is replaced by a copy:
   *
   * - the one that was fetched last, for seven days after it was fresh, and for ten minutes while too many documents are being fetched,
   *   unless its own headers forbid it;
   * - or else a known one, but not while too many documents are being fetched.
   *
   * @throws {OAuthError} `invalid_client` if there is no such document or it is not about this client; `temporarily_unavailable` if it
   * cannot be fetched now, because its server fails or too many documents are being fetched, and there is no copy.
   */
  async find(clientId: string, tenant: NamedTenant): Promise<ClientMetadata> {
    const usable = this.#kept.fresh(clientId) ?? this.#known.resting(clientId)
    if (usable) return usable
    try {
      return await this.#fetchOnce(clientId, tenant.id)
    } catch (error) {
      if (isAway(error)) {
        const copy = this.#copyOf(clientId, tenant, error)
        if (copy) return copy
      } else {
        this.#kept.drop(clientId)
        this.#known.fetched(clientId, { isGood: false })
      }
      throw error
    }
  }

  /** What this process knows of a client without a fetch: for its name, not for what it may do. */
  remembered(clientId: string): ClientMetadata | undefined {
    return this.#kept.last(clientId) ?? this.#known.copy(clientId)
  }

  /** How many documents are kept, how many of them are stale, and of how many a copy is used because they cannot be fetched. */
  counts(): { kept: number; stale: number; failing: number } {
    const { kept, stale, failing } = this.#kept.counts()
    return { kept, stale, failing: failing + this.#known.inUse }
  }

  /** The copy to use of a document that cannot be fetched. Tells the host of it once an hour. */
  #copyOf(clientId: string, tenant: NamedTenant, error: OAuthError): ClientMetadata | undefined {
    // Strangers can cause too many fetches. They must not keep a document in use for long that its publisher has withdrawn.
    const isFlood = error instanceof TooMany
    const age = this.#kept.age(clientId)
    const kept = this.#kept.stale(clientId, isFlood ? 10 * minute : week, minute)
    const copy = kept ?? (isFlood ? undefined : this.#known.instead(clientId, minute))
    const now = performance.now()
    if (copy && now >= (this.#toldAt.get(clientId) ?? -hour) + hour) {
      this.#toldAt.set(clientId, now)
      this.#emit({
        type: 'stale',
        tenantKey: tenant.key,
        tenantId: tenant.id,
        clientId,
        copy: kept ? 'kept' : 'known',
        age: kept && age !== undefined ? Math.round(age / 1000) : undefined,
        detail: { reason: error.detail.reason ?? underlying(error).message },
      })
    }
    return copy
  }

  /** Notes that a customer has allowed a client. Its document, if it has one, is kept longer than others. */
  markAllowed(clientId: string): void {
    this.#kept.markAllowed(clientId)
  }

  /** Fetches a document once for all requests that wait for it: those of one tenant, or of all tenants if its URL is known. */
  #fetchOnce(clientId: string, tenantId: string): Promise<ClientMetadata> {
    const standing = this.#standing(clientId)
    const site = siteOf(new URL(clientId))
    // A known document belongs to no particular tenant: its site takes the tenant's place.
    const fetchFor = { tenantId: standing === 'unknown' ? tenantId : site, site }
    const name = `${fetchFor.tenantId} ${clientId}`
    const underWay = this.#fetching.get(name)
    if (underWay !== undefined) return underWay
    const fetching = this.#fetch(clientId, standing, fetchFor).finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, fetching)
    return fetching
  }

  /** A known assistant's document counts as fetched before: a flood of other documents does not delay its first fetch. */
  #standing(clientId: string): Standing {
    const standing = this.#kept.standing(clientId)
    return standing === 'unknown' && this.#known.has(clientId) ? 'known' : standing
  }

  async #fetch(clientId: string, standing: Standing, fetchFor: FetchFor): Promise<ClientMetadata> {
    this.#checkShares(clientId, standing, fetchFor)
    try {
      return await this.#slots[standing].lend(fetchFor, async () => {
        // A request of another tenant may have fetched it in the meantime.
        const fresh = this.#kept.fresh(clientId)
        return fresh ?? this.#read(clientId, await this.#fetched(new URL(clientId)), fetchFor)
      })
    } catch (error) {
      throw error instanceof NoFetchSlot
        ? new TooMany(clientId, 'No slot was free in time', 1)
        : unusable(clientId, error)
    }
  }

  #fetched(url: URL): Promise<FetchedDocument> {
    return this.#fetchDocument ? hostFetch(url, this.#fetchDocument, this.#guard) : guardedFetch(url, this.#guard)
  }

  #checkShares(clientId: string, standing: Standing, fetchFor: FetchFor): void {
    // A known document is fresh for at least a minute, so only a failing one is fetched more often.
    const shares = standing === 'unknown' ? sharesOf(fetchFor) : { [`known ${clientId}`]: maxPerMinuteOfKnown }
    if (!this.#perMinute.count(shares))
      throw new TooMany(
        clientId,
        `A share of ${fetchFor.site} or of the tenant is used up`,
        this.#perMinute.secondsLeft,
      )
  }

  #read(clientId: string, { status, headers, body }: FetchedDocument, fetchFor: FetchFor): ClientMetadata {
    if (status !== 200) throw new UnexpectedStatus(status)
    checkType(headers['content-type'])
    const metadata = this.#parse(clientId, parseJson(body))
    this.#known.fetched(clientId, { isGood: true })
    this.#kept.keep(clientId, metadata, freshnessOf(headers['cache-control']), fetchFor)
    return metadata
  }

  #readKnown(document: Record<string, unknown>): ClientMetadata {
    const clientId = String(document.client_id)
    if (!this.isDocumentUrl(clientId)) throw invalid("client_id in the document does not match the document's URL")
    return this.#parse(clientId, document)
  }

  #parse(clientId: string, metadata: Record<string, unknown>): ClientMetadata {
    if (metadata.client_id !== clientId) throw invalid("client_id in the document does not match the document's URL")
    // MCP requires it of documents, and the draft does not. A registration may leave it out.
    if ((metadata.client_name ?? '') === '') {
      throw invalid('the document must have a client_name')
    }
    const { keys } = authenticationOfDocument(metadata, this.#authentication)
    return { ...readClientMetadata(metadata, this.#appRedirects), ...keys }
  }
}

function parseJson(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body))
  } catch {
    throw invalid('the document must be JSON')
  }
}

/** A document of another type may be a file that a stranger has uploaded to somebody else's site. */
function checkType(contentType = ''): void {
  const { type } = parse(contentType, { parameters: false })
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type)) return
  const wrong: ErrorDescription<'invalid_client_metadata'> = 'the Content-Type of the document must be application/json'
  throw oauthError('invalid_client_metadata', wrong, type === 'text/html' ? { cause: new WebPage() } : {})
}

/** How long a document may be used, by its `Cache-Control` (RFC 9111 section 5.2.2): fresh for a minute to a day. */
function freshnessOf(cacheControl = ''): Freshness {
  const directives = cacheControl.toLowerCase()
  // RFC 9111 section 4.2.4.
  const stale = /\b(?:no-store|no-cache|must-revalidate)\b/.test(directives) ? 0 : week
  const maxAge = Number(/\bmax-age=(\d+)/.exec(directives)?.[1] ?? 0) * 1000
  const fresh = /\b(?:no-store|no-cache)\b/.test(directives) ? 0 : maxAge
  return { fresh: Math.min(Math.max(fresh, minute), day), stale }
}
