import { BoundedMap } from '../collections/bounded-map'
import { PerMinute } from '../collections/per-minute'
import { FetchSlots, NoFetchSlot, sharesOf } from '../documents/fetch-slots'
import { type FetchedDocument, ForbiddenFetch } from '../documents/guarded-fetch'
import { siteOf } from '../documents/site'
import { isKeySetUrl, type JsonWebKeySet, keySetFault, publicPart } from '../protocol/json-web-keys'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import { asError } from '../protocol/thrown'

// Milliseconds.
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const maxSets = 1000

/** Whose keys are looked for, and with which tenant. */
export interface KeyOwner {
  clientId: string
  tenantId: string
}

interface Kept {
  set: JsonWebKeySet
  freshUntil: number
  usableUntil: number
}

interface Attempt {
  at: number
  /** Why it failed. */
  error?: OAuthError | undefined
}

/** What key sets may be fetched from, and how. */
export interface KeySetSource {
  /** Whether it may be http on loopback. For development. */
  allowLoopback: boolean
  fetch(url: URL): Promise<FetchedDocument>
}

/**
 * The keys that clients publish at their `jwks_uri` (RFC 7591 section 2). A set is fresh for as long as its headers say, from a minute to an
 * hour, and by default for five minutes. While its address fails it is used for another day, unless its headers forbid it.
 *
 * An address is asked at most once a minute, or for each tenant once every five seconds as long as it has given no set, whatever assertions
 * come. Until then, no tenant waits for another: one whose share of the fetches is used up would keep the keys from all others.
 */
export class KeySets {
  readonly #source: KeySetSource
  readonly #kept = new BoundedMap<string, Kept>(maxSets)
  readonly #attempts = new BoundedMap<string, Attempt>(maxSets)
  readonly #fetching = new Map<string, Promise<JsonWebKeySet>>()
  // Addresses that have given a set before have slots of their own, so that a flood of others cannot delay them.
  readonly #slots = { known: new FetchSlots(), unknown: new FetchSlots() }
  readonly #perMinute = new PerMinute()

  constructor(source: KeySetSource) {
    this.#source = source
  }

  /**
   * Finds the keys at an address.
   *
   * @param isIn Whether a set has the key that is looked for. If the set in memory does not, it is fetched again: the client may have a new key.
   * @throws {OAuthError} `invalid_client` if there are no keys there that can be used; `temporarily_unavailable` if they cannot be fetched now.
   */
  async find(url: string, isIn: (set: JsonWebKeySet) => boolean, owner: KeyOwner): Promise<JsonWebKeySet> {
    const kept = this.#kept.get(url)
    if (kept && performance.now() < kept.freshUntil && isIn(kept.set)) return kept.set
    try {
      return await this.#fetchAgain(url, kept !== undefined, owner)
    } catch (error) {
      const isAway = error instanceof OAuthError && error.status === 503
      if (kept && isAway && performance.now() < kept.usableUntil && isIn(kept.set)) return kept.set
      throw error
    }
  }

  async #fetchAgain(url: string, isKnown: boolean, owner: KeyOwner): Promise<JsonWebKeySet> {
    const name = isKnown ? url : `${owner.tenantId} ${url}`
    const underWay = this.#fetching.get(name)
    if (underWay !== undefined) return underWay
    const last = this.#attempts.get(name)
    const waits = last ? last.at + (isKnown ? minute : 5 * second) - performance.now() : 0
    if (last && waits > 0) throw last.error ?? unavailable(owner, 'They were fetched a moment ago', waits)
    const attempt: Attempt = { at: performance.now() }
    this.#attempts.set(name, attempt)
    const fetching = this.#fetch(url, isKnown, owner)
      .then((set) => {
        // The address is known now, at every tenant.
        this.#attempts.set(url, attempt)
        return set
      })
      .catch((error) => {
        attempt.error = error
        throw error
      })
      .finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, fetching)
    return fetching
  }

  async #fetch(url: string, isKnown: boolean, owner: KeyOwner): Promise<JsonWebKeySet> {
    const { allowLoopback } = this.#source
    if (!isKeySetUrl(url, { allowLoopback })) throw unusable(owner, 'jwks_uri must be an https URL')
    const parsed = new URL(url)
    const site = siteOf(parsed)
    // A known address belongs to no particular tenant: its site takes the tenant's place.
    const fetchFor = { tenantId: isKnown ? site : owner.tenantId, site }
    if (!isKnown && !this.#perMinute.count(sharesOf(fetchFor)))
      throw unavailable(owner, 'A share of the site or of the tenant is used up', 5 * second)
    const slots = isKnown ? this.#slots.known : this.#slots.unknown
    const fetched = await slots
      .lend(fetchFor, () => this.#source.fetch(parsed))
      .catch((error) => {
        if (error instanceof ForbiddenFetch) throw unusable(owner, 'jwks_uri cannot be fetched', error.message)
        // The host's own fetch has returned something else than a response.
        if (error instanceof OAuthError) throw error
        const wait = error instanceof NoFetchSlot ? second : 5 * second
        throw unavailable(owner, asError(error).message, wait)
      })
    return this.#keep(url, fetched, owner)
  }

  #keep(url: string, { status, headers, body }: FetchedDocument, owner: KeyOwner): JsonWebKeySet {
    // No other status says anything of the keys, not even 404: it may be a mistake of a minute, and must not sign customers out.
    if (status !== 200) throw unavailable(owner, `The status is ${status}`, 5 * second)
    const given = parsedJson(body)
    // Nor does the page of a firewall against bots.
    if (given === undefined) throw unavailable(owner, 'There is no JSON at jwks_uri', 5 * second)
    const fault = keySetFault(given)
    if (fault) {
      this.#drop(url)
      throw unusable(owner, `what is at jwks_uri ${fault}`)
    }
    const set = publicPart(given as JsonWebKeySet)
    const directives = String(headers['cache-control'] ?? '').toLowerCase()
    const [, maxAge = '300'] = /\bmax-age=(\d+)/.exec(directives) ?? []
    const freshUntil = performance.now() + Math.min(Math.max(Number(maxAge) * second, minute), hour)
    // RFC 9111 section 4.2.4.
    const mayBeStale = !/\b(?:no-store|no-cache|must-revalidate)\b/.test(directives)
    this.#kept.set(url, { set, freshUntil, usableUntil: freshUntil + (mayBeStale ? day : 0) })
    return set
  }

  /** Forgets the keys of an address that now has others which cannot be used. */
  #drop(url: string): void {
    const kept = this.#kept.get(url)
    if (kept) this.#kept.set(url, { ...kept, freshUntil: 0, usableUntil: 0 })
  }
}

function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function unusable({ clientId }: KeyOwner, why: string, reason = why): OAuthError {
  return oauthError('invalid_client', `The keys of the client cannot be used: ${why}`, {
    reason: 'authentication_failed',
    detail: { clientId, reason },
  })
}

/** The client keeps what it has, and tries again. @param wait In milliseconds. */
function unavailable({ clientId }: KeyOwner, reason: string, wait: number): OAuthError {
  return oauthError('temporarily_unavailable', 'The keys of the client cannot be fetched at the moment', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(wait / second))) },
    reason: 'temporarily_unavailable',
    detail: { clientId, reason },
  })
}
