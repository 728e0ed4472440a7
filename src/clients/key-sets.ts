import { authenticationFailed } from '../client-authentication/method'
import { DocumentAway, type FetchedDocument, type FetchGuard } from '../documents/guarded-fetch'
import { day, hour, minute, RemoteDocuments, second } from '../documents/remote-documents'
import { isKeySetUrl, type JsonWebKeySet, keySetFault, publicPart } from '../protocol/json-web-keys'
import { OAuthError } from '../protocol/oauth-error'
import { asError } from '../protocol/thrown'

/** What is at an address is no set of keys that can be used. */
class KeySetFault extends Error {}

/**
 * The keys that clients publish at their `jwks_uri` (RFC 7591 section 2). A set is fresh for as long as its headers say, from a minute to an
 * hour, and by default for five minutes. While its address fails it is used for another day, unless its headers forbid it.
 *
 * An address is asked at most once a minute, or for each tenant once every five seconds as long as it has given no set, whatever assertions
 * come. Until then, no tenant waits for another: one whose share of the fetches is used up would keep the keys from all others.
 */
export class KeySets {
  readonly #guard: FetchGuard
  readonly #documents: RemoteDocuments<JsonWebKeySet>

  constructor(guard: FetchGuard) {
    this.#guard = guard
    this.#documents = new RemoteDocuments(guard, {
      read: keySetIn,
      fresh: { unsaid: 5 * minute, most: hour },
      stale: { away: day, flood: day },
      // Nobody says which of them customers rely on: strangers at the same site must not push those out.
      room: { ofSite: 1000, ofTenant: 1000 },
      pause: { known: minute, unknown: 5 * second },
    })
  }

  /**
   * Finds the keys at an address.
   *
   * @param isIn Whether a set has the key that is looked for. If the set in memory does not, it is fetched again: the client may have a new key.
   * @throws {OAuthError} `invalid_client` if there are no keys there that can be used; `temporarily_unavailable` if they cannot be fetched now.
   */
  async find(
    url: string,
    isIn: (set: JsonWebKeySet) => boolean,
    { clientId, tenantId }: { clientId: string; tenantId: string },
  ): Promise<JsonWebKeySet> {
    try {
      if (!isKeySetUrl(url, this.#guard)) throw new KeySetFault('jwks_uri must be an https URL')
      return (await this.#documents.find(url, tenantId, isIn)).document
    } catch (error) {
      throw unusable(clientId, error)
    }
  }
}

/** @throws {DocumentAway} for anything that says nothing of the keys; {@link KeySetFault}. */
export function keySetIn({ status, body }: FetchedDocument): JsonWebKeySet {
  // No other status says anything of the keys, not even 404: it may be a mistake of a minute, and must not sign customers out.
  if (status !== 200) throw new DocumentAway(`The status is ${status}`)
  let given: unknown
  try {
    given = JSON.parse(body)
  } catch {
    // The page of a firewall against bots says nothing of the keys either.
    throw new DocumentAway('There is no JSON at jwks_uri')
  }
  const fault = keySetFault(given)
  if (fault) throw new KeySetFault(`what is at jwks_uri ${fault}`)
  return publicPart(given as JsonWebKeySet)
}

/** The error that the client is answered with, for whatever a fetch has thrown. */
function unusable(clientId: string, thrown: unknown): OAuthError {
  const { message: reason, cause } = asError(thrown)
  // The host's own fetch has returned something else than a response.
  if (cause instanceof OAuthError) return cause
  const detail = { clientId, reason }
  if (thrown instanceof DocumentAway) {
    const description = 'The keys of the client cannot be fetched at the moment'
    return thrown.answer(description, { reason: 'temporarily_unavailable', detail })
  }
  const why = thrown instanceof KeySetFault ? reason : 'jwks_uri cannot be fetched'
  return authenticationFailed(`The keys of the client cannot be used: ${why}`, clientId, { detail })
}
