import { aboutGrant } from '../events'
import type { Service } from '../service'
import type { Grant } from '../stores/token-store'
import type { Successor } from './credential-chain'
import { invalidGrant, type Presented, resourceNotGranted } from './presented'
import { stepName } from './undecided-attempts'

/**
 * Answers a credential that was live once and is not now. A replay ends its grant (RFC 6749 section 4.1.2, RFC 9700
 * section 4.14), unless it is the immediate predecessor and comes so soon that two tabs or an impatient retry explain it.
 *
 * @returns The successor that was issued already, inside `refreshRetryWindow`.
 * @throws {OAuthError} `invalid_grant` otherwise.
 */
export async function answerRepeat(
  hash: string,
  presented: Presented,
  grant: Grant,
  service: Service,
): Promise<Successor> {
  const { credential, grantId, binding, tenant, resource } = presented
  const { refreshRetryWindow, replayTolerance } = service.options
  const successor = service.chain.successorIfLive(grantId, hash, grant.credential.hash, binding.client_id)
  const age = successor ? (Date.now() - issuedAt(grant, service)) / 1000 : Number.POSITIVE_INFINITY

  if (successor && credential.kind === 'refresh_token' && age < refreshRetryWindow) {
    if (resource !== undefined && resource !== grant.resource) throw resourceNotGranted(presented, grant)
    return successor
  }
  const ended = !(age < replayTolerance)
  if (ended) await service.tokenStore.deleteGrant(tenant.id, grantId)
  service.emit({ type: 'replayed', credential: credential.kind, ended, ...aboutGrant(grant, tenant.key) })
  throw invalidGrant(presented, 'has been used already')
}

/** When the live credential was issued, as far as its client could have it. */
function issuedAt({ tenantId, grantId, credential, swap }: Grant, { undecided }: Service): number {
  if (!swap) return Number.NEGATIVE_INFINITY
  return Math.max(swap.at, undecided.takenAt(stepName(tenantId, grantId, credential.hash), swap.attempt))
}
