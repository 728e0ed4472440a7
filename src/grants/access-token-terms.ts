import { wrongAnswer } from '../configuration/configuration-error'
import { aboutGrant } from '../events/events'
import type { GrantType } from '../protocol/grant-types'
import { OAuthError, temporarilyUnavailable, withContext } from '../protocol/oauth-error'
import { grantedScopes } from '../protocol/scope'
import type { Service } from '../service'
import { callHostWithin } from '../stores/call-host'
import type { Grant } from '../stores/token-store'
import { spelledByTenant } from '../tenants/tenants'
import type { Redeemed } from './redemptions'
import { contextOf, invalidGrant, isLive, isOurs, type Presented, whyMissing, whyNotRedeemable } from './refusals'

/** A redeemed credential on its way to becoming tokens. */
export interface Redemption extends Redeemed {
  grantType: GrantType
  /** Of the access token: the grant's, or fewer. */
  scopes: string[]
  /** From the host's `accessTokenClaims`. */
  claims?: Record<string, unknown> | undefined
}

/** What the access token is to say besides what the grant says, where the grant must be read to know it. */
export interface AccessTokenTerms {
  /** Fewer than the grant's. */
  scopes?: string[] | undefined
  /** From the host's `accessTokenClaims`. */
  claims?: Record<string, unknown> | undefined
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
  if (!grant) throw whyMissing(presented, Date.now(), service)
  if (!isLive(presented, grant) && !isOurs(presented, service)) throw whyNotRedeemable(presented, grant)
  const scopes = stillOffered(grantedScopes(requestedScope, grant.scopes), presented)
  if (scopes === undefined) throw nothingOffered(grant)
  const claims = await hostClaims(scopes, grant, presented, grantType, service).catch((refused) => {
    throw withContext(refused, contextOf(grant))
  })
  return { scopes, claims }
}

/**
 * The redemption with what the tenant still offers: a scope that it has withdrawn is left out. A grant whose resource is gone ends, because
 * the API would refuse every token of it.
 *
 * @throws {OAuthError} `invalid_grant` where the resource is gone; `invalid_scope` where none of its scopes is left, and then the
 * credential stays live.
 */
export async function asStillOffered(
  redeemed: Redeemed,
  { scopes: settled, claims }: AccessTokenTerms,
  presented: Presented,
  { tokenStore, swaps, emit }: Service,
): Promise<Omit<Redemption, 'grantType'>> {
  const { grant, step } = redeemed
  const { tenant } = presented
  if (spelledByTenant(grant.resource, tenant) === undefined) {
    await tokenStore.deleteGrant(tenant.id, grant.grantId)
    emit({ type: 'revoked', reason: 'resource_gone', ...aboutGrant(grant, tenant.key) })
    throw invalidGrant(presented, 'was granted for a resource that is not served here any more', 'resource_gone', {
      context: contextOf(grant),
    })
  }
  const scopes = settled ?? stillOffered(grant.scopes, presented)
  if (scopes !== undefined) return { ...redeemed, scopes, claims }
  if (step && grant.swap) await swaps.takeBack(step, grant.swap.attempt)
  throw nothingOffered(grant)
}

/** Undefined where there were scopes and none of them is left. */
function stillOffered(granted: string[], { tenant }: Presented): string[] | undefined {
  const isOffered = (scope: string) => tenant.scopes.includes(scope)
  if (granted.every(isOffered)) return granted
  const offered = granted.filter(isOffered)
  return offered.length > 0 ? offered : undefined
}

function nothingOffered(grant: Grant): OAuthError {
  return new OAuthError('invalid_scope', 'Nothing of the granted scope is offered any more', {
    reason: 'scopes_gone',
    context: contextOf(grant),
    detail: { scopes: grant.scopes },
  })
}

async function hostClaims(
  scopes: string[],
  { grantId, clientId, subject, resource, claims = {} }: Grant,
  { tenant }: Presented,
  grantType: GrantType,
  { options }: Service,
): Promise<Record<string, unknown>> {
  const request = { tenant: tenant.record, grantType, grantId, clientId, subject, scopes, resource, claims }
  const added = await callHostWithin('accessTokenClaims', options.hostTimeout * 1000, () =>
    options.accessTokenClaims?.(request),
  )
  const plain = plainJson(added ?? {})
  if (plain) return plain
  const wrong = wrongAnswer('accessTokenClaims', added, 'an object of plain JSON, or nothing')
  throw temporarilyUnavailable(wrong, 'hook_failed')
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
