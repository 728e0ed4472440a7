import type { Grant, GrantPage, GrantPageRequest, TokenStore } from 'customer-sign-in/store'
import type { BrokenStore } from './broken-store'

/** Stores that are wrong about the pages of grants. */
export const brokenPages: BrokenStore[] = [
  {
    that: 'gives all grants in one page',
    defect: (sound) => ({ listGrants: (of) => sound.listGrants({ ...of, limit: 1000 }) }),
    foundBy: 'listGrants gives all grants of a tenant in pages',
  },
  {
    that: 'gives no page after the first',
    defect: (sound) => ({ listGrants: async (of) => ({ grants: (await sound.listGrants(of)).grants }) }),
    foundBy: 'listGrants gives all grants of a tenant in pages',
  },
  {
    that: 'begins again after each page',
    defect: (sound) => ({ listGrants: (of) => sound.listGrants({ ...of, after: undefined }) }),
    foundBy: 'listGrants gives all grants of a tenant in pages',
  },
  {
    that: 'gives the grants of all clients where those of one are meant',
    defect: (sound) => ({ listGrants: (of) => sound.listGrants({ ...of, clientId: undefined }) }),
    foundBy: 'listGrants gives all grants of one client',
  },
  {
    that: 'gives the grants of all clients of a customer where those of one are meant',
    defect: (sound) => ({
      listGrants: (of) => sound.listGrants(of.subject === undefined ? of : { ...of, clientId: undefined }),
    }),
    foundBy: 'listGrants gives the grants of one customer and one client',
  },
  {
    that: 'gives all grants of a customer in one page',
    defect: (sound) => ({
      listGrants: (of) => sound.listGrants(of.subject === undefined ? of : { ...of, limit: 1000 }),
    }),
    foundBy: 'listGrants returns 300 grants of one customer in pages',
  },
  {
    that: 'gives the grants of all tenants whose id begins alike',
    defect: (sound) => {
      const tenants = new Set<string>()
      return {
        createGrant(grant) {
          tenants.add(grant.tenantId)
          return sound.createGrant(grant)
        },
        async listGrants({ after = '', limit, ...of }) {
          const meant = [...tenants].filter((tenant) => tenant.startsWith(of.tenantId))
          const lists = await Promise.all(meant.map((tenantId) => everyGrant(sound, { ...of, tenantId })))
          return pageOf(lists.flat().sort(byPlace(placeById)), placeById, after, limit)
        },
      }
    },
    foundBy: 'listGrants gives all grants of a tenant in pages',
  },
  {
    that: 'gives one grant of a page twice',
    defect: (sound) => ({
      async listGrants(of) {
        const { grants, ...rest } = await sound.listGrants({ ...of, limit: of.limit - 1 })
        return { ...rest, grants: [...grants, ...grants.slice(0, 1)] }
      },
    }),
    foundBy: 'listGrants gives all grants of a tenant in pages',
  },
  {
    that: 'gives grants that have been deleted',
    defect: (sound) => {
      const deleted: Grant[] = []
      return {
        async deleteGrant(...ids) {
          const grant = await sound.findGrant(...ids)
          if (grant) deleted.push(grant)
          return sound.deleteGrant(...ids)
        },
        async listGrants({ after = '', limit, ...of }) {
          const gone = deleted.filter((grant) => grant.tenantId === of.tenantId)
          const all = [...(await everyGrant(sound, of)), ...gone]
          return pageOf(all.sort(byPlace(placeById)), placeById, after, limit)
        },
      }
    },
    foundBy: 'listGrants gives the grants as they are now',
  },
  {
    that: 'counts how many grants the pages before had',
    defect: (sound) => ({
      async listGrants({ after = '0', limit, ...of }) {
        const all = (await everyGrant(sound, of)).sort(byPlace(placeById))
        const start = Number(after) || 0
        const grants = all.slice(start, start + limit)
        return start + limit < all.length ? { grants, next: String(start + limit) } : { grants }
      },
    }),
    foundBy: 'listGrants misses no grant while others are created and deleted',
  },
  {
    that: 'pages through grants in the order of their last use, the newest first',
    defect: (sound) => {
      let uses = 0
      const usedAt = new Map<string, number>()
      const placeByUse = ({ grantId }: Grant) => String(900_000 - (usedAt.get(grantId) ?? 0)) + grantId
      return {
        swapCredential(swap) {
          usedAt.set(swap.grantId, ++uses)
          return sound.swapCredential(swap)
        },
        async listGrants({ after = '', limit, ...of }) {
          const all = await everyGrant(sound, of)
          return pageOf(all.sort(byPlace(placeByUse)), placeByUse, after, limit)
        },
      }
    },
    foundBy: 'listGrants misses no grant that is refreshed',
  },
  {
    that: 'has no more than 100 grants in all pages',
    defect: (sound) => ({
      async listGrants({ after = '', limit, ...of }) {
        const all = (await everyGrant(sound, of)).sort(byPlace(placeById))
        return pageOf(all.slice(0, 100), placeById, after, limit)
      },
    }),
    foundBy: 'listGrants gives 300 grants of one client',
  },
  ...[' page', '\0'].map((part) => ({
    that: `refuses an end of a page that it has not given, with ${JSON.stringify(part)}`,
    defect: (sound: TokenStore) => ({
      async listGrants(of: GrantPageRequest) {
        if ((of.after ?? '').includes(part)) throw new Error('There is no such page')
        return sound.listGrants(of)
      },
    }),
    foundBy: 'listGrants takes any text for the end of a page',
  })),
]

type Place = (grant: Grant) => string

const placeById: Place = ({ grantId }) => grantId

function byPlace(place: Place): (one: Grant, other: Grant) => number {
  return (one, other) => (place(one) < place(other) ? -1 : 1)
}

async function everyGrant(sound: TokenStore, of: Omit<GrantPageRequest, 'limit'>): Promise<Grant[]> {
  return [...(await sound.listGrants({ ...of, limit: 100_000 })).grants]
}

function pageOf(all: Grant[], place: Place, after: string, limit: number): GrantPage {
  const rest = all.filter((grant) => place(grant) > after)
  const grants = rest.slice(0, limit)
  const last = grants.at(-1)
  return rest.length > limit && last ? { grants, next: place(last) } : { grants }
}
