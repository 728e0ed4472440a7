import { parse } from 'content-type'
import { type FetchFor, FetchSlots, NoFetchSlot } from '../http/fetch-slots'
import { type FetchedDocument, type FetchGuard, ForbiddenFetch, guardedFetch } from '../http/guarded-fetch'
import { PerMinute } from '../http/per-minute'
import { siteOf } from '../http/site'
import { isClientId } from '../protocol/client-id'
import { isLoopbackHost } from '../protocol/loopback'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'
import type { ClientMetadata } from '../stores/tenant-store'
import { type AuthenticationRules, authenticationOfDocument, publicClients } from './authentication-metadata'
import { readClientMetadata } from './client-metadata'
import { type Freshness, KeptDocuments, type Standing } from './kept-documents'

// Milliseconds.
const minute = 60_000
const day = 24 * 60 * minute

// More than the README's rate limit of /authorize lets one IP address cause.
const maxPerMinuteOfSiteAtTenant = 300
const maxPerMinuteOfTenant = 600
const maxPerMinuteOfSite = 600
const maxPerMinuteOfKnown = 60

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
  readonly #kept = new KeptDocuments()
  readonly #slots: Record<Standing, FetchSlots> = {
    unknown: new FetchSlots(),
    known: new FetchSlots(),
    allowed: new FetchSlots(),
  }
  readonly #perMinute = new PerMinute()
  readonly #fetching = new Map<string, Promise<ClientMetadata>>()

  constructor(guard: FetchGuard, appRedirects: readonly string[], authentication: AuthenticationRules = publicClients) {
    this.#guard = guard
    this.#appRedirects = appRedirects
    this.#authentication = authentication
  }

  /** Whether a client id is the URL of a metadata document: https, with a path, and in its normal form. */
  isDocumentUrl(clientId: string): boolean {
    if (!isClientId(clientId) || clientId.includes('#') || !URL.canParse(clientId)) return false
    const { href, protocol, username, password, pathname, hostname } = new URL(clientId)
    const local = this.#guard.allowLoopback && protocol === 'http:' && isLoopbackHost(hostname)
    return href === clientId && (protocol === 'https:' || local) && pathname !== '/' && username + password === ''
  }

  /**
   * Finds the metadata of a client for a tenant. A copy that is no longer fresh may be used for another day while the document's server
   * fails, and for ten minutes while too many documents are being fetched, unless its own headers forbid it.
   *
   * @throws {OAuthError} `invalid_client` if there is no such document or it is not about this client; `temporarily_unavailable` if it
   * cannot be fetched now, because its server fails or too many documents are being fetched.
   */
  async find(clientId: string, tenantId: string): Promise<ClientMetadata> {
    const fresh = this.#kept.fresh(clientId)
    if (fresh) return fresh
    try {
      return await this.#fetchOnce(clientId, tenantId)
    } catch (error) {
      if (error instanceof OAuthError && error.status === 503) {
        // Strangers can cause too many fetches. They must not keep a document in use for long that its publisher has withdrawn.
        const maxStale = error instanceof TooMany ? 10 * minute : day
        const stale = this.#kept.stale(clientId, maxStale, minute)
        if (stale) return stale
      } else {
        this.#kept.drop(clientId)
      }
      throw error
    }
  }

  /** Notes that a customer has allowed a client. Its document, if it has one, is kept longer than others. */
  markAllowed(clientId: string): void {
    this.#kept.markAllowed(clientId)
  }

  /** Fetches a document once for all requests that wait for it: those of one tenant, or of all tenants if its URL is known. */
  #fetchOnce(clientId: string, tenantId: string): Promise<ClientMetadata> {
    const standing = this.#kept.standing(clientId)
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

  async #fetch(clientId: string, standing: Standing, fetchFor: FetchFor): Promise<ClientMetadata> {
    this.#checkShares(clientId, standing, fetchFor)
    try {
      return await this.#slots[standing].lend(fetchFor, async () => {
        // A request of another tenant may have fetched it in the meantime.
        const fresh = this.#kept.fresh(clientId)
        return fresh ?? this.#read(clientId, await guardedFetch(new URL(clientId), this.#guard), fetchFor)
      })
    } catch (error) {
      throw error instanceof NoFetchSlot
        ? new TooMany(clientId, 'No slot was free in time', 1)
        : unusable(clientId, error)
    }
  }

  #checkShares(clientId: string, standing: Standing, { tenantId, site }: FetchFor): void {
    const count = (name: string, max: number) => this.#perMinute.count(name, max)
    // A known document is fresh for at least a minute, so only a failing one is fetched more often.
    const isWithin =
      standing === 'unknown'
        ? count(`both ${tenantId} ${site}`, maxPerMinuteOfSiteAtTenant) &&
          count(`tenant ${tenantId}`, maxPerMinuteOfTenant) &&
          count(`site ${site}`, maxPerMinuteOfSite)
        : count(`known ${clientId}`, maxPerMinuteOfKnown)
    if (!isWithin)
      throw new TooMany(clientId, `A share of ${site} or of the tenant is used up`, this.#perMinute.secondsLeft)
  }

  #read(clientId: string, { status, headers, body }: FetchedDocument, fetchFor: FetchFor): ClientMetadata {
    if (status !== 200) throw new UnexpectedStatus(status)
    checkType(headers['content-type'])
    const metadata = this.#parse(clientId, body)
    this.#kept.keep(clientId, metadata, freshnessOf(headers['cache-control']), fetchFor)
    return metadata
  }

  #parse(clientId: string, body: string): ClientMetadata {
    const metadata = parseJson(body)
    if (metadata.client_id !== clientId) throw invalid("client_id in the document does not match the document's URL")
    if (
      metadata.client_secret !== undefined ||
      String(metadata.token_endpoint_auth_method).startsWith('client_secret')
    ) {
      throw invalid('the document must not have a client_secret, because everyone can read it')
    }
    const { keys } = authenticationOfDocument(metadata, this.#authentication)
    return { ...readClientMetadata(metadata, this.#appRedirects), ...keys }
  }
}

class UnexpectedStatus extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The status is ${status}`)
    this.status = status
  }
}

const tooMany: ErrorDescription<'temporarily_unavailable'> = 'Too many client metadata documents are being fetched'

/** The document cannot be fetched now, because too many others are being fetched. */
class TooMany extends OAuthError {
  constructor(clientId: string, reason: string, retryAfter: number) {
    super('temporarily_unavailable', tooMany, {
      reason: 'temporarily_unavailable',
      headers: { 'Retry-After': String(retryAfter) },
      detail: { clientId, reason },
    })
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
  throw invalid('the Content-Type of the document must be application/json')
}

/** How long a document may be used, by its `Cache-Control` (RFC 9111 section 5.2.2): fresh for a minute to a day. */
function freshnessOf(cacheControl = ''): Freshness {
  const directives = cacheControl.toLowerCase()
  // RFC 9111 section 4.2.4.
  const stale = /\b(?:no-store|no-cache|must-revalidate)\b/.test(directives) ? 0 : day
  const maxAge = Number(/\bmax-age=(\d+)/.exec(directives)?.[1] ?? 0) * 1000
  const fresh = /\b(?:no-store|no-cache)\b/.test(directives) ? 0 : maxAge
  return { fresh: Math.min(Math.max(fresh, minute), day), stale }
}

function invalid(description: ErrorDescription<'invalid_client_metadata'>): OAuthError {
  return oauthError('invalid_client_metadata', description)
}

/** Whether another fetch may succeed, as far as the error tells. */
function isTemporary(error: unknown): boolean {
  if (error instanceof UnexpectedStatus) {
    // Firewalls against bots answer 403, which says nothing about the document.
    return [403, 408, 425, 429].includes(error.status) || error.status >= 500
  }
  return !(error instanceof ForbiddenFetch) && !(error instanceof OAuthError)
}

function unusable(clientId: string, error: unknown): OAuthError {
  const detail = { clientId, reason: error instanceof Error ? error.message : String(error) }
  if (isTemporary(error)) {
    return oauthError('temporarily_unavailable', 'The metadata document of client_id cannot be fetched at the moment', {
      headers: { 'Retry-After': '5' },
      reason: 'temporarily_unavailable',
      detail,
    })
  }
  const described = error instanceof OAuthError ? (`: ${error.description}` as const) : ''
  return oauthError('invalid_client', `The metadata document of client_id cannot be used${described}`, {
    detail,
    cause: error,
  })
}
