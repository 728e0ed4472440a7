import { keySetIn } from '../clients/key-sets'
import { DocumentAway, type FetchedDocument, type FetchGuard } from '../documents/guarded-fetch'
import { minute, RemoteDocuments, second } from '../documents/remote-documents'
import { hasKeyOf, isKeySetUrl, type JsonWebKeySet, type Signer } from '../protocol/json-web-keys'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import { asError } from '../protocol/thrown'
import { type CheckedIssuer, isNameOf } from './trusted-issuer'

// Times are in milliseconds.
const keeping = {
  fresh: { unsaid: 5 * minute, most: 10 * minute },
  stale: { away: 50 * minute, flood: 50 * minute },
  room: { ofSite: 100, ofTenant: 100 },
  pause: { known: minute, unknown: 5 * second },
  // The tenants of one identity provider are below one domain, and each is somebody else's.
  siteOf: ({ host }: URL) => host,
}

/** What an issuer says about itself (RFC 8414 section 2, OpenID Connect Discovery section 3). */
interface IssuerMetadata {
  issuer: unknown
  jwks_uri: unknown
}

/** What an issuer has published cannot be used. */
class IssuerFault extends Error {}

/** Keys that need no fetch, for a test. Undefined if they are not known. */
export type KnownKeys = (signer: Signer) => JsonWebKeySet | undefined

/**
 * The keys of the issuers that companies trust. They are used for at most an hour after they were fetched: fresh for at most ten minutes, and
 * for fifty more while their address fails. A key that the issuer has withdrawn must not outlive that.
 *
 * They are fetched as the documents of clients are, each host with a share of its own: no company waits for the slow issuer of another one.
 */
export class IssuerKeys {
  readonly #guard: FetchGuard
  readonly #metadata: RemoteDocuments<IssuerMetadata>
  readonly #keys: RemoteDocuments<JsonWebKeySet>
  readonly #known: KnownKeys

  constructor(guard: FetchGuard, known: KnownKeys = () => undefined) {
    this.#guard = guard
    this.#metadata = new RemoteDocuments(guard, { ...keeping, read: issuerMetadataIn })
    this.#keys = new RemoteDocuments(guard, { ...keeping, read: keySetIn })
    this.#known = known
  }

  /**
   * Finds the keys of an issuer.
   *
   * @param signer Whose key is looked for. If the keys in memory do not have it, they are fetched again, at most once a minute.
   * @throws {OAuthError} `invalid_grant` if the issuer has none that can be used; `temporarily_unavailable` if they cannot be fetched now.
   */
  async find({ issuer, jwksUri }: CheckedIssuer, signer: Signer, tenantId: string): Promise<JsonWebKeySet> {
    const known = this.#known(signer)
    if (known) return known
    try {
      if (!isKeySetUrl(issuer, this.#guard)) throw new IssuerFault('issuer must be an https URL')
      const url = jwksUri ?? (await this.#jwksUriOf(issuer, tenantId))
      if (!isKeySetUrl(url, this.#guard)) throw new IssuerFault('jwks_uri must be an https URL')
      return (await this.#keys.find(url, tenantId, (set) => hasKeyOf(signer, set))).document
    } catch (error) {
      throw unusable(issuer, error)
    }
  }

  /** @throws {IssuerFault} if the metadata is another issuer's (RFC 8414 section 3.3), or names no keys. */
  async #jwksUriOf(issuer: string, tenantId: string): Promise<string> {
    const [usual, other] = discoveryUrls(issuer)
    const [first, second]: [string, string] = this.#metadata.remembered(other) ? [other, usual] : [usual, other]
    const find = (url: string) => this.#metadata.find(url, tenantId)
    const { document } = await find(first).catch((error) => find(second).catch(() => Promise.reject(error)))
    const { issuer: named, jwks_uri } = document
    if (!isNameOf({ issuer }, named)) throw new IssuerFault(`its metadata is of the issuer ${JSON.stringify(named)}`)
    if (typeof jwks_uri !== 'string') throw new IssuerFault('its metadata has no jwks_uri')
    return jwks_uri
  }
}

/** Where the metadata of an issuer can be: that of OpenID Connect first, which identity providers have (RFC 8414 section 5). */
export function discoveryUrls(issuer: string): [string, string] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
}

/** @throws {DocumentAway} for anything that is not JSON: it may be there again in a minute. */
function issuerMetadataIn({ status, body }: FetchedDocument): IssuerMetadata {
  if (status !== 200) throw new DocumentAway(`The status is ${status}`)
  try {
    const { issuer, jwks_uri } = JSON.parse(body)
    return { issuer, jwks_uri }
  } catch {
    throw new DocumentAway('There is no JSON')
  }
}

/** The error that the client is answered with, for whatever a fetch has thrown. */
function unusable(issuer: string, thrown: unknown): OAuthError {
  const { message: reason, cause } = asError(thrown)
  // The host's own fetch has returned something else than a response.
  if (cause instanceof OAuthError) return cause
  const detail = { issuer, reason }
  if (thrown instanceof DocumentAway) {
    const description = 'The keys of the issuer cannot be fetched at the moment'
    return thrown.answer(description, { reason: 'issuer_unavailable', detail })
  }
  return oauthError('invalid_grant', 'The assertion has an issuer whose keys cannot be used', {
    reason: 'issuer_unusable',
    detail,
  })
}
