import type { IncomingMessage } from 'node:http'
import {
  type AuthenticationMethod,
  authenticationFailed,
  type ClientAuthenticationMethod,
  type CredentialsSuit,
  notAuthenticated,
  type Proof,
  type SingleUse,
} from '../client-authentication/method'
import {
  acceptPublic,
  authenticationMethods,
  checkMethods,
  isConfidential,
  methodsOf,
} from '../client-authentication/methods'
import type { Clients } from '../clients/clients'
import type { KeySets } from '../clients/key-sets'
import { PerMinute } from '../collections/per-minute'
import type { Client, ClientCredentials } from '../contract/tenant-store'
import type { GuardedStore } from '../host/guarded-store'
import type { Form } from '../http/body'
import { oauthError } from '../protocol/oauth-error'
import { isClientId } from '../protocol/registered-id'
import { ownClient, type ResolvedTenant } from '../tenants/resolved-tenant'
import type { DpopProofs, ProvenKey } from '../tokens/dpop-proofs'

/** The client that a request names. */
export interface RequestingClient {
  clientId: string
  /** The tenant's own record, if it has one of the client. */
  preRegistered?: Client | undefined
  /** What the request presents to prove that it is the client's. A public client presents nothing. */
  proof?: Proof | undefined
  /** Whether that has been verified. */
  isAuthenticated: boolean
  /** Uses up what the client has authenticated with, if that can be used only once: for {@link useUp}. */
  useUp?: ((isIssued: boolean) => Promise<void>) | undefined
  /** The key that the request proves (RFC 9449). */
  key?: ProvenKey | undefined
}

/** In place of a client, for a request that names none. */
export const noClient: RequestingClient = { clientId: '', isAuthenticated: false }

/**
 * Uses up what a client presents that can be used only once, before its request has an effect.
 *
 * @param isIssued Whether this server has issued the credential of the request to this client, for the key that it proves. Of other requests it
 * remembers few assertions and no proof of a key: they have no effect, and strangers, who can make keys without end, could fill the store with them.
 * @throws {OAuthError} `invalid_client` or `invalid_dpop_proof` if it was used before; `temporarily_unavailable` if the store does not say so, or
 * if there have been too many requests with unknown credentials.
 */
export async function useUp({ useUp, key }: RequestingClient, isIssued: boolean): Promise<void> {
  await useUp?.(isIssued)
  if (isIssued) await key?.useUp()
}

// Of one tenant's clients together. A store that remembers 100,000 assertions for an hour has room for 27 such tenants.
const maxUnknownPerMinute = 60

/** What clients are known by, and what is remembered of them. */
interface ClientRooms {
  clients: Clients
  keySets: KeySets
  proofs: DpopProofs
  store: GuardedStore
  /** The clock, in milliseconds since 1970. */
  now: () => number
}

/** Identifies and authenticates the clients of requests (RFC 6749 section 2.3), before any credential is redeemed. */
export class ClientAuthentication {
  readonly #methods: readonly ClientAuthenticationMethod[]
  readonly #proving: readonly AuthenticationMethod[]
  readonly #rooms: ClientRooms
  readonly #perMinute = new PerMinute()

  /** @param methods The methods that are on. */
  constructor(methods: readonly ClientAuthenticationMethod[], rooms: ClientRooms) {
    this.#methods = methods
    this.#rooms = rooms
    this.#proving = methods
      .map((name) => authenticationMethods[name])
      .filter(({ presented }) => presented !== undefined)
  }

