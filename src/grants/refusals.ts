import type { Grant } from '../contract/token-store'
import { contextOf } from '../host/emitter'
import { credentialKinds } from '../protocol/grant-types'
import { type OAuthError, type OAuthErrorOptions, oauthError } from '../protocol/oauth-error'
import type { answeredCodes } from '../protocol/oauth-error-codes'
import type { DenialReason } from '../protocol/reasons'
import { isLive, type PresentedCredential } from './credential'

/** What is wrong with a credential, without the label of its kind. */
type WhyInvalidGrant = After<'*credential* ', (typeof answeredCodes)['invalid_grant']['descriptions'][number]>

type After<Prefix extends string, Text> = Text extends `${Prefix}${infer Rest}` ? Rest : never

/** The error for a refused credential. By default the client is told what it would be told of one that never was. */
export function invalidGrant(
  { credential }: PresentedCredential,
  reason: DenialReason,
  { why = 'is unknown or has expired', ...options }: OAuthErrorOptions & { why?: WhyInvalidGrant | undefined } = {},
): OAuthError {
  return oauthError('invalid_grant', `${credentialKinds[credential.kind].label} ${why}`, { reason, ...options })
}

/** The error for a credential that this server may never have issued. Anybody can make up its handle, and so the id of its grant. */
export function unknownCredential(presented: PresentedCredential): OAuthError {
  return invalidGrant(presented, 'unknown_credential', { detail: { grantId: presented.grantId } })
}

/** The error for a credential that takes the proof of a key, and comes without one. */
export function mustProveKey({ credential }: PresentedCredential): OAuthError {
  const { label } = credentialKinds[credential.kind]
  const description = `${label} is bound to a key: the request must have a DPoP proof` as const
  return oauthError('invalid_dpop_proof', description, { reason: 'no_proof' })
}

/**
 * The error for a credential that is not the live one and that this server did not issue to this redeemer. It says which value differs only
 * to a caller that presents the live code itself. Of a refresh token it says nothing: a thief must not learn that the token is live.
 */
export function notRedeemable(presented: PresentedCredential, grant: Grant): OAuthError {
  const { credential, binding } = presented
  const granted = { clientId: grant.clientId, ...grant.request, key: binding.key }
  const isOfGrant = [false, true].some((isAuthenticated) =>
    isLive({ ...presented, binding: { ...granted, isAuthenticated } }, grant),
  )
  if (!isOfGrant) return unknownCredential(presented)
  const context = contextOf(grant)
  const byAnother = { context, detail: { presentedBy: binding.clientId } }
  if (credential.kind === 'refresh_token') return invalidGrant(presented, 'wrong_client', byAnother)
  if (granted.clientId !== binding.clientId) {
    return invalidGrant(presented, 'wrong_client', { why: 'was issued to another client', ...byAnother })
  }
  if (granted.redirectUri !== binding.redirectUri) {
    return invalidGrant(presented, 'wrong_redirect_uri', { why: 'was requested with another redirect_uri', context })
  }
  const why = 'was requested with a code_challenge that does not match the code_verifier'
  return invalidGrant(presented, 'wrong_code_verifier', { why, context })
}
