import { notAuthenticated } from '../client-authentication/method'
import type { Grant } from '../contract/token-store'
import { contextOf } from '../host/emitter'
import { type CredentialKind, credentialKinds } from '../protocol/grant-types'
import { type OAuthError, type OAuthErrorOptions, oauthError } from '../protocol/oauth-error'
import type { answeredCodes } from '../protocol/oauth-error-codes'
import type { DenialReason } from '../protocol/reasons'
import { authenticatedBinding, bindingOf, isLive, type PresentedCredential } from './credential'

const unknown = 'is unknown or has expired'

/** The error for a text that is no credential of this kind. */
export function malformed(kind: CredentialKind): OAuthError {
  return oauthError('invalid_grant', `${credentialKinds[kind].label} is unknown`, {
    reason: 'malformed_credential',
  })
}

/** The error for a credential that this server may never have issued. Anybody can make up its handle, and so the id of its grant. */
export function unknownCredential(presented: PresentedCredential): OAuthError {
  return invalidGrant(presented, unknown, 'unknown_credential', { detail: { grantId: presented.grantId } })
}

/** The error for a credential that was issued to the same client, which has not authenticated now although it had to. */
export function mustAuthenticate({ binding: { clientId }, grantId, tenant }: PresentedCredential): OAuthError {
  return notAuthenticated(clientId, { context: { tenantId: tenant.id, clientId, grantId } })
}

/** The error for a credential that takes the proof of a key, and comes without one. */
export function mustProveKey({ credential }: PresentedCredential): OAuthError {
  const { label } = credentialKinds[credential.kind]
  const description = `${label} is bound to a key: the request must have a DPoP proof` as const
  return oauthError('invalid_dpop_proof', description, { reason: 'no_proof' })
}

/** The error for a credential that comes with another key than its own. */
export function wrongKey(presented: PresentedCredential): OAuthError {
  const why = presented.credential.kind === 'code' ? 'was requested with another dpop_jkt' : unknown
  return invalidGrant(presented, why, 'wrong_key')
}

/** The error for a credential that this server issued and whose grant is gone. */
export function grantGone(presented: PresentedCredential, reason: 'expired' | 'ended_or_lost'): OAuthError {
  return invalidGrant(presented, unknown, reason)
}

/**
 * The error for a credential that is not the live one and that this server did not issue to this redeemer. It says which value differs only
 * to a caller that presents the live code itself. Of a refresh token it says nothing: a thief must not learn that the token is live.
 */
export function notRedeemable(presented: PresentedCredential, grant: Grant): OAuthError {
  const { credential, binding } = presented
  const granted = { ...bindingOf(grant), key: binding.key }
  const isOfGrant = [granted, authenticatedBinding(granted)].some((bound) =>
    isLive({ ...presented, binding: bound }, grant),
  )
  if (!isOfGrant) return unknownCredential(presented)
  const context = contextOf(grant)
  const byAnother = { context, detail: { presentedBy: binding.clientId } }
  if (credential.kind === 'refresh_token') return invalidGrant(presented, unknown, 'wrong_client', byAnother)
  if (granted.clientId !== binding.clientId) {
    return invalidGrant(presented, 'was issued to another client', 'wrong_client', byAnother)
  }
  if (granted.redirectUri !== binding.redirectUri) {
    return invalidGrant(presented, 'was requested with another redirect_uri', 'wrong_redirect_uri', { context })
  }
  const why = 'was requested with a code_challenge that does not match the code_verifier'
  return invalidGrant(presented, why, 'wrong_code_verifier', { context })
}

/** The error for a credential that was redeemed before. */
export function replayedCredential(presented: PresentedCredential, grant: Grant): OAuthError {
  return invalidGrant(presented, 'has been used already', 'replayed', { context: contextOf(grant) })
}

/** The error for a request that names another resource than the grant's. */
export function resourceNotGranted({ resource }: PresentedCredential, grant: Grant): OAuthError {
  return oauthError('invalid_target', 'resource is not the one that was granted', {
    reason: 'wrong_resource',
    context: contextOf(grant),
    detail: { asked: resource, accepted: [grant.resource] },
  })
}

/** The error for a grant whose resource the tenant no longer has. */
export function resourceGone(presented: PresentedCredential, grant: Grant): OAuthError {
  const why = 'was granted for a resource that this server no longer serves'
  return invalidGrant(presented, why, 'resource_gone', { context: contextOf(grant) })
}

/** What is wrong with a credential, without the label of its kind. */
type WhyInvalidGrant = After<'*credential* ', (typeof answeredCodes)['invalid_grant']['descriptions'][number]>

type After<Prefix extends string, Text> = Text extends `${Prefix}${infer Rest}` ? Rest : never

function invalidGrant(
  { credential }: PresentedCredential,
  why: WhyInvalidGrant,
  reason: DenialReason,
  options: OAuthErrorOptions = {},
): OAuthError {
  return oauthError('invalid_grant', `${credentialKinds[credential.kind].label} ${why}`, { reason, ...options })
}
