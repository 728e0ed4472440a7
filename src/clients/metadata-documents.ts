import { type FetchGuard, guardedFetch } from '../http/guarded-fetch'
import { isClientId } from '../protocol/client-id'
import { OAuthError } from '../protocol/oauth-error'
import { type ClientMetadata, readClientMetadata } from './client-metadata'

const minute = 60_000
const leastKept = minute
const mostKept = 24 * 60 * minute
const failureKept = 10_000
const mostDocuments = 1000
const mostFetches = 8

interface Entry {
  metadata: Promise<ClientMetadata>
  until: number
}

/**
 * The clients whose id is the https URL of their metadata document (draft-ietf-oauth-client-id-metadata-document). Documents are
 * kept as long as their own headers say, within a minute and a day, and few are fetched at a time.
 */
export class MetadataDocuments {
  readonly #entries = new Map<string, Entry>()
  readonly #failures = new Map<string, Entry>()
  readonly #guard: FetchGuard
  readonly #appRedirects: readonly string[]
  #fetching = 0

  constructor(guard: FetchGuard, appRedirects: readonly string[]) {
    this.#guard = guard
    this.#appRedirects = appRedirects
  }

  /** Whether a client id is the URL of a metadata document: https, with a path, and in its normal form. */
  isDocumentUrl(clientId: string): boolean {
    if (!isClientId(clientId) || !URL.canParse(clientId)) return false
    const { href, protocol, username, password, pathname, hash, hostname } = new URL(clientId)
    const local =
      this.#guard.allowLoopback && protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
    return (
      href === clientId && (protocol === 'https:' || local) && pathname !== '/' && username + password + hash === ''
    )
  }

  /**
   * What the document of a client says of it.
   *
   * @throws {OAuthError} `invalid_client` where the document cannot be had or is not about this client, `temporarily_unavailable`
   * where too many are being fetched.
   */
  find(clientId: string): Promise<ClientMetadata> {
    const known = this.#entries.get(clientId) ?? this.#failures.get(clientId)
    if (known && known.until > Date.now()) return known.metadata
    if (this.#fetching >= mostFetches) {
      throw new OAuthError('temporarily_unavailable', 'Too many client metadata documents are being fetched', {
        headers: { 'Retry-After': '1' },
      })
    }
    const entry: Entry = { metadata: this.#fetched(clientId), until: Date.now() + leastKept }
    this.#keep(clientId, entry)
    return entry.metadata
  }

  async #fetched(clientId: string): Promise<ClientMetadata> {
    this.#fetching++
    try {
      const { body, headers } = await guardedFetch(new URL(clientId), this.#guard)
      checkType(headers['content-type'])
      const metadata = this.#read(clientId, JSON.parse(body))
      this.#keepFor(clientId, lifetimeOf(headers['cache-control']))
      return metadata
    } catch (error) {
      this.#keepFailure(clientId)
      const described = error instanceof OAuthError ? `: ${error.description}` : ''
      throw new OAuthError('invalid_client', `The metadata document of client_id cannot be used${described}`, {
        detail: { clientId, reason: (error as Error).message },
        cause: error,
      })
    } finally {
      this.#fetching--
    }
  }

  #read(clientId: string, metadata: Record<string, unknown>): ClientMetadata {
    if (metadata.client_id !== clientId) {
      throw new OAuthError('invalid_client_metadata', 'client_id in it is not its own address')
    }
    if (
      metadata.client_secret !== undefined ||
      String(metadata.token_endpoint_auth_method).startsWith('client_secret')
    ) {
      throw new OAuthError('invalid_client_metadata', 'it must not have a client_secret, as everyone can read it')
    }
    return readClientMetadata(metadata, this.#appRedirects)
  }

  #keep(clientId: string, entry: Entry, entries = this.#entries): void {
    entries.delete(clientId)
    const [oldest] = entries.keys()
    if (oldest !== undefined && entries.size >= mostDocuments) entries.delete(oldest)
    entries.set(clientId, entry)
  }

  /** Apart from the others: anyone can make a thousand addresses fail. */
  #keepFailure(clientId: string): void {
    const entry = this.#entries.get(clientId)
    this.#entries.delete(clientId)
    if (entry) this.#keep(clientId, { ...entry, until: Date.now() + failureKept }, this.#failures)
  }

  #keepFor(clientId: string, milliseconds: number): void {
    const entry = this.#entries.get(clientId)
    if (entry) entry.until = Date.now() + milliseconds
  }
}

/** Anything else may be what somebody has uploaded to a site that is not theirs. */
function checkType(contentType = ''): void {
  if (/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType)) return
  throw new OAuthError('invalid_client_metadata', 'it must be of the type application/json')
}

/** How long a document may be kept by its `Cache-Control` (RFC 9111 section 5.2.2), within bounds. */
function lifetimeOf(cacheControl = ''): number {
  if (/\b(no-store|no-cache)\b/i.test(cacheControl)) return leastKept
  const [, seconds] = /\bmax-age=(\d+)/i.exec(cacheControl) ?? []
  return Math.min(Math.max(Number(seconds ?? 0) * 1000, leastKept), mostKept)
}
