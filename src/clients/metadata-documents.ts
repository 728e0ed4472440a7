import { parse } from 'content-type'
import { type FetchFor, FetchSlots, NoFetchSlot } from '../http/fetch-slots'
import { type FetchedDocument, type FetchGuard, ForbiddenFetch, guardedFetch } from '../http/guarded-fetch'
import { PerMinute } from '../http/per-minute'
import { siteOf } from '../http/site'
import { isClientId } from '../protocol/client-id'
import { isLoopbackHost } from '../protocol/loopback'
import { OAuthError } from '../protocol/oauth-error'
import { type ClientMetadata, readClientMetadata } from './client-metadata'
import { type Freshness, KeptDocuments, type Standing } from './kept-documents'

// Milliseconds.
const minute = 60_000
const day = 24 * 60 * minute

// More than one address may ask for by the README's rate limit of /authorize.
const maxPerMinuteOfSiteAtTenant = 300
const maxPerMinuteOfTenant = 600
const maxPerMinuteOfSite = 600
const maxPerMinuteOfKnown = 60

/**
 * The clients whose id is the https URL of their metadata document (draft-ietf-oauth-client-id-metadata-document). Fetches, and the
 * documents that are kept, are shared by site and by tenant. Addresses that have given a document before are fetched in slots of their own,
 * so that no flood of others is in their way. No failure is kept.
 */
export class MetadataDocuments {
  readonly #guard: FetchGuard
  readonly #appRedirects: readonly string[]
  readonly #kept = new KeptDocuments()
  readonly #slots: Record<Standing, FetchSlots> = {
    unknown: new FetchSlots(),
    known: new FetchSlots(),
    allowed: new FetchSlots(),
  }
  readonly #perMinute = new PerMinute()
  readonly #fetching = new Map<string, Promise<ClientMetadata>>()

  constructor(guard: FetchGuard, appRedirects: readonly string[]) {
    this.#guard = guard
    this.#appRedirects = appRedirects
  }

  /** Whether a client id is the URL of a metadata document: https, with a path, and in its normal form. */
  isDocumentUrl(clientId: string): boolean {
    if (!isClientId(clientId) || clientId.includes('#') || !URL.canParse(clientId)) return false
    const { href, protocol, username, password, pathname, hostname } = new URL(clientId)
    const local = this.#guard.allowLoopback && protocol === 'http:' && isLoopbackHost(hostname)
    return href === clientId && (protocol === 'https:' || local) && pathname !== '/' && username + password === ''
  }

  /**
   * What the document of a client says of it, for a tenant. A copy that is not fresh any more is good for another day while the
   * document's server fails, and for ten minutes while too many are being fetched, unless its own headers forbid that.
   *
   * @throws {OAuthError} `invalid_client` where there is no such document or it is not about this client, `temporarily_unavailable` where it
   * cannot be had now: its server fails, or too many are being fetched.
   */
  async find(clientId: string, tenantId: string): Promise<ClientMetadata> {
    const fresh = this.#kept.fresh(clientId)
    if (fresh) return fresh
    try {
      return await this.#fetchedOnce(clientId, tenantId)
    } catch (error) {
      if (error instanceof OAuthError && error.status === 503) {
        // Strangers can see to it that too many are fetched, and must not keep in force what its publisher has withdrawn.
        const most = error instanceof TooMany ? 10 * minute : day
        const stale = this.#kept.stale(clientId, most, minute)
        if (stale) return stale
      } else {
        this.#kept.drop(clientId)
      }
      throw error
    }
  }

  /** A customer has allowed a client: its document, if it has one, is kept longer than others. */
  allowed(clientId: string): void {
    this.#kept.allowed(clientId)
  }

  /** One fetch for all who wait for it: at a tenant, or at all of them where the address is known. */
  #fetchedOnce(clientId: string, tenantId: string): Promise<ClientMetadata> {
    const standing = this.#kept.standing(clientId)
    const site = siteOf(new URL(clientId))
    // One that is known is no tenant's in particular: its site stands for all of them.
    const fetchFor = { tenantId: standing === 'unknown' ? tenantId : site, site }
    const name = `${fetchFor.tenantId} ${clientId}`
    const underWay = this.#fetching.get(name)
    if (underWay !== undefined) return underWay
    const fetching = this.#fetched(clientId, standing, fetchFor).finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, fetching)
    return fetching
  }

  async #fetched(clientId: string, standing: Standing, fetchFor: FetchFor): Promise<ClientMetadata> {
    this.#checkShares(clientId, standing, fetchFor)
    try {
      return await this.#slots[standing].lend(fetchFor, async () => {
        // Another tenant may have fetched it meanwhile.
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
    const count = (name: string, most: number) => this.#perMinute.count(name, most)
    // One that is known is fresh for a minute at least: only a failing one is fetched more often.
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
    const metadata = this.#checked(clientId, parsed(body))
    this.#kept.keep(clientId, metadata, freshnessOf(headers['cache-control']), fetchFor)
    return metadata
  }

  #checked(clientId: string, metadata: Record<string, unknown>): ClientMetadata {
    if (metadata.client_id !== clientId) throw invalid('client_id in it is not its own address')
    if (
      metadata.client_secret !== undefined ||
      String(metadata.token_endpoint_auth_method).startsWith('client_secret')
    ) {
      throw invalid('it must not have a client_secret, as everyone can read it')
    }
    return readClientMetadata(metadata, this.#appRedirects)
  }
}

