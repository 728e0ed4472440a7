import { randomBytes } from 'node:crypto'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { CredentialSwap, SwapResult } from '../stores/token-store'
import type { Presented } from './presented'

/**
 * Swaps `from` for `to`, also where the store's answer is lost on its way: every swap carries the id of its attempt, so that
 * finding `to` live under one's own attempt means that it was applied.
 *
 * @throws {OAuthError} `temporarily_unavailable` where that cannot be told. The attempt is then remembered, and taken up
 * when the client comes again.
 */
export async function swapDecidedly(
  from: string,
  to: string,
  { tenant, grantId, resource }: Presented,
  { tokenStore, undecided }: Service,
): Promise<SwapResult> {
  // Named by where it leads, which stays the same when the store turns out to be behind and `from` becomes another.
  const step = `${tenant.id}:${grantId}:${to}`
  const earlier = undecided.take(step)
  const attempt = earlier[0] ?? randomBytes(9).toString('base64url')
  const attempts = [...earlier, attempt]
  const now = Date.now()
  const expiresAt = now + tenant.refreshTokenLifetime * 1000
  const swap: CredentialSwap = { tenantId: tenant.id, grantId, from, to, attempt, now, expiresAt, resource }

  const send = async () => trusted(await tokenStore.swapCredential(swap), swap, attempts)

  try {
    return await send()
  } catch (lost) {
    try {
      const result = await send()
      if (result.outcome !== 'mismatch') return result
      // The first sending may have been applied and followed by more; a verdict of replay would rest on a guess.
      throw lost
    } catch (error) {
      undecided.keep(step, attempts)
      throw error
    }
  }
}

/** The result as far as a verdict can rest on it: a swap that was applied although its answer never came finds its own work. */
function trusted(result: SwapResult, { from, to }: CredentialSwap, attempts: readonly string[]): SwapResult {
  if (result.outcome !== 'mismatch') return result
  const { credential, swap } = result.grant
  if (credential.hash === from) {
    throw temporarilyUnavailable(new Error('The token store says mismatch and shows the grant from before'))
  }
  const own = credential.hash === to && swap !== undefined && attempts.includes(swap.attempt)
  return own ? { outcome: 'swapped', grant: result.grant } : result
}
