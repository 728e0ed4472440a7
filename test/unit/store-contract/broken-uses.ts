import type { TokenStore } from 'customer-sign-in/store'
import { type BrokenStore, ownTime } from './broken-store'

/** A store that keeps used ids in a map of its own: when each is free again, by its key. */
function keeping(
  isFirst: (used: Map<string, number>, key: string, lifetime: number) => boolean | Promise<boolean>,
  keyOf = (tenantId: string, id: string) => `${tenantId} ${id}`,
): () => Partial<TokenStore> {
  return () => {
    const used = new Map<string, number>()
    return { useOnce: async (tenantId, id, lifetime) => isFirst(used, keyOf(tenantId, id), lifetime) }
  }
}

function isFree(used: Map<string, number>, key: string): boolean {
  return (used.get(key) ?? 0) <= ownTime()
}

const soundly = (used: Map<string, number>, key: string, lifetime: number) => {
  const isFirst = isFree(used, key)
  if (isFirst) used.set(key, ownTime() + lifetime)
  return isFirst
}

/** Stores that let an id be used twice, or not at all. */
export const brokenUses: BrokenStore[] = [
  {
    that: 'says of every use that it is the first',
    defect: () => ({ useOnce: async () => true }),
    foundBy: 'is used by the first call alone',
  },
  {
    that: 'says of no use that it is the first',
    defect: () => ({ useOnce: async () => false }),
    foundBy: 'is used by the first call alone',
  },
  {
    that: 'looks whether an id is used, and notes it later',
    defect: keeping(async (used, key, lifetime) => {
      const isFirst = isFree(used, key)
      await Promise.resolve()
      if (isFirst) used.set(key, ownTime() + lifetime)
      return isFirst
    }),
    foundBy: 'is used by one of 50 parallel calls',
  },
  {
    that: 'notes that an id is used at every tenant',
    defect: keeping(soundly, (_tenantId, id) => id),
    foundBy: 'is separate for each id and each tenant',
  },
  {
    that: 'notes the tenant and not the id',
    defect: keeping(soundly, (tenantId) => tenantId),
    foundBy: 'is separate for each id and each tenant',
  },
  {
    that: 'never forgets that an id is used',
    defect: keeping((used, key) => soundly(used, key, Number.POSITIVE_INFINITY)),
    foundBy: 'is forgotten after its lifetime',
  },
  {
    that: 'remembers an id for longer with each call',
    defect: keeping((used, key, lifetime) => {
      const isFirst = isFree(used, key)
      used.set(key, ownTime() + lifetime)
      return isFirst
    }),
    foundBy: 'is forgotten after its lifetime',
  },
  {
    that: 'says by the clock of the host until when an id is used',
    defect: keeping((used, key, lifetime) => {
      const isFirst = isFree(used, key)
      if (isFirst) used.set(key, Date.now() + lifetime)
      return isFirst
    }),
    foundBy: 'is used by the first call alone, also if the clock of the host is a day behind',
  },
]