class UnexpectedStatus extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The status is ${status}`)
    this.status = status
  }
}

/** The document is not fetched now, for what else is. */
class TooMany extends OAuthError {
  constructor(clientId: string, reason: string, retryAfter: number) {
    super('temporarily_unavailable', 'Too many client metadata documents are being fetched', {
      reason: 'temporarily_unavailable',
      headers: { 'Retry-After': String(retryAfter) },
      detail: { clientId, reason },
    })
  }
}

function parsed(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body))
  } catch {
    throw invalid('it must be JSON')
  }
}

/** Anything else may be what somebody has uploaded to a site that is not theirs. */
function checkType(contentType = ''): void {
  const { type } = parse(contentType, { parameters: false })
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type)) return
  throw invalid('it must be of the type application/json')
}

/** How long a document may be kept by its `Cache-Control` (RFC 9111 section 5.2.2), within a minute and a day. */
function freshnessOf(cacheControl = ''): Freshness {
  const directives = cacheControl.toLowerCase()
  // RFC 9111 section 4.2.4.
  const stale = /\b(?:no-store|no-cache|must-revalidate)\b/.test(directives) ? 0 : day
  const [, seconds = '0'] = /\bmax-age=(\d+)/.exec(directives) ?? []
  const fresh = /\b(?:no-store|no-cache)\b/.test(directives) ? 0 : Number(seconds) * 1000
  return { fresh: Math.min(Math.max(fresh, minute), day), stale }
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}

/** Whether another try can go better, as far as the error tells. */
function isPassing(error: unknown): boolean {
  if (error instanceof UnexpectedStatus) {
    // 403 is how walls against robots answer, which says nothing of the document.
    return [403, 408, 425, 429].includes(error.status) || error.status >= 500
  }
  return !(error instanceof ForbiddenFetch) && !(error instanceof OAuthError)
}

function unusable(clientId: string, error: unknown): OAuthError {
  const detail = { clientId, reason: error instanceof Error ? error.message : String(error) }
  if (isPassing(error)) {
    return new OAuthError('temporarily_unavailable', 'The metadata document of client_id cannot be fetched for now', {
      headers: { 'Retry-After': '5' },
      reason: 'temporarily_unavailable',
      detail,
    })
  }
  const described = error instanceof OAuthError ? `: ${error.description}` : ''
  return new OAuthError('invalid_client', `The metadata document of client_id cannot be used${described}`, {
    detail,
    cause: error,
  })
}
