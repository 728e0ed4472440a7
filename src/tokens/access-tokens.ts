import { randomUUID } from 'node:crypto'
import { decode, sign } from 'jsonwebtoken'
import { isObject } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import type { Tenant } from '../contract/tenant-store'
import type { Grant, NewGrant } from '../contract/token-store'
import { callHost, type HookAnswer } from '../host/call-host'
import { contextOf } from '../host/emitter'
import type { GrantTypeName } from '../protocol/grant-types'
import type { JsonWebKey } from '../protocol/json-web-keys'
import { OAuthError, oauthError, temporarilyUnavailable, withContext } from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'
import type { DenialReason } from '../protocol/reasons'
import { narrowedScopes, withImplied } from '../protocol/scope'
import { assertionOf, trustedIssuerClaim } from '../protocol/trusted-issuer-claim'
import { type ResolvedTenant, spelledByTenant, stillOffered } from '../tenants/resolved-tenant'
import { plainJson } from './plain-json'
import type { SigningKeys } from './signing-keys'
import { TokenSignatures } from './token-signatures'

/** What the `accessTokenClaims` hook is told about the token that is to be issued. */
export interface AccessTokenRequest {
  /** The tenant's record, as the `tenantStore` gave it. */
  tenant: Tenant
  /** What the client has sent as `grant_type`. */
  grantType: GrantTypeName
  /** The grant. */
  grantId: string
  /** The client. */
  clientId: string
  /** The customer inside the tenant. */
  subject: string
  /** The scopes that the token will have. */
  scopes: string[]
  /** The protected API that the token will be for. */
  resource: string
  /** The customer's claims, from `authenticate` or `issueAuthorizationCode`. */
  claims: Readonly<Record<string, unknown>>
}

/**
 * Returns more claims for an access token, or refuses it by throwing an `OAuthError`.
 *
 * @example
 * async ({ subject }) => {
 *   const customer = await customers.find(subject)
 *   if (!customer.active) throw new OAuthError('invalid_grant', 'The customer has been deactivated')
 *   return { plan: customer.plan }
 * }
 */
export type AccessTokenClaimsHook = (request: AccessTokenRequest) => HookAnswer<Record<string, unknown>>

/** The scopes of an access token, and the claims that the host adds to it. */
export interface AccessTokenTerms {
  /** The grant's scopes, or fewer. */
  scopes: string[]
  /** From the host's `accessTokenClaims`. */
  claims?: Record<string, unknown> | undefined
  /** The token itself, if it takes a signer of the host's own, which may fail. */
  issued?: IssuedAccessToken | undefined
}

/** What a client asks for when it redeems a credential. */
export interface RequestedTerms {
  grantType: GrantTypeName
  /** The thumbprint of the key that it proves, to which the access token is bound (RFC 9449 section 6). */
  key: string | undefined
  /** The `scope` of the request, which may be narrower than the grant's. */
  scope: string | undefined
}

/** Settles what an access token of a grant says. @param left Tells for how many milliseconds the grant will live at least. */
export type Settle = (grant: GrantOfToken, left: () => Promise<number>) => Promise<AccessTokenTerms>

/** What an access token says of its grant, which need not be stored yet. */
type GrantOfToken = Pick<Grant, 'tenantId' | 'grantId' | 'clientId' | 'subject' | 'scopes' | 'resource' | 'claims'>

/** An access token and for how many seconds it is valid. */
export interface IssuedAccessToken {
  accessToken: string
  /** `DPoP` if it is bound to a key. */
  tokenType: 'Bearer' | 'DPoP'
  expiresIn: number
}

/** The claims that every access token of this server has. */
export interface AccessTokenClaims extends Record<string, unknown> {
  iss: string
  sub: string
  aud: string
  exp: number
  scope: string
  client_id: string
  grant_id: string
  tenant_id: string
  /** What the token is bound to: the thumbprint of a key (RFC 9449 section 6.1). */
  cnf?: { jkt: string } | undefined
}

/** Issues access tokens, and reads those that it has issued (RFC 9068). */
export class AccessTokens {
  #signatures: TokenSignatures
  readonly #claimsHook: AccessTokenClaimsHook | undefined
  readonly #timeout: number
  readonly #now: () => number

