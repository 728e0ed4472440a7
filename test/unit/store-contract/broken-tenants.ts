import type { MemoryTokenStore } from 'customer-sign-in'
import type { Grant, TokenStore } from 'customer-sign-in/store'
import { type BrokenStore, type Defect, ownTime } from './broken-store'

type Contents = ReturnType<MemoryTokenStore['contents']>

async function contentsOf(sound: TokenStore): Promise<Contents> {
  return (sound as MemoryTokenStore).contents()
}

/** A store that is broken where everything of a tenant is to be deleted. */
function ofTenants(broken: (tenantId: string, sound: TokenStore) => AsyncIterable<Grant>): Defect {
  return (sound) => ({
    deleteGrants: (owner) => (owner.all === 'everything' ? broken(owner.tenantId, sound) : sound.deleteGrants(owner)),
  })
}

function soundly(sound: TokenStore, tenantId: string): AsyncIterable<Grant> {
  return sound.deleteGrants({ tenantId, all: 'everything' })
}

/** Deletes every tenant whose id is like the one that is meant. */
function deletingTenants(isMeant: (tenantId: string, meant: string) => boolean): Defect {
  return ofTenants(async function* (meant, sound) {
    const { grants, used } = await contentsOf(sound)
    const ids = new Set([...grants, ...used].map(({ tenantId }) => tenantId))
    for (const tenantId of ids) if (isMeant(tenantId, meant)) yield* soundly(sound, tenantId)
  })
}

/** Deletes a tenant, and gives only some of its grants. */
function giving(isGiven: (grant: Grant, given: number) => boolean): Defect {
  return ofTenants(async function* (tenantId, sound) {
    let given = 0
    for await (const grant of soundly(sound, tenantId)) if (isGiven(grant, given++)) yield grant
  })
}

