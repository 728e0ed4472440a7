import {
  anything,
  type Checked,
  flag,
  optional,
  requiredScopes,
  requirements,
  resource as resourceIndicator,
} from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { tenantKeyOf } from '../protocol/issuer'
import { OAuthError, withContext } from '../protocol/oauth-error'
import { canonicalResource } from '../protocol/resource'
import { scopesOf } from '../protocol/scope'
import type { Service } from '../service'
import { findTenant, type ResolvedTenant } from '../tenants/tenants'
import { claimedIssuer, invalidToken, namingOwner, verifiedClaims } from '../tokens/verified-claims'

/** What an access token must be good for, besides its tenant. A member is given a value or left out: undefined would require nothing. */
export interface VerifyAccessTokenOptions {
  /** The API that it must be for. By default the tenant's first resource. */
  resource?: string
  /** The scopes that it must have: a list, or a text with spaces between them. Default none. */
  scopes?: string | readonly string[]
  /** Asks the store, once, whether the grant has ended since. By default the token alone decides. */
  checkRevocation?: boolean
}

/** The tenant whose token it must be, or in so many words: any. A token of one company must not open another by omission. */
export type TenantSelector = { tenantKey: string; anyTenant?: never } | { anyTenant: true; tenantKey?: never }

/** What an access token says: a superset of the MCP SDK's `AuthInfo`. */
export interface AccessTokenInfo {
  token: string
  clientId: string
  scopes: string[]
  /** Seconds since 1970. */
  expiresAt: number
  /** The API that the token is for. */
  resource: URL
  /** The customer inside the tenant. */
  subject: string
  tenantKey: string
  grantId: string
  /** The whole payload, with the host's own claims. */
  claims: Record<string, unknown>
}

/** The checks of an {@link VerifyAccessTokenOptions}. */
export const accessTokenChecks = {
  resource: optional(resourceIndicator),
  scopes: optional(requiredScopes, []),
  checkRevocation: optional(flag),
}

/** An {@link VerifyAccessTokenOptions} that has been checked. */
export type CheckedOptions = Checked<typeof accessTokenChecks>

const checkedMembers = requirements({
  tenantKey: anything<unknown>,
  anyTenant: anything<unknown>,
  ...accessTokenChecks,
})

/** Verifies an access token of a tenant that is named, or any's. */
export async function verifyAccessToken(
  token: string,
  given: VerifyAccessTokenOptions & TenantSelector,
  service: Service,
): Promise<AccessTokenInfo> {
  const { tenantKey, anyTenant, ...check } = checkedMembers(given, 'verifyAccessToken')
  const baseUrl = service.baseUrl.current()
  const key = anyTenant === true ? tenantKeyOf(claimedIssuer(token), baseUrl) : checkedTenantKey(tenantKey)
  return verifyChecked(token, { ...check, guard: 'verifyAccessToken' }, key, service)
}

/** The same with a check that has been checked. Its refusals name whose token it is. */
export async function verifyChecked(
  token: string,
  check: CheckedOptions & { guard: string },
  key: string | undefined,
  service: Service,
): Promise<AccessTokenInfo> {
  if (key === undefined) throw invalidToken('The access token is not of this server', 'unknown_token')
  try {
    return await verifyForTenant(token, await findTenant(key, service.baseUrl.current(), service), check, service)
  } catch (refused) {
    throw namingOwner(withContext(refused, { tenantKey: key }), token, service.signingKeys)
  }
}

/**
 * Verifies an access token of a tenant (RFC 9068 section 4).
 *
 * @param check.guard What the host calls the method by which it asks.
 */
export async function verifyForTenant(
  token: string,
  tenant: ResolvedTenant,
  {
    resource = tenant.resources[0],
    scopes: required,
    checkRevocation = false,
    guard,
  }: CheckedOptions & { guard: string },
  service: Service,
): Promise<AccessTokenInfo> {
  const claims = verifiedClaims(token, service.signingKeys)
  // The id as well: a tenant key that has passed to another company leaves the issuer as it was.
  if (claims.tenant_id !== tenant.id) throw invalidToken('The access token is not for this tenant', 'wrong_tenant')
  if (claims.iss !== tenant.issuer) throw invalidToken('The access token is not for this tenant', 'wrong_issuer')
  if (canonicalResource(claims.aud) !== canonicalResource(resource)) {
    throw invalidToken('The access token is not for this resource', 'wrong_resource')
  }
  const scopes = scopesOf(claims.scope)
  checkScopes(scopes, required, guard, tenant, service)
  if (checkRevocation && !(await service.tokenStore.findGrant(tenant.id, claims.grant_id))) {
    throw invalidToken('The access token has been revoked', 'ended_or_lost')
  }
  return {
    token,
    clientId: claims.client_id,
    scopes,
    expiresAt: claims.exp,
    resource: new URL(claims.aud),
    subject: claims.sub,
    tenantKey: tenant.key,
    grantId: claims.grant_id,
    claims,
  }
}

/** The tenant key of a check, whose types not every host compiles against. */
export function checkedTenantKey(tenantKey: unknown): string {
  if (typeof tenantKey === 'string') return tenantKey
  throw new ConfigurationError('tenantKey', tenantKey, 'the key of a tenant, or anyTenant: true in its place')
}

/** What the tenant does not offer is not passed either where a token of earlier days has it. */
function checkScopes(
  scopes: readonly string[],
  required: readonly string[],
  guard: string,
  tenant: ResolvedTenant,
  { options }: Service,
): void {
  const notOffered = required.filter((scope) => !tenant.scopes.includes(scope))
  const unheardOf = notOffered.find((scope) => !Object.hasOwn(options.scopes, scope))
  if (unheardOf !== undefined) throw requiresUnknownScope(guard, unheardOf, tenant)
  if (notOffered.length === 0 && required.every((scope) => scopes.includes(scope))) return
  throw new OAuthError('insufficient_scope', `The access token must have the scope ${required.join(' ')}`, {
    detail: notOffered.length > 0 ? { notOffered } : {},
  })
}

function requiresUnknownScope(guard: string, scope: string, { key }: ResolvedTenant): OAuthError {
  const cause = new ConfigurationError(`${guard}.scopes`, scope, 'scopes that the option or the tenant has', {
    says: `has ${JSON.stringify(scope)}, which neither the option scopes nor the tenant ${JSON.stringify(key)} has`,
  })
  return new OAuthError('server_error', 'This API is misconfigured', { cause, reason: 'misconfigured' })
}
