import { notAuthenticated } from '../client-authentication/method'
import type { Grant } from '../contract/token-store'
import type { GuardedStore } from '../host/guarded-store'
import { OAuthError } from '../protocol/oauth-error'
import type { TenantIdentity } from '../tenants/resolved-tenant'
import type { AccessTokens } from '../tokens/access-tokens'
import {
  authenticatedBinding,
  type Binding,
  type CredentialChain,
  grantIdOf,
  isLive,
  parseCredential,
} from './credential'
import type { Grants } from './grants'

/** The grant that a token of this server names, with its record if it still exists. */
interface NamedGrant {
  tenantId: string
  grantId: string
  grant: Grant | undefined
}

/** Ends the grants of tokens that clients revoke (RFC 7009). */
export class Revocations {
  readonly #store: GuardedStore
  readonly #chain: CredentialChain
  readonly #grants: Grants
  readonly #tokens: AccessTokens

  constructor(store: GuardedStore, chain: CredentialChain, grants: Grants, tokens: AccessTokens) {
    this.#store = store
    this.#chain = chain
    this.#grants = grants
    this.#tokens = tokens
  }

  /**
   * Ends the grant of a refresh token or access token, if the token is this client's.
   *
   * @param beforeEnd Called before the token ends its grant. An access token does not say whether its client must authenticate.
   * @throws {OAuthError} `invalid_client` for the refresh token of a client that had to authenticate; whatever `beforeEnd` throws.
   */
  async revoke(
    token: string,
    binding: Binding,
    tenant: TenantIdentity,
    beforeEnd: (by: 'refresh_token' | 'access_token') => Promise<void>,
  ): Promise<void> {
    const byRefreshToken = await this.#namedByRefreshToken(token, binding, tenant)
    const byAccessToken = byRefreshToken ? undefined : await this.#namedByAccessToken(token, binding.clientId, tenant)
    const named = byRefreshToken ?? byAccessToken
    if (!named) return
    await beforeEnd(byRefreshToken ? 'refresh_token' : 'access_token')
    await this.#grants.endNamed(named, tenant.key, 'client')
  }

  /** Whether this server has issued a token to a client, whatever has become of its grant. */
  hasIssued(token: string, { clientId }: Pick<Binding, 'clientId'>, tenant: TenantIdentity): boolean {
    const credential = parseCredential('refresh_token', token)
    if (!credential) return this.#grantIdIn(token, clientId, tenant) !== undefined
    const grantId = grantIdOf(credential.handle)
    return [{ clientId }, authenticatedBinding({ clientId })].some((binding) =>
      this.#chain.hasIssued({ credential, grantId, binding, tenant }),
    )
  }

  async #namedByRefreshToken(token: string, binding: Binding, tenant: TenantIdentity): Promise<NamedGrant | undefined> {
    const credential = parseCredential('refresh_token', token)
    if (!credential) return undefined
    const grantId = grantIdOf(credential.handle)
    const grant = await this.#store.findGrant(tenant.id, grantId)
    // The token of a client that authenticates now may be from before it did.
    const isNamed = [binding, { clientId: binding.clientId }].some((bound) => {
      const presented = { credential, grantId, binding: bound, tenant }
      return (grant && isLive(presented, grant)) || this.#chain.hasIssued(presented)
    })
    if (isNamed) return { tenantId: tenant.id, grantId, grant }
    const asAuthenticated = { credential, grantId, binding: authenticatedBinding(binding), tenant }
    if (this.#chain.hasIssued(asAuthenticated)) throw notAuthenticated(binding.clientId)
    return undefined
  }

  /** An expired access token still names its grant: the client may revoke it long after it last used it. */
  async #namedByAccessToken(token: string, clientId: string, tenant: TenantIdentity): Promise<NamedGrant | undefined> {
    const grantId = this.#grantIdIn(token, clientId, tenant)
    if (grantId === undefined) return undefined
    return { tenantId: tenant.id, grantId, grant: await this.#store.findGrant(tenant.id, grantId) }
  }

  #grantIdIn(token: string, clientId: string, tenant: TenantIdentity): string | undefined {
    const { tenant_id, client_id, grant_id } = this.#claimsOf(token) ?? {}
    return tenant_id === tenant.id && client_id === clientId ? grant_id : undefined
  }

  #claimsOf(token: string) {
    try {
      return this.#tokens.claimsOf(token, { ignoreExpiration: true })
    } catch (error) {
      if (error instanceof OAuthError && error.code === 'invalid_token') return undefined
      throw error
    }
  }
}
