import type { Authorizations } from '../authorization/authorizations'
import type { ClientAuthentication } from '../clients/client-authentication'
import type { Clients } from '../clients/clients'
import type { Registrations } from '../clients/registrations'
import type { Grants } from '../grants/grants'
import type { Redemptions } from '../grants/redemptions'
import type { Revocations } from '../grants/revocations'
import type { Emit } from '../host/emitter'
import type { PublicDocuments } from '../http/public-documents'
import type { Appearances } from '../pages/appearance'
import type { AccessTokens } from '../tokens/access-tokens'
import type { Consents } from './consents'
import type { Context } from './context'
import type { CustomerSessions } from './customer-sessions'
import type { ErrorPages } from './error-pages'

/** Everything that endpoints use. Each endpoint names what it needs of it. */
export interface Rooms {
  appearances: Appearances
  authorizations: Authorizations
  clientAuthentication: ClientAuthentication
  clients: Clients
  consents: Consents
  customers: CustomerSessions
  documents: PublicDocuments
  errorPages: ErrorPages
  externalEndpoints: ExternalEndpoints
  grants: Grants
  redemptions: Redemptions
  registrations: Registrations
  revocations: Revocations
  tokens: AccessTokens
  emit: Emit
}

/** The endpoints that the host runs elsewhere, as absolute URLs. */
export interface ExternalEndpoints {
  authorization?: string | undefined
  registration?: string | undefined
  revocation?: string | undefined
}

/** Answers a request, or throws the `OAuthError` to answer it with. */
export type Endpoint = (context: Context, rooms: Rooms) => void | Promise<void>
