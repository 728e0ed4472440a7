import type { CustomerSignInEvent } from 'customer-sign-in'

/** Where replays come from: the clients with the most first. An age is how many seconds ago the presented token was first used, if known. */
export function replaysByClient(events: CustomerSignInEvent[]) {
  const replays = events.filter((event) => event.type === 'replayed').filter(({ ended }) => ended)
  const byClient = new Map<string, typeof replays>()
  for (const replay of replays) byClient.set(replay.clientId, [...(byClient.get(replay.clientId) ?? []), replay])
  const rows = [...byClient].map(([clientId, those]) => {
    const customers = new Set(those.map(({ tenantId, subject }) => `${tenantId} ${subject}`)).size
    const neverUsedItsNewToken = those.filter(({ successorUsed }) => successorUsed === false).length
    const ages = those.flatMap(({ age }) => age ?? []).sort((a, b) => a - b)
    return { clientId, replays: those.length, customers, neverUsedItsNewToken, medianAge: ages[ages.length >> 1] }
  })
  return rows.sort((a, b) => b.replays - a.replays)
}
