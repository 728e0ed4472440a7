import { OAuthError } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { CredentialKind, Grant } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/find-tenant'
import { type Binding, bindingOf, type Credential, credentialHash, grantIdOf, parseCredential } from './credential'

/** A credential with everything that its redeemer presents beside it. */
export interface Presented {
  credential: Credential
  grantId: string
  binding: Binding
  /** In canonical form, where the request names one. */
  resource: string | undefined
  tenant: ResolvedTenant
  /** For how many seconds the grant goes on living once it is redeemed. */
  lifetime: number
  /** Whether the client has gone without waiting for an answer. */
  hasHungUp(): Promise<boolean>
}

const called: Record<CredentialKind, string> = { code: 'The authorization code', refresh_token: 'The refresh token' }

/** @throws {OAuthError} `invalid_grant` where the text is no credential of this kind. */
export function presentedCredential(
  kind: CredentialKind,
  text: string,
  beside: Omit<Presented, 'credential' | 'grantId'>,
): Presented {
  const credential = parseCredential(kind, text)
  if (!credential) throw new OAuthError('invalid_grant', `${called[kind]} is unknown`)
  return { credential, grantId: grantIdOf(credential.handle), ...beside }
}

/** Whether this server minted the credential for just this redeemer. Only then can it be a replay. */
export function isOurs(
  { credential, grantId, binding, tenant }: Pick<Presented, 'credential' | 'grantId' | 'binding' | 'tenant'>,
  { chain }: Service,
): boolean {
  return chain.verifiesTag(tenant.id, grantId, credential, binding)
}

/** Whether the credential is the one that redeems the grant now. */
export function isLive({ credential, binding }: Pick<Presented, 'credential' | 'binding'>, grant: Grant): boolean {
  return credentialHash(credential.kind, credential.secret, binding) === grant.credential.hash
}

/**
 * The error for a credential that is not the live one and that we did not mint for this redeemer. It names what differs only
 * to who has the live code itself. Of a refresh token it says nothing: that it is live would tell a thief when to come.
 */
export function whyNotRedeemable(presented: Presented, grant: Grant): OAuthError {
  const { credential, binding, grantId } = presented
  const granted = bindingOf(grant)
  if (!isLive({ ...presented, binding: granted }, grant)) return invalidGrant(presented, 'is unknown or has expired')
  if (credential.kind === 'refresh_token') {
    return invalidGrant(presented, 'is unknown or has expired', { grantId, issuedTo: granted.client_id })
  }
  if (granted.client_id !== binding.client_id) return invalidGrant(presented, 'was issued to another client')
  if (granted.redirect_uri !== binding.redirect_uri) {
    return invalidGrant(presented, 'was requested with another redirect_uri')
  }
  return invalidGrant(presented, 'was requested with a code_challenge that the code_verifier does not meet')
}

export function invalidGrant(
  { credential, grantId }: Presented,
  why: string,
  detail: Record<string, unknown> = { grantId },
): OAuthError {
  return new OAuthError('invalid_grant', `${called[credential.kind]} ${why}`, { detail })
}

export function resourceNotGranted({ grantId, resource }: Presented, grant: Grant): OAuthError {
  return new OAuthError('invalid_target', 'resource is not the one that was granted', {
    detail: { grantId, requested: resource, granted: grant.resource },
  })
}
