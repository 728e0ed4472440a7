import { randomUUID } from 'node:crypto'
import type { Service } from '../service'
import type { Grant } from '../stores/token-store'
import { answerRepeat } from './answer-repeat'
import { credentialHash, formatCredential } from './credential'
import type { Successor } from './credential-chain'
import { invalidGrant, isOurs, type Presented, resourceNotGranted, whyNotRedeemable } from './presented'
import { type Step, swapDecidedly } from './swap-decidedly'
import { stepName } from './undecided-attempts'

/** What a redemption gives: the grant as it is now, and the refresh token that redeems it next. */
export interface Redeemed {
  grant: Grant
  refreshToken: string
  /** By a plain swap, by the retry window, or after the store had lost the newest redemptions. */
  by: 'swap' | 'retry' | 'recovery'
}

/**
 * Redeems a credential by the one atomic step: if it is the live one, its successor takes its place.
 *
 * @throws {OAuthError} `invalid_grant`, `invalid_target`, or `temporarily_unavailable` where the store does not say what came of
 * it. None of them uses a live credential up.
 */
export async function redeemCredential(presented: Presented, service: Service): Promise<Redeemed> {
  const { credential, binding, grantId } = presented
  const hash = credentialHash(credential.kind, credential.secret, binding)
  const next = service.chain.successor(grantId, hash, binding.client_id)
  const step = stepTo(next, hash, presented, service)

  let by: Redeemed['by'] = 'swap'
  let result = await swapDecidedly(step, presented, service)
  if (result.outcome === 'mismatch') {
    if (!isOurs(presented, service)) throw whyNotRedeemable(presented, result.grant)
    if (wasLost(hash, presented, result.grant, service)) {
      by = 'recovery'
      result = await swapDecidedly({ ...step, from: result.grant.credential.hash }, presented, service)
    }
  }

  switch (result.outcome) {
    case 'swapped':
      return { grant: result.grant, refreshToken: refreshTokenOf(next, presented, service), by }
    case 'mismatch': {
      const { grant } = result
      const successor = await answerRepeat(hash, presented, grant, service)
      return { grant, refreshToken: refreshTokenOf(successor, presented, service), by: 'retry' }
    }
    case 'refused':
      throw resourceNotGranted(presented, result.grant)
    case 'missing':
      throw invalidGrant(presented, 'is unknown or has expired')
  }
}

/** Named by where it leads, which stays the same when the store turns out to be behind and must go on from elsewhere. */
function stepTo({ hash: to }: Successor, from: string, { grantId, tenant }: Presented, { undecided }: Service): Step {
  const name = stepName(tenant.id, grantId, to)
  const [first = randomUUID().slice(-12), ...others] = undecided.take(name)
  return { name, from, to, attempts: [first, ...others] }
}

/** Whether the store is behind the client: the live credential leads to the one presented, which then only we can have issued. */
function wasLost(hash: string, { credential, grantId, binding }: Presented, grant: Grant, { chain }: Service): boolean {
  return credential.kind === 'refresh_token' && chain.follows(grantId, grant.credential.hash, hash, binding.client_id)
}

function refreshTokenOf(
  { secret }: Successor,
  { credential, tenant, grantId, binding }: Presented,
  { chain }: Service,
) {
  const kind = 'refresh_token'
  const tag = chain.tag(tenant.id, grantId, { kind, secret }, { client_id: binding.client_id })
  return formatCredential({ kind, handle: credential.handle, secret, tag })
}
