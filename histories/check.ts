import { Actors, type Plan, type Story } from './stories'
import type { Held, TokenEndpoint } from './token-endpoint'

/** Plays every story with a token of its own. Bursts follow each other; stories that wait run meanwhile. @returns What happened. */
export async function check(
  endpoint: TokenEndpoint,
  plans: readonly Plan[],
  tokens: readonly Held[],
): Promise<Story[]> {
  const play = (plan: Plan, index: number) => plan.play(new Actors(endpoint, plan.history, tokens[index] as Held))
  const waiting = plans.flatMap((plan, index) => (plan.wait > 0 ? [play(plan, index)] : []))
  // Fails at its end, with the first of them that failed.
  const waited = Promise.all(waiting)
  waited.catch(() => {})
  for (const [index, plan] of plans.entries()) if (plan.wait === 0) await play(plan, index)
  await waited
  return plans.map(({ kind, with: how, history }) => ({ kind, ...(how !== undefined && { with: how }), history }))
}
