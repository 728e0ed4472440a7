import type { GrantOwner, NewGrant, TokenStore } from 'customer-sign-in/store'
import type { BrokenStore, Defect } from './broken-store'

/** Creates grants as if they had been asserted at another time. */
function asserting(time: (grant: NewGrant) => number | undefined): Defect {
  return (sound) => ({ createGrant: (grant) => sound.createGrant({ ...grant, assertedAt: time(grant) }) })
}

/** Deletes grants, and leaves a mark of some owners only. */
function marking(isMarked: (owner: GrantOwner) => boolean): Defect {
  return (sound) => ({
    async *deleteGrants(owner) {
      if (isMarked(owner)) return yield* sound.deleteGrants(owner)
      const { grants } = await sound.listGrants({ ...owner, limit: 1000 })
      for (const grant of grants) if (await sound.deleteGrant(grant.tenantId, grant.grantId)) yield grant
    },
  })
}

async function isEnded(sound: TokenStore, grant: NewGrant): Promise<boolean> {
  return (await sound.createGrant({ ...grant, deadline: 0 })).outcome === 'ended'
}

/** Stores that are wrong about what they remember of owners whose grants were deleted. */
export const brokenMarks: BrokenStore[] = [
  { that: 'looks for no marks', defect: asserting(() => undefined), foundBy: 'not created if its customer was ended' },
  {
    that: 'leaves no mark of a customer',
    defect: marking(({ subject, clientId }) => subject === undefined || clientId !== undefined),
    foundBy: 'not created if its customer was ended',
  },
  {
    that: 'leaves no mark of a client',
    defect: marking(({ subject, clientId }) => subject !== undefined || clientId === undefined),
    foundBy: 'not created if its client was ended',
  },
  {
    that: 'leaves no mark of a customer and a client',
    defect: marking(({ subject, clientId }) => subject === undefined || clientId === undefined),
    foundBy: 'not created if its customer and client was ended',
  },
  {
    that: 'leaves no mark of a tenant',
    defect: marking(({ all }) => all !== 'grants'),
    foundBy: 'not created if its tenant was ended',
  },
  {
    that: 'keeps the first mark of an owner',
    defect: (sound) => {
      const marked = new Set<string>()
      const isFirst = (owner: GrantOwner) => marked.size < marked.add(JSON.stringify(owner)).size
      return marking(isFirst)(sound)
    },
    foundBy: 'ended for a second time',
  },
  {
    that: 'lets a mark count for ever',
    defect: asserting(({ assertedAt }) => assertedAt && 0),
    foundBy: 'is created if its customer was ended before',
  },
  {
    that: 'keeps when a grant was asserted',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        const { assertedAt } = grant
        return result.outcome === 'created' ? { ...result, grant: { ...result.grant, ...{ assertedAt } } } : result
      },
    }),
    foundBy: 'is created if its customer was ended before',
  },
  {
    that: 'lets a mark count for grants without an assertion',
    defect: asserting(({ assertedAt = 0 }) => assertedAt),
    foundBy: 'is created if its customer was ended before',
  },
  {
    that: 'takes the end of a customer and a client for that of the client',
    defect: (sound) => ({
      async *deleteGrants(owner) {
        yield* sound.deleteGrants(owner)
        const { tenantId, clientId } = owner
        if (clientId !== undefined) yield* sound.deleteGrants({ tenantId, clientId })
      },
    }),
    foundBy: 'is created although others were ended since',
  },
  {
    that: 'stores a grant that it refuses',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome === 'ended') await sound.createGrant({ ...grant, assertedAt: undefined })
        return result
      },
    }),
    foundBy: 'not created if its customer was ended',
  },
  {
    that: 'looks for marks before it looks whether an id is taken',
    defect: (sound) => ({
      async createGrant(grant) {
        const free = { ...grant, grantId: `${grant.grantId}-free` }
        return (await isEnded(sound, free)) ? { outcome: 'ended', now: Date.now() } : sound.createGrant(grant)
      },
    }),
    foundBy: 'has a taken id',
  },
  {
    that: 'looks for marks a while before it creates a grant',
    defect: (sound) => ({
      async createGrant(grant) {
        if (grant.assertedAt === undefined) return sound.createGrant(grant)
        if (await isEnded(sound, grant)) return { outcome: 'ended', now: Date.now() }
        await new Promise((resolve) => setImmediate(resolve))
        return sound.createGrant({ ...grant, assertedAt: undefined })
      },
    }),
    foundBy: 'is never left if it is created while its customer is ended',
  },
]
