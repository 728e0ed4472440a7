import { randomUUID } from 'node:crypto'
import { sign } from 'jsonwebtoken'
import type { Redemption } from '../grants/access-token-terms'
import type { Service } from '../service'
import { type ResolvedTenant, spelledByTenant } from '../tenants/tenants'
import { accessTokenType } from './verified-claims'

/** An access token and for how many seconds it is valid. */
export interface IssuedAccessToken {
  accessToken: string
  expiresIn: number
}

/** Signs a JWT access token (RFC 9068). It never outlives the grant that it comes from. */
export function issueAccessToken(
  { grant, scopes, claims, now: storeNow }: Redemption,
  tenant: ResolvedTenant,
  { signingKeys: [key] }: Service,
): IssuedAccessToken {
  const now = Math.floor(Date.now() / 1000)
  const expiresIn = Math.min(tenant.accessTokenLifetime, Math.floor((grant.expiresAt - storeNow) / 1000))
  const payload = {
    ...grant.claims,
    ...claims,
    iss: tenant.issuer,
    sub: grant.subject,
    aud: spelledByTenant(grant.resource, tenant) ?? grant.resource,
    client_id: grant.clientId,
    scope: scopes.join(' '),
    jti: randomUUID(),
    iat: now,
    exp: now + expiresIn,
    grant_id: grant.grantId,
    tenant_id: tenant.id,
  }
  // As text, as an object would be copied and looked through first; its claims have been checked when they came in.
  const accessToken = sign(JSON.stringify(payload), key.privateKey, {
    algorithm: key.algorithm,
    header: { alg: key.algorithm, typ: accessTokenType, kid: key.kid },
  })
  return { accessToken, expiresIn }
}
