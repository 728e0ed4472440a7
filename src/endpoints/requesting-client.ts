import type { IncomingMessage } from 'node:http'
import { checkMethods, isConfidential } from '../clients/authentication-methods'
import { readAssertion, type UseUp } from '../clients/client-assertions'
import type { ClientAuthentication, ClientProof } from '../clients/client-authentication'
import { type Clients, ownClient, unknownClient } from '../clients/clients'
import { aboutGrant, contextOf, type Emit, faultEvent } from '../events/emitter'
import type { Grants } from '../grants/grants'
import type { Redemption } from '../grants/redemptions'
import type { Form } from '../http/form'
import { type ClientAuthenticationMethod, jwtAssertionType, notAuthenticated } from '../protocol/client-authentication'
import { isClientId } from '../protocol/client-id'
import type { GrantType } from '../protocol/grant-types'
import { type ErrorContext, OAuthError, oauthError, withContext } from '../protocol/oauth-error'
import type { Client } from '../stores/tenant-store'
import type { RegisteredClient } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'

/** The client that a request names. */
export interface RequestingClient {
  clientId: string
  /** The tenant's own record. Without one, only the token store can say whether there is such a client. */
  preRegistered: Client | undefined
  /** What the request presents to prove that it is the client's. A public client presents nothing. */
  proof: ClientProof | undefined
  /** Whether that has been verified. */
  isAuthenticated: boolean
  /** The client's registration, if it was looked up to authenticate the client. */
  registration?: RegisteredClient | undefined
  /** Uses up what it has authenticated with, if that can be used only once. */
  useUp?: UseUp | undefined
}

/**
 * Identifies the client by the username of HTTP Basic, by the `client_id` parameter or by the subject of its assertion (RFC 6749 sections
 * 2.3.1 and 3.2.1, RFC 7521 section 4.2). What proves that the request is the client's is read, and verified later; whatever belongs to a
 * method that is off, such as a password, is ignored.
 *
 * @throws {OAuthError} `invalid_request` if none of them names a client, two name different ones, or there is more than one proof;
 * `invalid_client` if there is none and the client must authenticate, as far as the tenant's own record says it.
 */
export function identifyClient(
  req: IncomingMessage,
  form: Form,
  tenant: ResolvedTenant,
  authentication: Pick<ClientAuthentication, 'isOn' | 'has' | 'methods'>,
): RequestingClient {
  const basic = basicCredentials(req.headers.authorization)
  const proof = authentication.isOn ? proofOf(basic?.password, form, authentication) : undefined
  const subject = proof?.method === 'private_key_jwt' ? proof.assertion.clientId : undefined
  const clientId = basic?.username ?? subject ?? form.required('client_id')
  const inForm = form.get('client_id') ?? clientId
  if (subject !== undefined && (subject !== clientId || subject !== inForm)) {
    throw oauthError('invalid_request', 'client_id is not the sub of client_assertion')
  }
  if (inForm !== clientId) {
    throw oauthError('invalid_request', 'client_id is not the user name in the Authorization header')
  }
  if (!isClientId(clientId))
    throw oauthError('invalid_request', 'client_id must be at most 2048 characters of printable ASCII')
  const preRegistered = ownClient(clientId, tenant)
  if (!proof) checkMayBePublic(clientId, preRegistered, authentication.methods)
  return { clientId, preRegistered, proof, isAuthenticated: false }
}

/** Checks that a client may present nothing, as far as the tenant's own record and the option say it. */
function checkMayBePublic(
  clientId: string,
  preRegistered: Client | undefined,
  methods: readonly ClientAuthenticationMethod[],
): void {
  if (preRegistered) checkMethods(preRegistered, methods)
  const mustAuthenticate = preRegistered ? isConfidential(preRegistered) : !methods.includes('none')
  if (mustAuthenticate) throw notAuthenticated(clientId)
}

/**
 * Authenticates the client, if it presents something (RFC 6749 section 2.3). Nothing is used up before this.
 *
 * @param audiences What the `aud` of an assertion may be.
 * @throws {OAuthError} `invalid_client`, or `temporarily_unavailable` if what is known of the client cannot be found now.
 */
export async function authenticatedClient(
  client: RequestingClient,
  tenant: ResolvedTenant,
  audiences: readonly string[],
  authentication: ClientAuthentication,
): Promise<RequestingClient> {
  const { clientId, proof } = client
  if (!proof) return client
  const authenticated = await authentication.authenticate(clientId, proof, tenant, audiences)
  return { ...client, isAuthenticated: true, ...authenticated }
}