/** Stores that keep something of a tenant that is deleted, or delete more. */
export const brokenTenants: BrokenStore[] = [
  {
    that: 'deletes nothing of a tenant',
    defect: ofTenants(async function* () {}),
    foundBy: 'ends the grants of a tenant, with everything of it,',
  },
  {
    that: 'gives the grants of a tenant, and keeps them',
    defect: ofTenants(async function* (tenantId, sound) {
      const { grants } = await contentsOf(sound)
      yield* grants.filter((grant) => grant.tenantId === tenantId && grant.expiresAt > ownTime())
    }),
    foundBy: 'ends the grants of a tenant, with everything of it,',
  },
  {
    that: 'deletes a tenant without giving its grants',
    defect: giving(() => false),
    foundBy: 'ends the grants of a tenant, with everything of it,',
  },
  {
    that: 'gives only the codes of a tenant',
    defect: giving(({ credential }) => credential?.kind === 'code'),
    foundBy: 'ends the grants of a tenant, with everything of it,',
  },
  {
    that: 'gives 100 grants of a tenant',
    defect: giving((_, given) => given < 100),
    foundBy: 'ends 300 grants of many customers',
  },
  {
    that: 'deletes 100 grants of a tenant',
    defect: ofTenants(async function* (tenantId, sound) {
      const { grants } = await contentsOf(sound)
      const own = grants.filter((grant) => grant.tenantId === tenantId)
      if (own.length < 100) return yield* soundly(sound, tenantId)
      for (const grant of own.slice(0, 100)) if (await sound.deleteGrant(tenantId, grant.grantId)) yield grant
    }),
    foundBy: 'ends 300 grants of many customers',
  },
  {
    that: 'gives the expired grants of a tenant',
    defect: ofTenants(async function* (tenantId, sound) {
      const { grants } = await contentsOf(sound)
      yield* soundly(sound, tenantId)
      yield* grants.filter((grant) => grant.tenantId === tenantId && grant.expiresAt <= ownTime())
    }),
    foundBy: 'returns no grant of a tenant, with everything of it, that had ended before',
  },
  {
    that: 'keeps the used ids of a tenant',
    defect: (sound) => {
      const used = new Map<string, number>()
      return {
        async useOnce(tenantId, id, lifetime) {
          const key = JSON.stringify([tenantId, id])
          if ((used.get(key) ?? 0) > ownTime()) return false
          used.set(key, ownTime() + lifetime)
          return sound.useOnce(tenantId, id, lifetime)
        },
      }
    },
    foundBy: 'makes the used ids of a tenant free',
  },
  {
    that: 'deletes all tenants',
    defect: deletingTenants(() => true),
    foundBy: 'keeps everything of a tenant with another id',
  },
  {
    that: 'deletes every tenant whose id begins alike',
    defect: deletingTenants((tenantId, meant) => tenantId.startsWith(meant)),
    foundBy: 'keeps everything of a tenant whose id begins alike',
  },
  {
    that: 'ends the grants of every tenant whose id begins alike, where everything of one is to be deleted',
    defect: ofTenants(async function* (meant, sound) {
      const others = new Set((await contentsOf(sound)).grants.map(({ tenantId }) => tenantId))
      yield* soundly(sound, meant)
      for (const tenantId of others) {
        if (tenantId.startsWith(meant)) yield* sound.deleteGrants({ tenantId, all: 'grants' })
      }
    }),
    foundBy: 'keeps everything of a tenant whose id begins alike',
  },
  {
    that: 'deletes 50 used ids of a tenant',
    defect: ofTenants(async function* (tenantId, sound) {
      const used = (await contentsOf(sound)).used.filter((one) => one.tenantId === tenantId)
      yield* soundly(sound, tenantId)
      for (const { id } of used.slice(50)) await sound.useOnce(tenantId, id, 60_000)
    }),
    foundBy: 'deletes 100 used ids',
  },
  {
    that: 'takes what stands before a colon for the id of a tenant',
    defect: deletingTenants((tenantId, meant) => tenantId === meant || tenantId.startsWith(`${meant}:`)),
    foundBy: 'keeps everything of a tenant whose id begins alike, with a colon',
  },
  {
    that: 'takes the ids of tenants for patterns',
    defect: deletingTenants((tenantId, meant) => new RegExp(`^${meant.replace(/[%*]/g, '.*')}$`, 'su').test(tenantId)),
    foundBy: 'keeps everything of a tenant whose id begins alike',
  },
  {
    that: 'does not tell capital letters from small ones in the ids of tenants',
    defect: deletingTenants((tenantId, meant) => tenantId.toLowerCase() === meant.toLowerCase()),
    foundBy: 'keeps everything of a tenant whose id is the same in capital letters',
  },
  {
    that: 'cuts the ids of tenants off at U+0000',
    defect: ofTenants((tenantId, sound) => soundly(sound, tenantId.replace(/\0.*/s, ''))),
    foundBy: 'takes a tenant id with any Unicode',
  },
  {
    that: 'remembers a tenant as deleted before it is',
    defect: (sound) => {
      const deleted = new Set<string>()
      return ofTenants(async function* (tenantId) {
        if (deleted.has(tenantId)) return
        deleted.add(tenantId)
        yield* soundly(sound, tenantId)
      })(sound)
    },
    foundBy: 'deletes the rest after a call that was cut off',
  },
  {
    that: 'fails for a tenant that it does not know',
    defect: ofTenants(async function* (tenantId, sound) {
      const { grants, used } = await contentsOf(sound)
      const isKnown = [...grants, ...used].some((record) => record.tenantId === tenantId)
      if (!isKnown) throw new Error('There is no such tenant')
      yield* soundly(sound, tenantId)
    }),
    foundBy: 'returns no grant of a tenant, with everything of it, that had ended before, or has never been there',
  },
  {
    that: 'keeps a list of the used ids of a tenant that is deleted',
    defect: (sound) => {
      const ids: string[] = []
      const contents = async () => [await contentsOf(sound), ids]
      return {
        ...({ contents } as Partial<TokenStore>),
        useOnce(tenantId, id, lifetime) {
          ids.push(id)
          return sound.useOnce(tenantId, id, lifetime)
        },
      }
    },
    foundBy: 'is nothing of a tenant that has been deleted',
  },
]
