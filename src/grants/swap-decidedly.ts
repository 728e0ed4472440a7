import { temporarilyUnavailable } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { CredentialSwap, SwapResult } from '../stores/token-store'
import type { Presented } from './presented'

/** A step of a grant from one live credential to the next, as hashes, and the attempts by which one knows one's own work. */
export interface Step {
  name: string
  from: string
  to: string
  /** This attempt first, then those of earlier requests that were never decided. */
  attempts: readonly [string, ...string[]]
}

/**
 * Takes a step, also where the store's answer is lost on its way: every swap carries the id of its attempt, so that finding `to`
 * live under one's own attempt means that it was applied.
 *
 * @throws {OAuthError} `temporarily_unavailable` where that cannot be told. The attempts are then remembered, and taken up
 * when the client comes again.
 */
export async function swapDecidedly(
  step: Step,
  { tenant, grantId, resource, lifetime }: Presented,
  { tokenStore, undecided }: Service,
): Promise<SwapResult> {
  const { from, to, attempts } = step
  const [attempt] = attempts
  const now = Date.now()
  const expiresAt = now + lifetime * 1000
  const swap: CredentialSwap = { tenantId: tenant.id, grantId, from, to, attempt, now, expiresAt, resource }
  const send = async () => trusted(await tokenStore.swapCredential(swap), swap, attempts)

  try {
    const result = await send()
    // The right request is still to come.
    if (result.outcome === 'refused') undecided.keep(step.name, attempts)
    return result
  } catch (lost) {
    try {
      const result = await send()
      if (result.outcome === 'swapped' || result.outcome === 'missing') return result
      // The first sending may have been applied and followed by more; a verdict of replay would rest on a guess.
      throw lost
    } catch (error) {
      undecided.keep(step.name, attempts)
      throw error
    }
  }
}

/** The result as far as a verdict can rest on it: a swap that was applied although its answer never came finds its own work. */
function trusted(result: SwapResult, { from, to, resource }: CredentialSwap, attempts: readonly string[]): SwapResult {
  if (result.outcome !== 'mismatch') return result
  const { grant } = result
  if (grant.credential.hash === from) {
    throw temporarilyUnavailable(new Error('The token store says mismatch and shows the grant from before'))
  }
  const own = grant.credential.hash === to && grant.swap !== undefined && attempts.includes(grant.swap.attempt)
  if (!own) return result
  return { outcome: resource === undefined || resource === grant.resource ? 'swapped' : 'refused', grant }
}
