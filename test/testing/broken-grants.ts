import type { Grant } from 'customer-sign-in'
import { type BrokenStore, century } from './broken-store'

/** Stores that are wrong about making, finding, deleting and listing grants. */
export const brokenGrants: BrokenStore[] = [
  {
    that: 'overwrites a grant whose id is taken',
    defect: (sound) => ({
      async createGrant(grant) {
        await sound.deleteGrant(grant.tenantId, grant.grantId)
        await sound.createGrant(grant)
      },
    }),
    foundBy: 'reject an id that is taken',
  },
  {
    that: 'keeps the object that it was given',
    defect: (sound) => {
      const given = new Map<string, Grant>()
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          given.set(grant.grantId, grant)
        },
        findGrant: async (_, grantId) => given.get(grantId),
      }
    },
    foundBy: 'do not share objects',
  },
  {
    that: 'drops the claims',
    defect: (sound) => ({ createGrant: (grant) => sound.createGrant({ ...grant, claims: undefined }) }),
    foundBy: 'give back the grant as it was stored',
  },
  {
    that: 'drops the absolute end',
    defect: (sound) => ({ createGrant: (grant) => sound.createGrant({ ...grant, endsAt: undefined }) }),
    foundBy: 'give back the grant as it was stored',
  },
  {
    that: 'holds what is absent as null',
    defect: (sound) => ({
      async findGrant(...ids) {
        const grant = await sound.findGrant(...ids)
        return grant && JSON.parse(JSON.stringify({ endsAt: null, ...grant }))
      },
    }),
    foundBy: 'leave out what a grant does not have',
  },
  {
    that: 'keeps only Latin letters',
    defect: (sound) => ({
      createGrant: (grant) =>
        sound.createGrant({ ...grant, scope: Buffer.from(grant.scope, 'latin1').toString('latin1') }),
    }),
    foundBy: 'any Unicode',
  },
  {
    that: 'cuts a text at a NUL',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, resource: grant.resource.split('\0')[0] ?? '' }),
    }),
    foundBy: 'any Unicode',
  },
  {
    that: 'gives null for nothing',
    defect: (sound) => ({
      findGrant: async (...ids) => (await sound.findGrant(...ids)) ?? (null as unknown as undefined),
    }),
    foundBy: 'find nothing',
  },
  {
    that: 'never lets a grant expire',
    defect: (sound) => {
      const expiries = new Map<string, number>()
      return {
        async createGrant(grant) {
          await sound.createGrant({ ...grant, expiresAt: grant.expiresAt + century })
          expiries.set(grant.grantId, grant.expiresAt)
        },
        async findGrant(...ids) {
          const grant = await sound.findGrant(...ids)
          return grant && { ...grant, expiresAt: expiries.get(grant.grantId) ?? grant.expiresAt }
        },
      }
    },
    foundBy: 'find nothing once a grant has expired',
  },
  {
    that: 'forgets the tenant',
    defect: (sound) => {
      const tenantId = 'all'
      return {
        createGrant: (grant) => sound.createGrant({ ...grant, tenantId }),
        findGrant: (_, grantId) => sound.findGrant(tenantId, grantId),
        swapCredential: (swap) => sound.swapCredential({ ...swap, tenantId }),
        deleteGrant: (_, grantId) => sound.deleteGrant(tenantId, grantId),
        listGrants: (_, subject) => sound.listGrants(tenantId, subject),
      }
    },
    foundBy: 'see nothing of each other',
  },
  {
    that: 'runs the ids of tenants and grants together',
    defect: (sound) => {
      const made = new Map<string, Grant>()
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          made.set(`${grant.tenantId}:${grant.grantId}`, grant)
        },
        findGrant: async (tenantId, grantId) => made.get(`${tenantId}:${grantId}`),
      }
    },
    foundBy: 'are told apart',
  },
  {
    that: 'says that it deleted what was not there',
    defect: (sound) => ({ deleteGrant: async (...ids) => (await sound.deleteGrant(...ids)) || true }),
    foundBy: 'says whether there was such a grant',
  },
  {
    that: 'deletes nothing',
    defect: (sound) => ({ deleteGrant: async (...ids) => (await sound.findGrant(...ids)) !== undefined }),
    foundBy: 'says whether there was such a grant',
  },
  {
    that: 'lists the grants of the whole tenant',
    defect: (sound) => {
      const subjects = new Set<string>()
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          subjects.add(grant.subject)
        },
        listGrants: async (tenantId) =>
          (await Promise.all([...subjects].map((subject) => sound.listGrants(tenantId, subject)))).flat(),
      }
    },
    foundBy: 'nobody else’s',
  },
  {
    that: 'lists the grants of a customer at all tenants',
    defect: (sound) => {
      const tenants = new Set<string>()
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          tenants.add(grant.tenantId)
        },
        listGrants: async (_, subject) =>
          (await Promise.all([...tenants].map((tenantId) => sound.listGrants(tenantId, subject)))).flat(),
      }
    },
    foundBy: 'nobody else’s',
  },
  {
    that: 'lists grants as they were made',
    defect: (sound) => {
      const made: Grant[] = []
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          made.push(structuredClone(grant))
        },
        async listGrants(...of) {
          const ids = (await sound.listGrants(...of)).map(({ grantId }) => grantId)
          return made.filter(({ grantId }) => ids.includes(grantId))
        },
      }
    },
    foundBy: 'as they are now',
  },
  {
    that: 'lists a page of 100',
    defect: (sound) => ({ listGrants: async (...of) => (await sound.listGrants(...of)).slice(0, 100) }),
    foundBy: '300 grants',
  },
  {
    that: 'lists what has been deleted',
    defect: (sound) => {
      const made: Grant[] = []
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          made.push(grant)
        },
        listGrants: async (tenantId, subject) =>
          made.filter((grant) => grant.tenantId === tenantId && grant.subject === subject),
      }
    },
    foundBy: 'leaves out what has been deleted',
  },
  {
    that: 'scans the first page',
    defect: (sound) => ({
      async *scanGrants(tenantId) {
        let given = 0
        for await (const grant of sound.scanGrants(tenantId)) if (given++ < 10) yield grant
      },
    }),
    foundBy: 'scanGrants gives all grants',
  },
  {
    that: 'scans every tenant whose id begins alike',
    defect: (sound) => {
      const tenants = new Set<string>()
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          tenants.add(grant.tenantId)
        },
        async *scanGrants(tenantId) {
          for (const each of tenants) if (each.startsWith(tenantId)) yield* sound.scanGrants(each)
        },
      }
    },
    foundBy: 'and of no other',
  },
  {
    that: 'scans what has been deleted',
    defect: (sound) => {
      const made: Grant[] = []
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          made.push(grant)
        },
        async *scanGrants(tenantId) {
          yield* made.filter((grant) => grant.tenantId === tenantId)
        },
      }
    },
    foundBy: 'scanGrants leaves out what has ended',
  },
  {
    that: 'scans what has expired',
    defect: (sound) => {
      const gone: Grant[] = []
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          if (grant.expiresAt < Date.now() + 1000) gone.push(grant)
        },
        async *scanGrants(tenantId) {
          yield* sound.scanGrants(tenantId)
          yield* gone.filter((grant) => grant.tenantId === tenantId)
        },
      }
    },
    foundBy: 'scanGrants leaves out what has ended',
  },
]