/** What the `aud` of an assertion may be at the token endpoint (RFC 7523 section 3): the issuer, or the endpoint, which many clients name. */
export function tokenAudiences({ issuer }: ResolvedTenant): readonly string[] {
  return [issuer, `${issuer}/token`]
}

/** What a request presents of the methods that are on. RFC 6749 section 2.3 allows one of them. */
function proofOf(
  password: string | undefined,
  form: Form,
  authentication: Pick<ClientAuthentication, 'has'>,
): ClientProof | undefined {
  const proofs: ClientProof[] = []
  if (authentication.has('client_secret_basic') && password) {
    proofs.push({ method: 'client_secret_basic', secret: password })
  }
  const secret = form.get('client_secret')
  if (authentication.has('client_secret_post') && secret !== undefined) {
    proofs.push({ method: 'client_secret_post', secret })
  }
  const type = form.get('client_assertion_type')
  if (authentication.has('private_key_jwt') && (type ?? form.get('client_assertion')) !== undefined) {
    const jws = form.required('client_assertion')
    if (type !== jwtAssertionType) {
      throw oauthError('invalid_request', `client_assertion_type must be ${jwtAssertionType}`)
    }
    proofs.push({ method: 'private_key_jwt', assertion: readAssertion(jws) })
  }
  if (proofs.length > 1) throw oauthError('invalid_request', 'The client must authenticate in one way only')
  return proofs[0]
}

/** Whether a client can use a grant type (RFC 7591 section 2). */
export function mayUse(grantType: GrantType, { preRegistered }: RequestingClient): boolean {
  return preRegistered?.grantTypes?.includes(grantType) ?? true
}

/**
 * Confirms that a client which is not the tenant's own is registered. It does so during the redemption and not before it, so that both
 * together take one round trip to the store.
 *
 * @throws {OAuthError} `invalid_client` if the store says for certain that there is no such client; the grant then ends. Otherwise whatever
 * the redemption throws. If the look-up fails, the client is not refused.
 */
export async function confirmClient(
  { clientId, registration: known }: RequestingClient,
  redeeming: Promise<Redemption>,
  tenant: ResolvedTenant,
  { clients, grants, emit }: { clients: Clients; grants: Grants; emit: Emit },
): Promise<Redemption> {
  const reportFault = (where: string, error: unknown) =>
    emit(faultEvent(where, error, { tenantKey: tenant.key, tenantId: tenant.id, clientId }))
  const touch = (registration: RegisteredClient, { grant }: Redemption) => {
    clients.touchUsed(registration, grant, tenant).catch((error) => reportFault('touchClient', error))
  }
  if (known) {
    const redemption = await redeeming
    touch(known, redemption)
    return redemption
  }
  // A client with a metadata document needs no look-up: its grant is bound to the URL of the document.
  if (!clients.isRegistration(clientId, tenant)) return await redeeming
  const lookingUp = clients.findRegistration(clientId, tenant)
  const [redemption, registration] = await Promise.allSettled([redeeming, lookingUp])
  if (registration.status === 'fulfilled' && !registration.value) {
    if (redemption.status === 'fulfilled') {
      const { grant } = redemption.value
      // If this fails, the grant is useless anyway: no client was given its new refresh token.
      await grants
        .end(grant, tenant, 'client_gone')
        .catch((error) => emit(faultEvent('deleteGrant', error, aboutGrant(grant, tenant.key))))
    }
    throw withContext(unknownClient(clientId), grantOf(redemption))
  }
  if (redemption.status === 'rejected') throw redemption.reason
  if (registration.status === 'rejected') reportFault('findClient', registration.reason)
  else if (registration.value) touch(registration.value, redemption.value)
  return redemption.value
}

/** Whose grant it was, as far as the redemption found that out. */
function grantOf(redemption: PromiseSettledResult<Redemption>): ErrorContext {
  if (redemption.status === 'fulfilled') return contextOf(redemption.value.grant)
  return redemption.reason instanceof OAuthError ? redemption.reason.context : {}
}

function basicCredentials(authorization: string | undefined): { username: string; password: string } | undefined {
  const [scheme = '', credentials = ''] = (authorization ?? '').split(/ (.*)/s)
  if (scheme.toLowerCase() !== 'basic') return undefined
  const [username, password] = Buffer.from(credentials, 'base64').toString('utf8').split(/:(.*)/s)
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