  /**
   * @param timeout How long the host's hook may take, in milliseconds.
   * @param now The clock, in milliseconds since 1970.
   */
  constructor(keys: SigningKeys, claimsHook: AccessTokenClaimsHook | undefined, timeout: number, now: () => number) {
    this.#signatures = new TokenSignatures(keys)
    this.#claimsHook = claimsHook
    this.#timeout = timeout
    this.#now = now
  }

  /**
   * Signs and verifies with these keys from now on. The tokens that were found good before are verified again, so that none of a removed key
   * stays good.
   */
  use(keys: SigningKeys): void {
    this.#signatures = new TokenSignatures(keys)
  }

  /** The public keys that access tokens verify with (RFC 7517): the same list until the keys change. */
  get publicKeys(): readonly JsonWebKey[] {
    return this.#signatures.publicKeys
  }

  /**
   * Settles what an access token will say before the credential is used up, so that a refusal uses nothing up. If a signer of the host's own
   * signs it, it is signed then too: if the signer fails, the credential is still there.
   *
   * @returns Undefined without a requested scope, the host's hook and a signer: the grant alone decides then, and need not be read first.
   * Otherwise a function of the grant. It throws `invalid_scope`, or what the hook or the signer throws.
   */
  settling({ scope, grantType, key }: RequestedTerms, tenant: ResolvedTenant): Settle | undefined {
    const mayFail = this.#signatures.keys[0].signer !== undefined
    if (scope === undefined && !this.#claimsHook && !mayFail) return undefined
    return async (grant, left) => {
      const { implied, scopes: offered } = tenant.policy
      const permitted = withImplied(grant.scopes, implied)
      const scopes = stillOffered(narrowedScopes(scope, grant.scopes, permitted, offered), tenant)
      if (scopes === undefined) throw scopesGone(grant)
      try {
        const claims = await this.#hostClaims(scopes, grant, grantType, tenant)
        const issued = mayFail ? await this.issue(grant, { scopes, claims, key }, await left(), tenant) : undefined
        // A grant in its last moments is renewed first. Then another token is signed, which lives longer.
        return { scopes, claims, issued: issued && issued.expiresIn > 0 ? issued : undefined }
      } catch (refused) {
        throw withContext(refused, contextOf(grant))
      }
    }
  }

  /**
   * Issues the access token of a grant that nothing redeems. It comes before the grant is stored: if the host's hook or a signer refuses or fails,
   * nothing is left behind.
   */
  async issueFirst(
    grant: GrantOfToken & Pick<NewGrant, 'lifetime'>,
    requested: Omit<RequestedTerms, 'scope'>,
    tenant: ResolvedTenant,
  ): Promise<IssuedAccessToken> {
    const settle = this.settling({ ...requested, scope: undefined }, tenant)
    const terms: AccessTokenTerms = (await settle?.(grant, async () => grant.lifetime)) ?? { scopes: grant.scopes }
    return terms.issued ?? this.issue(grant, { ...terms, key: requested.key }, grant.lifetime, tenant)
  }

  /**
   * Signs an access token.
   *
   * @param left For how many milliseconds the grant lives, which no token of it outlives.
   * @throws {OAuthError} `temporarily_unavailable` if a signer of the host's own fails, or if its key has been removed meanwhile; an
   * `OAuthError` of the signer's.
   */
  async issue(
    grant: GrantOfToken,
    { scopes, claims, key: boundTo }: Pick<AccessTokenTerms, 'scopes' | 'claims'> & Pick<RequestedTerms, 'key'>,
    left: number,
    tenant: ResolvedTenant,
  ): Promise<IssuedAccessToken> {
    const [key] = this.#signatures.keys
    const now = Math.floor(this.#now() / 1000)
    const expiresAt = now + Math.floor(Math.min(tenant.policy.lifetimes.accessToken, left) / 1000)
    const payload = JSON.stringify({
      ...grant.claims,
      ...claims,
      iss: tenant.address.issuer,
      sub: grant.subject,
      aud: spelledByTenant(grant.resource, tenant) ?? grant.resource,
      client_id: grant.clientId,
      scope: scopes.join(' '),
      jti: randomUUID(),
      iat: now,
      exp: expiresAt,
      grant_id: grant.grantId,
      tenant_id: tenant.id,
      // Undefined for most, so that no claim of the host's stands in its place.
      cnf: boundTo === undefined ? undefined : { jkt: boundTo },
      [trustedIssuerClaim]: grant.claims && assertionOf(grant)?.issuer,
    })
    // `sign` copies and checks an object. A string is signed as it is: its claims were checked when they came in.
    const accessToken = key.signer
      ? await key.signer.token(key.prefix, payload)
      : sign(payload, key.privateKey, { algorithm: key.algorithm, header: key.header })
    if (!this.#signatures.keys.includes(key))
      throw temporarilyUnavailable(new Error('The key was removed while it signed'))
    const tokenType = boundTo === undefined ? 'Bearer' : 'DPoP'
    return { accessToken, tokenType, expiresIn: expiresAt - Math.floor(this.#now() / 1000) }
  }

  /**
   * Returns the claims of an access token that this server has signed and that has not expired. The caller checks tenant and resource.
   *
   * @param options.ignoreExpiration Whether to accept an expired one too.
   * @throws {OAuthError} `invalid_token` for any other token.
   */
  claimsOf(token: string, { ignoreExpiration = false } = {}): AccessTokenClaims {
    const claims = this.#signatures.payloadOf(token)
    // The host may sign other tokens with the same key.
    if (!claims || !hasOurClaims(claims)) throw notOurs()
    if (!ignoreExpiration && claims.exp * 1000 <= this.#now())
      throw invalidToken('The access token has expired', 'token_expired')
    return claims
  }

  /**
   * Adds the owner of an access token to an error about it, if this server has signed the token. The tenant id is that of the customer,
   * whichever tenant the request named.
   */
  namingOwner(thrown: unknown, token: string): unknown {
    if (thrown instanceof OAuthError && thrown.reason === 'unknown_token') return thrown
    try {
      const { tenant_id, client_id, grant_id, sub } = this.claimsOf(token, { ignoreExpiration: true })
      return withContext(thrown, { tenantId: tenant_id, clientId: client_id, grantId: grant_id, subject: sub })
    } catch {
      return thrown
    }
  }

  async #hostClaims(
    scopes: string[],
    { grantId, clientId, subject, resource, claims = {} }: GrantOfToken,
    grantType: GrantTypeName,
    tenant: ResolvedTenant,
  ): Promise<Record<string, unknown>> {
    const request = { tenant: tenant.record, grantType, grantId, clientId, subject, scopes, resource, claims }
    const added = await callHost('accessTokenClaims', this.#timeout, () => this.#claimsHook?.(request))
    const plain = plainJson(added ?? {})
    if (plain) return plain
    const wrong = wrongAnswer('accessTokenClaims', added, 'an object of plain JSON, or nothing')
    throw temporarilyUnavailable(wrong, 'hook_failed')
  }
}

/** The issuer that a token names. Nothing in the token has been verified yet. */
export function claimedIssuer(token: string): string {
  try {
    const payload: unknown = decode(token)
    return isObject(payload) && typeof payload.iss === 'string' ? payload.iss : ''
  } catch {
    return ''
  }
}

export function invalidToken(description: ErrorDescription<'invalid_token'>, reason: DenialReason): OAuthError {
  return oauthError('invalid_token', description, { reason })
}

export function notOurs(): OAuthError {
  return invalidToken('This server did not issue the access token', 'unknown_token')
}

/** The error for a grant if the tenant no longer offers any of its scopes. */
export function scopesGone(grant: GrantOfToken): OAuthError {
  return oauthError('invalid_scope', 'This tenant no longer offers any of the granted scopes', {
    reason: 'scopes_gone',
    context: contextOf(grant),
    detail: { scopes: grant.scopes },
  })
}

function hasOurClaims(claims: Record<string, unknown>): claims is AccessTokenClaims {
  const { exp, ...others } = claims
  const texts = ['iss', 'sub', 'aud', 'scope', 'client_id', 'grant_id', 'tenant_id']
  return typeof exp === 'number' && texts.every((name) => typeof others[name] === 'string')
}
