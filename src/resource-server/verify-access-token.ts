import {
  anything,
  type Checked,
  distinct,
  flag,
  notEmpty,
  oneOf,
  optional,
  requiredScopes,
  requirements,
  resource as resourceIndicator,
} from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { GuardedStore } from '../host/guarded-store'
import type { NodeRequest } from '../http/node-messages'
import { type BaseUrl, hostOfOrigin } from '../http/request-address'
import { misconfigured, OAuthError, oauthError, withContext } from '../protocol/oauth-error'
import { canonicalResource, tenantKeyOf } from '../protocol/resource'
import { scopesOf, withImplied, withoutOfflineAccess } from '../protocol/scope'
import { kindOfSubject, type SubjectKind, subjectKinds } from '../protocol/subject'
import type { ProtectedResources } from '../tenants/protected-resources'
import { isSameResource, type ResolvedTenant, spelledByTenant } from '../tenants/resolved-tenant'
import type { Tenants } from '../tenants/tenants'
import { type AccessTokens, claimedIssuer, invalidToken, notOurs } from '../tokens/access-tokens'
import type { DpopProofs } from '../tokens/dpop-proofs'
import { checkBoundKey, type PresentedToken, presentedToken, schemeToAskFor, withChallenge } from './schemes'

/** What an access token must have, in addition to its tenant. Leave out what you do not require: undefined is refused. */
export interface AccessTokenRequirements {
  /** The API that the token must be for. By default the tenant's first resource. */
  resource?: string
  /** The scopes that the token must have: a list, or a string with spaces between them. Default none. */
  scopes?: string | readonly string[]
  /** Whether to ask the store, in one read, if the grant has ended. By default the token alone decides. */
  checkRevocation?: boolean
  /** Whom the client may act for: a `customer`, as a `client` for nobody but itself, or a `workload`. Default `['customer']`. */
  accepts?: readonly SubjectKind[]
}

/**
 * What `verifyAccessToken` requires, with the tenant that the token must belong to, or `anyTenant: true`. One of them is required, so that no
 * token of one tenant works for another by mistake.
 */
export type VerifyAccessTokenOptions = AccessTokenRequirements & {
  /** The request that has the token. Without it, a token that is bound to a key is refused: its proof is in the request (RFC 9449). */
  req?: NodeRequest
} & ({ tenantKey: string; anyTenant?: never } | { anyTenant: true; tenantKey?: never })

/** What an access token says: a superset of the MCP SDK's `AuthInfo`. Its `kind` says whom the client acts for. */
export type AccessTokenInfo = CustomerTokenInfo | ClientTokenInfo | WorkloadTokenInfo

/** What an access token says with which a client acts for a customer. */
export interface CustomerTokenInfo extends AccessTokenFacts {
  /** The client acts for a customer. */
  kind: 'customer'
  /** The customer inside the tenant. */
  subject: string
}

/** What an access token says with which a client acts for nobody but itself. A guard lets it pass only if it `accepts` clients. */
export interface ClientTokenInfo extends AccessTokenFacts {
  /** The client acts for itself. */
  kind: 'client'
  /** `client:` and the client's id. */
  subject: string
}

/** What an access token says that a workload, such as an agent or a service, has by an assertion. A guard lets it pass only if it `accepts` workloads. */
export interface WorkloadTokenInfo extends AccessTokenFacts {
  /** A trusted issuer of the company vouches for a workload. */
  kind: 'workload'
  /** `workload:`, the issuer, `#`, and what the issuer calls the workload. */
  subject: string
}

/** What every access token says. */
interface AccessTokenFacts {
  /** The token itself. */
  token: string
  /** The client that it was issued to. */
  clientId: string
  /**
   * What the token permits: the scopes that the customer has granted, or fewer if the client asked for a narrower scope when it refreshed;
   * and the scopes that these imply (option `scopes`). Without those that the tenant no longer offers.
   */
  scopes: string[]
  /** Seconds since 1970. */
  expiresAt: number
  /** The API that the token is for. */
  resource: URL
  /** The key of the tenant that issued it. */
  tenantKey: string
  /** The grant that it belongs to, as {@link CustomerGrants.revoke} takes it. */
  grantId: string
  /** The whole payload, with the host's own claims. */
  claims: Record<string, unknown>
}

const acceptedKinds = notEmpty(
  distinct(oneOf(...subjectKinds)),
  `an array of ${subjectKinds.join(' and ')}, or omitted`,
)

