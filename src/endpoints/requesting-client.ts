import type { IncomingMessage } from 'node:http'
import type { Form } from '../http/form'
import { isClientId } from '../protocol/client-id'
import type { GrantType } from '../protocol/grant-types'
import { OAuthError } from '../protocol/oauth-error'
import type { Client } from '../stores/tenant-store'
import type { ResolvedTenant } from '../tenants/tenants'

/** The client that a request says it comes from. */
export interface IdentifiedClient {
  clientId: string
  /** The tenant's own record; absent where only the token store can say whether there is such a client. */
  preRegistered: Client | undefined
}

/**
 * Identifies the client by the username of HTTP Basic or by the `client_id` parameter. No client has a secret, so a password
 * is ignored (RFC 6749 sections 2.3.1 and 3.2.1).
 *
 * @throws {OAuthError} `invalid_request` where neither names a client, or each another one.
 */
export function identifyClient(req: IncomingMessage, form: Form, tenant: ResolvedTenant): IdentifiedClient {
  const username = basicUsername(req.headers.authorization)
  const clientId = username ?? form.required('client_id')
  if ((form.get('client_id') ?? clientId) !== clientId) {
    throw new OAuthError('invalid_request', 'client_id is not the username of the Authorization header')
  }
  if (!isClientId(clientId)) throw new OAuthError('invalid_request', 'client_id must be printable ASCII, 2048 at most')
  return { clientId, preRegistered: tenant.clients.find((client) => client.clientId === clientId) }
}

/** The error for a client that there is not: it makes a client register again. */
export function unknownClient(clientId: string): OAuthError {
  return new OAuthError('invalid_client', 'There is no client with this client_id', {
    headers: { 'WWW-Authenticate': 'Basic realm="client_id"' },
    reason: 'client_gone',
    detail: { clientId },
  })
}

/** The grant types that a client can use (RFC 7591 section 2). */
export function mayUse(grantType: GrantType, { preRegistered }: IdentifiedClient): boolean {
  return preRegistered?.grantTypes?.includes(grantType) ?? true
}

function basicUsername(authorization: string | undefined): string | undefined {
  const [scheme = '', credentials = ''] = (authorization ?? '').split(/ (.*)/s)
  if (scheme.toLowerCase() !== 'basic') return undefined
  const [username, password] = Buffer.from(credentials, 'base64').toString('utf8').split(/:(.*)/s)
  if (!username || password === undefined)
    throw new OAuthError('invalid_request', 'The Authorization header must name the client as its username')
  return formDecoded(username)
}

/** RFC 6749 section 2.3.1 has the username form-encoded; clients that do not encode it mostly send one that needs none. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
