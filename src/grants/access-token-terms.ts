import type { GrantType } from '../options'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import { grantedScope, scopesOf } from '../protocol/scope'
import type { Service } from '../service'
import { withinTime } from '../stores/guarded-store'
import type { Grant } from '../stores/token-store'
import { invalidGrant, isLive, isOurs, type Presented, whyNotRedeemable } from './presented'

/** What the access token is to say besides what the grant says, where the grant must be read to know it. */
export interface AccessTokenTerms {
  /** A scope narrower than the grant's. */
  scope?: string
  /** From the host's `accessTokenClaims`. */
  claims?: Record<string, unknown>
}

/**
 * Settles the terms before the credential is redeemed, so that a refusal uses nothing up. Without a requested scope and without
 * the host's hook there are none, and nothing is read.
 *
 * @throws {OAuthError} `invalid_scope`, `invalid_grant`, or what the hook throws.
 */
export async function accessTokenTerms(
  presented: Presented,
  requestedScope: string | undefined,
  grantType: GrantType,
  service: Service,
): Promise<AccessTokenTerms> {
  if (requestedScope === undefined && !service.options.accessTokenClaims) return {}
  const grant = await service.tokenStore.findGrant(presented.tenant.id, presented.grantId)
  if (!grant) throw invalidGrant(presented, 'is unknown or has expired')
  if (!isLive(presented, grant) && !isOurs(presented, service)) throw whyNotRedeemable(presented, grant)
  const scope = grantedScope(requestedScope, scopesOf(grant.scope))
  return { scope, claims: await hostClaims(scope, grant, presented, grantType, service) }
}

async function hostClaims(
  scope: string,
  { grantId, clientId, subject, resource, claims = {} }: Grant,
  { tenant }: Presented,
  grantType: GrantType,
  { options }: Service,
): Promise<Record<string, unknown>> {
  const request = { tenant: tenant.record, grantType, grantId, clientId, subject, scope, resource, claims }
  const added = await withinTime('accessTokenClaims', options.storeTimeout * 1000, () =>
    options.accessTokenClaims?.(request),
  )
  const plain = plainJson(added ?? {})
  if (!plain) throw temporarilyUnavailable(new TypeError('accessTokenClaims must give plain JSON'))
  return plain
}

/**
 * An object as JSON carries it, undefined where JSON or a JWT cannot: claims that cannot be signed must be found before the
 * credential is used up.
 */
export function plainJson(value: unknown): Record<string, unknown> | undefined {
  try {
    const plain = JSON.parse(JSON.stringify(value))
    if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return undefined
    // It would become the prototype of the claims wherever they are copied.
    Reflect.deleteProperty(plain, '__proto__')
    // The one claim of the host's own that a JWT has a rule for (RFC 7519 section 4.1.5).
    return plain.nbf === undefined || typeof plain.nbf === 'number' ? plain : undefined
  } catch {
    return undefined
  }
}