  /**
   * Identifies the client by the username of HTTP Basic, by the `client_id` parameter or by the subject of its assertion (RFC 6749 sections
   * 2.3.1 and 3.2.1, RFC 7521 section 4.2). What proves that the request is the client's is read, and verified later; whatever belongs to a
   * method that is off, such as a password, is ignored.
   *
   * @param mayNameNone Whether a request that names none is answered with {@link noClient}.
   * @throws {OAuthError} `invalid_request` if none of them names a client, two name different ones, or there is more than one proof;
   * `invalid_client` if there is none and the client must authenticate, as far as the tenant's own record says it.
   */
  identify(req: IncomingMessage, form: Form, tenant: ResolvedTenant, mayNameNone = false): RequestingClient {
    const basic = basicCredentials(req.headers.authorization)
    const proof = this.#proofIn(form, basic?.password)
    if (mayNameNone && !basic && !proof && form.get('client_id') === undefined) return noClient
    const subject = proof?.clientId
    const clientId = basic?.username ?? subject ?? form.required('client_id')
    const inForm = form.get('client_id') ?? clientId
    if (subject !== undefined && (subject !== clientId || subject !== inForm)) {
      throw oauthError('invalid_request', 'client_id is not the sub of client_assertion')
    }
    if (inForm !== clientId) {
      throw oauthError('invalid_request', 'client_id is not the user name in the Authorization header')
    }
    if (!isClientId(clientId)) {
      throw oauthError('invalid_request', 'client_id must be at most 2048 characters of printable ASCII')
    }
    const preRegistered = ownClient(clientId, tenant)
    if (!proof) {
      // As far as the tenant's own record and the option say it.
      if (preRegistered) checkMethods(preRegistered, this.#methods)
      const mustAuthenticate = preRegistered ? isConfidential(preRegistered) : !acceptPublic(this.#methods)
      if (mustAuthenticate) throw notAuthenticated(clientId)
    }
    return { clientId, preRegistered, proof, isAuthenticated: false }
  }

  /**
   * Verifies the key that a request to the token endpoint proves (RFC 9449 section 5). The proof names the endpoint as the metadata does.
   *
   * @throws {OAuthError} `invalid_dpop_proof`, `use_dpop_nonce`, or `temporarily_unavailable` if the store does not tell its time.
   */
  async provenKey({ headers: { dpop }, method }: IncomingMessage, tenant: ResolvedTenant) {
    if (dpop === undefined) return undefined
    return this.#rooms.proofs.provenKey(dpop, { method, addresses: [`${tenant.address.endpoints}/token`] }, tenant.id)
  }

  /**
   * Checks that a client proves a key, if the company or its own record of the client says so. Of other clients their codes say it.
   *
   * @throws {OAuthError} `invalid_dpop_proof`.
   */
  checkKey({ clientId, key, preRegistered }: RequestingClient, { policy }: ResolvedTenant): void {
    if (key !== undefined || !(policy.requireDpop || preRegistered?.dpopBoundAccessTokens)) return
    throw oauthError('invalid_dpop_proof', 'The request must have a DPoP proof', {
      reason: 'no_proof',
      detail: { clientId },
    })
  }

  /** What a request presents of the methods that are on. RFC 6749 section 2.3 allows one of them. */
  #proofIn(form: Form, password: string | undefined): Proof | undefined {
    const proofs = this.#proving.flatMap((method) => method.presented?.(form, password) ?? [])
    if (proofs.length > 1) throw oauthError('invalid_request', 'The client must authenticate in one way only')
    return proofs[0]
  }

  /**
   * Authenticates the client, if it presents something. Nothing is used up before this.
   *
   * @param audiences What the `aud` of an assertion may be.
   * @throws {OAuthError} `invalid_client`, or `temporarily_unavailable` if what is known of the client cannot be found now.
   */
  async authenticate(
    client: RequestingClient,
    tenant: ResolvedTenant,
    audiences: readonly string[],
  ): Promise<RequestingClient> {
    const { clientId, proof } = client
    if (!proof) return client
    const once = await proof.verify({
      clientId,
      audiences,
      now: this.#rooms.now() / 1000,
      credentials: (suit) => this.#credentials(clientId, proof.method, tenant, suit),
      keysAt: (url, isIn) => this.#rooms.keySets.find(url, isIn, { clientId, tenantId: tenant.id }),
    })
    const useUp = once && ((isIssued: boolean) => this.#useUp(once, clientId, tenant.id, isIssued))
    return { ...client, isAuthenticated: true, useUp }
  }

  /** Checks that a client which has presented nothing is a public one. @throws {OAuthError} `invalid_client` if it must authenticate. */
  async checkPublic({ clientId, isAuthenticated }: RequestingClient, tenant: ResolvedTenant): Promise<void> {
    if (isAuthenticated || this.#proving.length === 0) return
    const credentials = await this.#rooms.clients.findCredentials(clientId, tenant, (some) => !isConfidential(some))
    if (isConfidential(credentials)) throw notAuthenticated(clientId)
  }

  async #credentials(
    clientId: string,
    method: AuthenticationMethod,
    tenant: ResolvedTenant,
    suit: CredentialsSuit = () => true,
  ) {
    const { clients } = this.#rooms
    const isOfMethod = (some: ClientCredentials) => methodsOf(some).includes(method)
    const suits = (some: ClientCredentials) => isOfMethod(some) && suit(some)
    // A document has no secret, so it need not be fetched to refuse one.
    const cannotHave = method.sharesSecret && clients.isDocument(clientId, tenant)
    const credentials: ClientCredentials = cannotHave ? {} : await clients.findCredentials(clientId, tenant, suits)
    if (isOfMethod(credentials)) return credentials
    throw authenticationFailed(`The client does not authenticate by ${method.name}`, clientId)
  }

  async #useUp({ id, lifetime }: SingleUse, clientId: string, tenantId: string, isIssued: boolean): Promise<void> {
    if (!isIssued && !this.#perMinute.count({ [tenantId]: maxUnknownPerMinute })) {
      throw oauthError('temporarily_unavailable', 'Too many requests present unknown credentials', {
        headers: { 'Retry-After': String(this.#perMinute.secondsLeft) },
        reason: 'temporarily_unavailable',
        detail: { clientId },
      })
    }
    if (await this.#rooms.store.useOnce(tenantId, id, lifetime)) return
    throw authenticationFailed('client_assertion has been used already', clientId, { reason: 'replayed' })
  }
}

/** What the `aud` of an assertion may be at the token endpoint (RFC 7523 section 3): the issuer, or the endpoint, which many clients name. */
export function tokenAudiences({ address: { issuer, endpoints } }: ResolvedTenant): readonly string[] {
  return [issuer, `${endpoints}/token`]
}

function basicCredentials(authorization: string | undefined): { username: string; password: string } | undefined {
  const [scheme = '', credentials = ''] = (authorization ?? '').split(/ (.*)/s)
  if (scheme.toLowerCase() !== 'basic') return undefined
  const decoded = Buffer.from(credentials, 'base64').toString('utf8')
  // The address of a document that is not encoded has a colon itself. A document has no secret, so the colon at the end is the one between the two.
  const address = /^(https?:\/\/.*):$/s.exec(decoded)?.[1]
  if (address !== undefined) return { username: address, password: '' }
  const [username, password] = decoded.split(/:(.*)/s)
  if (!username || password === undefined)
    throw oauthError('invalid_request', 'The user name in the Authorization header must be the client_id')
  return { username: formDecoded(username), password: formDecoded(password) }
}

/** Decodes the username or password (RFC 6749 section 2.3.1). Clients that do not encode it mostly send one that needs no encoding. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