/** The checks of {@link AccessTokenRequirements}. */
export const verifyOptions = {
  accepts: optional<SubjectKind[]>(acceptedKinds, ['customer']),
  resource: optional(resourceIndicator),
  scopes: optional(requiredScopes, []),
  checkRevocation: optional(flag),
}

/** {@link AccessTokenRequirements} after the checks. */
export type CheckedOptions = Checked<typeof verifyOptions>

const checkedMembers = requirements({
  tenantKey: anything<unknown>,
  anyTenant: anything<unknown>,
  req: anything<NodeRequest | undefined>,
  ...verifyOptions,
})

/** Checked options, the name of the method that the host has called, and the token as its request has it, if that is known. */
export type Verification = CheckedOptions & { guard: string; presented?: PresentedToken | undefined }

/** What the guards of APIs go by. */
export interface ApiRooms {
  tokens: AccessTokens
  tenants: Tenants
  resources: ProtectedResources
  baseUrl: BaseUrl
}

interface VerificationRooms extends ApiRooms {
  store: GuardedStore
  proofs: DpopProofs
  /** The option `scopes`: what a tenant offers unless its record says otherwise. */
  scopes: readonly string[]
}

/** Verifies access tokens for the host's own API (RFC 9068 section 4). */
export class AccessTokenVerifications {
  readonly #rooms: VerificationRooms

  constructor(rooms: VerificationRooms) {
    this.#rooms = rooms
  }

  /** Verifies an access token of a named tenant, or of any. */
  async verify(token: string, given: VerifyAccessTokenOptions): Promise<AccessTokenInfo> {
    const { tenantKey, anyTenant, req, ...options } = checkedMembers(given, 'verifyAccessToken')
    const inRequest = req && presentedToken(req)
    const presented = inRequest?.token === token ? inRequest : undefined
    const baseUrl = this.#rooms.baseUrl.current()
    const key = anyTenant === true ? await this.#tenantKeyFor(token, baseUrl) : checkedTenantKey(tenantKey)
    return this.verifyOf(key, token, { ...options, presented, guard: 'verifyAccessToken' })
  }

  /** The key of the tenant that may have issued a token. Undefined if its issuer is none of this server's. */
  async #tenantKeyFor(token: string, baseUrl: string): Promise<string | undefined> {
    const tenantKey = tenantKeyOf(claimedIssuer(token), baseUrl)
    if (tenantKey !== undefined) return tenantKey
    // The host's store is asked for no host that a stranger has written into a token.
    const { iss } = this.#rooms.tokens.claimsOf(token, { ignoreExpiration: true })
    const host = hostOfOrigin(iss)
    const isOrigin = host !== undefined && new URL(iss).origin === iss
    return isOrigin ? (await this.#rooms.tenants.findAtHost(host, baseUrl))?.key : undefined
  }

  /** Verifies with checked options. Its errors say whose token it is. */
  async verifyOf(tenantKey: string | undefined, token: string, verification: Verification): Promise<AccessTokenInfo> {
    if (tenantKey === undefined) throw notOurs()
    const { tokens, tenants, baseUrl } = this.#rooms
    try {
      const tenant = await tenants.find(tenantKey, baseUrl.current())
      return await this.verifyFor(tenant, token, verification)
    } catch (refused) {
      throw tokens.namingOwner(withContext(refused, { tenantKey }), token)
    }
  }

  /** Verifies an access token of a tenant. An error that is the token's own fault has its challenge with it. */
  async verifyFor(tenant: ResolvedTenant, token: string, verification: Verification): Promise<AccessTokenInfo> {
    try {
      return await this.#verified(tenant, token, verification)
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      const { resource, scopes } = verification
      const had = error.reason === 'unknown_token' ? [] : this.#scopesIn(token, resource, tenant)
      const toAskFor = scopesOf([...had, ...scopes])
      const isBound = error.reason === 'bound_token'
      const scheme = isBound ? 'DPoP' : schemeToAskFor(verification.presented?.req, tenant)
      throw withChallenge(error, { scopes: toAskFor, metadataUrl: this.metadataUrlOf(resource, tenant), scheme })
    }
  }

  /** The address of a resource's metadata (RFC 9728 section 3.1). Undefined if the host has not announced it, or the tenant does not have it. */
  metadataUrlOf(resource: string | undefined, tenant: ResolvedTenant): string | undefined {
    const spelling = spelledByTenant(canonicalResource(resource ?? tenant.address.resources[0]) ?? '', tenant)
    return spelling && this.#rooms.resources.metadataUrlOf(canonicalResource(spelling), tenant.address)
  }

