import type { Registrations } from '../clients/registrations'
import type { Grant } from '../contract/token-store'
import { issuerOfGrant } from '../protocol/trusted-issuer-claim'
import type { NamedTenant } from './named-tenant'

/** Everything that the store has about a customer's grant, except for its hashes. Times are milliseconds since 1970. */
export interface ExportedGrant {
  /** The grant. The first 12 characters are the same for all grants of one customer. */
  grantId: string
  /** The client that the customer has authorized. */
  clientId: string
  /** Its name, if it registered itself or is in the tenant's record. Unverified: the client has chosen it itself. */
  clientName?: string | undefined
  /** What the customer has granted. */
  scopes: string[]
  /** The protected API that its tokens are for. */
  resource: string
  /** The company's trusted issuer that has vouched for the customer. Absent if the customer agreed. */
  issuer?: string | undefined
  /** The host's own claims for the access tokens. */
  claims?: Record<string, unknown> | undefined
  /** When the customer agreed. */
  createdAt: number
  /** When its code or a refresh token was last redeemed. Absent until the code is redeemed. */
  lastUsedAt?: number | undefined
  /** The last times at which its code and its refresh tokens were redeemed, newest first: up to 16, as far as the store remembers them. */
  usedAt: number[]
  /** When it ends unless it is used again. */
  expiresAt: number
  /** When it ends at the latest. */
  endsAt?: number | undefined
  /** Where the browser was sent with the code. Absent once the code is redeemed. */
  redirectUri?: string | undefined
}

/** Gives all that the store has about grants, except for the hashes. */
export function exportedGrants(
  grants: readonly Grant[],
  { id, clients }: NamedTenant,
  registrations: Registrations,
): ExportedGrant[] {
  const names = new Map(clients.map(({ clientId, clientName }) => [clientId, clientName]))
  return grants.map((grant) => {
    const { clientId, endsAt, swap, redeemed = [], request } = grant
    const issued = issuerOfGrant(grant)
    // Of the assertion it keeps hashes.
    const claims = issued ? undefined : grant.claims
    const clientName = names.has(clientId) ? names.get(clientId) : registrations.read(clientId, id)?.clientName
    return {
      grantId: grant.grantId,
      clientId,
      ...(clientName !== undefined && { clientName }),
      scopes: [...grant.scopes],
      resource: grant.resource,
      ...issued,
      ...(claims && { claims: structuredClone(claims) }),
      createdAt: grant.createdAt,
      ...(swap && { lastUsedAt: swap.at }),
      usedAt: redeemed.map(({ at }) => at),
      expiresAt: grant.expiresAt,
      ...(endsAt !== undefined && { endsAt }),
      ...(request && { redirectUri: request.redirectUri }),
    }
  })
}
