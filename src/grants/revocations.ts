import { notAuthenticated } from '../client-authentication/method'
import type { Grant } from '../contract/token-store'
import type { GuardedStore } from '../host/guarded-store'
import { OAuthError } from '../protocol/oauth-error'
import type { TenantIdentity } from '../tenants/resolved-tenant'
import type { AccessTokens } from '../tokens/access-tokens'
import {
  type Binding,
  type CredentialChain,
  grantIdOf,
  type IssuedCredential,
  isLive,
  parseCredential,
} from './credential'
import type { Grants } from './grants'

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
    const tenantId = tenant.id
    const credential = parseCredential('refresh_token', token)
    // An expired access token still names its grant: the client may revoke it long after it last used it.
    const grantId = credential ? grantIdOf(credential.handle) : this.#grantIdIn(token, binding.clientId, tenant)
    if (grantId === undefined) return
    const grant = await this.#store.findGrant(tenantId, grantId)
    if (credential && !this.#isOf(binding, { credential, grantId, tenant }, grant)) return
    await beforeEnd(credential ? 'refresh_token' : 'access_token')
    await this.#grants.endNamed({ tenantId, grantId, grant }, tenant.key, 'client')
  }

  /** Whether this server has issued a token to a client, whatever has become of its grant. */
  hasIssued(token: string, { clientId }: Pick<Binding, 'clientId'>, tenant: TenantIdentity): boolean {
    const credential = parseCredential('refresh_token', token)
    if (!credential) return this.#grantIdIn(token, clientId, tenant) !== undefined
    const grantId = grantIdOf(credential.handle)
    return [false, true].some((isAuthenticated) =>
      this.#chain.hasIssued({ credential, grantId, binding: { clientId, isAuthenticated }, tenant }),
    )
  }

  /** Whether a refresh token is that of a client. @throws {OAuthError} `invalid_client` if it is, but had to authenticate. */
  #isOf(binding: Binding, token: Omit<IssuedCredential, 'binding'>, grant: Grant | undefined): boolean {
    // The token of a client that authenticates now may be from before it did.
    const isItsOwn = [binding, { clientId: binding.clientId }].some((bound) => {
      const presented = { ...token, binding: bound }
      return (grant && isLive(presented, grant)) || this.#chain.hasIssued(presented)
    })
    if (!isItsOwn && this.#chain.hasIssued({ ...token, binding: { ...binding, isAuthenticated: true } })) {
      throw notAuthenticated(binding.clientId)
    }
    return isItsOwn
  }

  /** The grant of an access token, if this server has issued it to this client. */
  #grantIdIn(token: string, clientId: string, tenant: TenantIdentity): string | undefined {
    try {
      const { tenant_id, client_id, grant_id } = this.#tokens.claimsOf(token, { ignoreExpiration: true })
      return tenant_id === tenant.id && client_id === clientId ? grant_id : undefined
    } catch (error) {
      if (error instanceof OAuthError && error.code === 'invalid_token') return undefined
      throw error
    }
  }
}
