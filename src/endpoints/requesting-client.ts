import type { IncomingMessage } from 'node:http'
import { checkMethods, isConfidential } from '../clients/authentication-methods'
import { readAssertion, type UseUp } from '../clients/client-assertions'
import type { ClientAuthentication, ClientProof } from '../clients/client-authentication'
import { ownClient } from '../clients/clients'
import type { Client } from '../contract/tenant-store'
import type { Form } from '../http/form'
import { type ClientAuthenticationMethod, jwtAssertionType, notAuthenticated } from '../protocol/client-authentication'
import { isClientId } from '../protocol/client-id'
import type { GrantType } from '../protocol/grant-types'
import { oauthError } from '../protocol/oauth-error'
import type { ResolvedTenant } from '../tenants/tenants'

/** The client that a request names. */
export interface RequestingClient {
  clientId: string
  /** The tenant's own record, if it has one of the client. */
  preRegistered: Client | undefined
  /** What the request presents to prove that it is the client's. A public client presents nothing. */
  proof: ClientProof | undefined
  /** Whether that has been verified. */
  isAuthenticated: boolean
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
  const useUp = await authentication.authenticate(clientId, proof, tenant, audiences)
  return { ...client, isAuthenticated: true, useUp }
}

/** What the `aud` of an assertion may be at the token endpoint (RFC 7523 section 3): the issuer, or the endpoint, which many clients name. */
export function tokenAudiences({ issuer, endpoints }: ResolvedTenant): readonly string[] {
  return [issuer, `${endpoints}/token`]
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
