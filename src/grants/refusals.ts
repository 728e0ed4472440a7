import { type CredentialKind, credentialKinds } from '../protocol/grant-types'
import { type ErrorContext, OAuthError, type OAuthErrorOptions, withContext } from '../protocol/oauth-error'
import type { DenialReason } from '../protocol/reasons'
import type { Service } from '../service'
import type { Grant } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'
import {
  type Binding,
  bindingOf,
  type Credential,
  credentialHash,
  grantIdOf,
  parseCredential,
  readExpiry,
} from './credential'

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

/** @throws {OAuthError} `invalid_grant` where the text is no credential of this kind. */
export function presentedCredential(
  kind: CredentialKind,
  text: string,
  beside: Omit<Presented, 'credential' | 'grantId'>,
): Presented {
  const credential = parseCredential(kind, text)
  if (!credential)
    throw new OAuthError('invalid_grant', `${credentialKinds[kind].label} is unknown`, {
      reason: 'malformed_credential',
    })
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
 * Does something with a credential, and has what goes wrong say whose it is: of one that we have minted, its grant and client are certain
 * before the store has said a word.
 */
export async function naming<T>(presented: Presented, service: Service, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isOurs(presented, service) ? withContext(error, namedBy(presented)) : error
  }
}

/** What an error says of a grant. */
export function contextOf({ tenantId, grantId, clientId, subject }: Grant): ErrorContext {
  return { tenantId, grantId, clientId, subject }
}

function namedBy({ tenant, grantId, binding }: Presented) {
  return { tenantKey: tenant.key, tenantId: tenant.id, clientId: binding.client_id, grantId }
}

/**
 * The error for a credential whose grant is gone. Of one that we have minted, its own expiry tells whether its time was over; where it was
 * not, the grant was ended, of which there is an event, or the store has lost it.
 *
 * @param now By the clock that has not found the grant.
 */
export function whyMissing(presented: Presented, now: number, service: Service): OAuthError {
  const why = 'is unknown or has expired'
  if (!isOurs(presented, service)) return invalidGrant(presented, why, 'unknown_credential', unverified(presented))
  const { credential } = presented
  const { expiresAt, isEnd } = readExpiry(credential)
  if (now < expiresAt) return invalidGrant(presented, why, 'ended_or_lost')
  const lifetime = credential.kind === 'code' ? 'authorizationCodeLifetime' : 'refreshTokenLifetime'
  const limit = isEnd ? 'grantLifetime' : lifetime
  service.emit({ type: 'expired', credential: credential.kind, limit, expiredAt: expiresAt, ...namedBy(presented) })
  return invalidGrant(presented, why, 'expired')
}

/**
 * The error for a credential that is not the live one and that we did not mint for this redeemer. It names what differs only
 * to who has the live code itself. Of a refresh token it says nothing: that it is live would tell a thief when to come.
 */
export function whyNotRedeemable(presented: Presented, grant: Grant): OAuthError {
  const { credential, binding } = presented
  const granted = bindingOf(grant)
  if (!isLive({ ...presented, binding: granted }, grant)) {
    return invalidGrant(presented, 'is unknown or has expired', 'unknown_credential', unverified(presented))
  }
  const context = contextOf(grant)
  const byAnother = { context, detail: { presentedBy: binding.client_id } }
  if (credential.kind === 'refresh_token') {
    return invalidGrant(presented, 'is unknown or has expired', 'wrong_client', byAnother)
  }
  if (granted.client_id !== binding.client_id) {
    return invalidGrant(presented, 'was issued to another client', 'wrong_client', byAnother)
  }
  if (granted.redirect_uri !== binding.redirect_uri) {
    return invalidGrant(presented, 'was requested with another redirect_uri', 'wrong_redirect_uri', { context })
  }
  const why = 'was requested with a code_challenge that the code_verifier does not meet'
  return invalidGrant(presented, why, 'wrong_code_verifier', { context })
}

/** The grant that a credential names which may be anybody's making. */
function unverified({ grantId }: Presented): OAuthErrorOptions {
  return { detail: { grantId } }
}

export function invalidGrant(
  { credential }: Presented,
  why: string,
  reason: DenialReason,
  options: OAuthErrorOptions = {},
): OAuthError {
  return new OAuthError('invalid_grant', `${credentialKinds[credential.kind].label} ${why}`, { reason, ...options })
}

export function resourceNotGranted({ resource }: Presented, grant: Grant): OAuthError {
  return new OAuthError('invalid_target', 'resource is not the one that was granted', {
    reason: 'wrong_resource',
    context: contextOf(grant),
    detail: { requested: resource, granted: grant.resource },
  })
}
