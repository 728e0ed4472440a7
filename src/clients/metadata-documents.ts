import { parse } from 'content-type'
import { type FetchFor, FetchSlots, NoFetchSlot } from '../http/fetch-slots'
import { type Fetched, type FetchGuard, ForbiddenFetch, guardedFetch } from '../http/guarded-fetch'
import { PerMinute } from '../http/per-minute'
import { siteOf } from '../http/site'
import { isClientId } from '../protocol/client-id'
import { OAuthError } from '../protocol/oauth-error'
import { type ClientMetadata, readClientMetadata } from './client-metadata'
import { type Freshness, KeptDocuments } from './kept-documents'

// Milliseconds.
const minute = 60_000
const day = 24 * 60 * minute

const mostPerMinuteOfSite = 60
const mostPerMinuteOfTenant = 300

/**
 * The clients whose id is the https URL of their metadata document (draft-ietf-oauth-client-id-metadata-document). Fetches, and the
 * documents that are kept, are shared by site and by tenant. No failure is kept.
 */
export class MetadataDocuments {
  readonly #guard: FetchGuard
  readonly #appRedirects: readonly string[]
  readonly #kept = new KeptDocuments()
  readonly #slots = new FetchSlots()
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
    const local =
      this.#guard.allowLoopback && protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
    return href === clientId && (protocol === 'https:' || local) && pathname !== '/' && username + password === ''
  }

  /**
   * What the document of a client says of it, for a tenant. A copy that is not fresh any more is good for another day while the document
   * cannot be had, unless its own headers forbid that.
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
        const stale = this.#kept.stale(clientId, minute)
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

  /** One fetch for all who wait for it at a tenant. At another one it may be refused for what goes on there. */
  #fetchedOnce(clientId: string, tenantId: string): Promise<ClientMetadata> {
    const name = `${tenantId} ${clientId}`
    const underWay = this.#fetching.get(name)
    if (underWay !== undefined) return underWay
    const fetching = this.#fetched(clientId, tenantId).finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, fetching)
    return fetching
  }

  async #fetched(clientId: string, tenantId: string): Promise<ClientMetadata> {
    const url = new URL(clientId)
    const fetchFor = { tenantId, site: siteOf(url) }
    this.#checkShares(clientId, fetchFor)
    try {
      return await this.#slots.lend(fetchFor, async () => {
        // Another tenant may have fetched it meanwhile.
        const fresh = this.#kept.fresh(clientId)
        return fresh ?? this.#read(clientId, await guardedFetch(url, this.#guard), fetchFor)
      })
    } catch (error) {
      throw error instanceof NoFetchSlot ? tooMany(clientId, 'No slot was free in time', 1) : unusable(clientId, error)
    }
  }

  #checkShares(clientId: string, { tenantId, site }: FetchFor): void {
    const isWithin =
      this.#perMinute.count(`${tenantId} ${site}`, mostPerMinuteOfSite) &&
      this.#perMinute.count(tenantId, mostPerMinuteOfTenant)
    if (!isWithin) throw tooMany(clientId, `The share of ${site}, or of the tenant, is used up`, this.#perMinute.rest)
  }

  #read(clientId: string, { status, headers, body }: Fetched, fetchFor: FetchFor): ClientMetadata {
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

function tooMany(clientId: string, reason: string, retryAfter: number): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Too many client metadata documents are being fetched', {
    headers: { 'Retry-After': String(retryAfter) },
    detail: { clientId, reason },
  })
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
      detail,
    })
  }
  const described = error instanceof OAuthError ? `: ${error.description}` : ''
  return new OAuthError('invalid_client', `The metadata document of client_id cannot be used${described}`, {
    detail,
    cause: error,
  })
}