  /**
   * The scopes of a token that was issued for this, even if it has expired or was revoked. Otherwise a client that then asks for what the
   * challenge names would lose what the customer had granted step by step.
   */
  #scopesIn(token: string, resource: string | undefined, tenant: ResolvedTenant): string[] {
    try {
      const { iss, aud, tenant_id, scope } = this.#rooms.tokens.claimsOf(token, { ignoreExpiration: true })
      const isForThis = isFor(resource ?? tenant.address.resources[0], aud, tenant) && tenant_id === tenant.id
      return isForThis && isIssuerOf(tenant, iss) ? withoutOfflineAccess(scopesOf(scope)) : []
    } catch {
      return []
    }
  }

  async #verified(tenant: ResolvedTenant, token: string, verification: Verification): Promise<AccessTokenInfo> {
    const { tokens, store, proofs, baseUrl } = this.#rooms
    const { resource = tenant.address.resources[0], scopes: required, accepts, presented, guard } = verification
    const claims = tokens.claimsOf(token)
    // The issuer alone does not tell companies apart: it stays the same when a tenant key passes to another company.
    if (claims.tenant_id !== tenant.id) throw invalidToken('The access token is not for this tenant', 'wrong_tenant')
    if (!isIssuerOf(tenant, claims.iss)) throw invalidToken('The access token is not for this tenant', 'wrong_issuer')
    if (!isFor(resource, claims.aud, tenant)) {
      throw invalidToken('The access token is not for this resource', 'wrong_resource')
    }
    checkBoundKey(claims, presented, { resource, basePath: baseUrl.path, tenant }, proofs)
    const kind = kindOfSubject(claims.sub)
    if (!accepts.includes(kind)) {
      // Another token of the same client would not help, so this is not `invalid_token`.
      throw oauthError('insufficient_scope', `This API accepts only access tokens for a ${accepts.join(' or ')}`, {
        reason: 'subject_not_accepted',
        detail: { asked: kind, accepted: accepts },
      })
    }
    // A scope that the tenant no longer offers counts for nothing, even if an older token has it.
    const scopes = withImplied(scopesOf(claims.scope), tenant.policy.implied).filter((scope) =>
      tenant.policy.scopes.includes(scope),
    )
    this.#checkScopes(scopes, required, guard, tenant)
    if (verification.checkRevocation && !(await store.findGrant(tenant.id, claims.grant_id))) {
      throw invalidToken('The access token has been revoked', 'ended_or_lost')
    }
    return {
      token,
      clientId: claims.client_id,
      scopes,
      expiresAt: claims.exp,
      resource: new URL(claims.aud),
      kind,
      subject: claims.sub,
      tenantKey: tenant.key,
      grantId: claims.grant_id,
      claims,
    }
  }

  #checkScopes(scopes: readonly string[], required: readonly string[], guard: string, tenant: ResolvedTenant): void {
    const notOffered = required.filter((scope) => !tenant.policy.scopes.includes(scope))
    const unheardOf = notOffered.find((scope) => !this.#rooms.scopes.includes(scope))
    if (unheardOf !== undefined) {
      const says = `has ${JSON.stringify(unheardOf)}, which neither the option scopes nor the tenant ${JSON.stringify(tenant.key)} has`
      const allowed = 'scopes that the option or the tenant has'
      const cause = new ConfigurationError(`${guard}.scopes`, unheardOf, allowed, { says })
      throw misconfigured('This API is misconfigured', cause)
    }
    if (required.every((scope) => scopes.includes(scope))) return
    throw oauthError('insufficient_scope', `The access token must have the scope ${required.join(' ')}`, {
      detail: { asked: scopes, accepted: required, ...(notOffered.length > 0 && { notOffered }) },
    })
  }
}

/** Whether a tenant has an issuer, at any of its addresses. */
function isIssuerOf({ address: { issuer, otherIssuers } }: ResolvedTenant, claimed: string): boolean {
  return claimed === issuer || otherIssuers.includes(claimed)
}

/** Whether a token with this audience is for a resource. */
function isFor(resource: string, audience: string, tenant: ResolvedTenant): boolean {
  if (audience === resource) return true
  return isSameResource(canonicalResource(audience) ?? '', canonicalResource(resource) ?? '', tenant)
}

/** Checks the tenant key, because not every host is compiled against the types. */
function checkedTenantKey(tenantKey: unknown): string {
  if (typeof tenantKey === 'string') return tenantKey
  throw new ConfigurationError('tenantKey', tenantKey, 'the key of a tenant, or anyTenant: true in its place')
}
