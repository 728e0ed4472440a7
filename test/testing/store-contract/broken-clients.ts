import type { NewClient, RegisteredClient, TokenStore } from 'customer-sign-in'
import { type BrokenStore, century, ownTime } from './broken-store'

const room = { perTenant: 1000, total: 10_000 }

/** A store that keeps registered clients in a list of its own, and makes room among them in its own way. */
function makingRoom(
  tooMany: (
    idle: RegisteredClient[],
    limits: { perTenant: number; total: number },
    added: RegisteredClient,
  ) => unknown[],
): (sound: TokenStore) => Partial<TokenStore> {
  return (sound) => {
    let idle: RegisteredClient[] = []
    const without = (tenantId: string, clientId: string) =>
      idle.filter((client) => client.tenantId !== tenantId || client.clientId !== clientId)
    const isLive = ({ expiresAt }: RegisteredClient) => expiresAt > ownTime()
    return {
      async saveClient(client, limits) {
        const added = await sound.saveClient(client, room)
        idle = [...without(client.tenantId, client.clientId).filter(isLive), added]
        for (const old of tooMany(idle, limits, added) as RegisteredClient[]) {
          idle = without(old.tenantId, old.clientId)
          await sound.deleteClient(old.tenantId, old.clientId)
        }
        return added
      },
      async touchClient(tenantId, clientId, use) {
        await sound.touchClient(tenantId, clientId, use)
        const kept = idle.filter((client) => client.tenantId === tenantId && client.clientId === clientId)
        idle = [...without(tenantId, clientId), ...(use.inUse ? [] : kept)]
      },
      async deleteClient(tenantId, clientId) {
        idle = without(tenantId, clientId)
        return sound.deleteClient(tenantId, clientId)
      },
    }
  }
}

/** All except the last ones. */
function beyond<T>(clients: readonly T[], most: number): T[] {
  return clients.slice(0, Math.max(0, clients.length - most))
}

function ofTenant(clients: readonly RegisteredClient[], { tenantId }: RegisteredClient): RegisteredClient[] {
  return clients.filter((client) => client.tenantId === tenantId)
}

/** What a store does to a client under the same id at another tenant. */
function elsewhereToo(
  act: (sound: TokenStore, tenantId: string, clientId: string) => Promise<unknown>,
  method: 'deleteClient' | 'touchClient',
): (sound: TokenStore) => Partial<TokenStore> {
  return (sound) => {
    const homes = new Map<string, string[]>()
    const onAll = async (clientId: string) => {
      for (const home of homes.get(clientId) ?? []) await act(sound, home, clientId)
    }
    return {
      async saveClient(client, limits) {
        homes.set(client.clientId, [...(homes.get(client.clientId) ?? []), client.tenantId])
        return sound.saveClient(client, limits)
      },
      ...(method === 'deleteClient' && {
        async deleteClient(tenantId: string, clientId: string) {
          const deleted = await sound.deleteClient(tenantId, clientId)
          await onAll(clientId)
          return deleted
        },
      }),
      ...(method === 'touchClient' && { touchClient: (_: string, clientId: string) => onAll(clientId) }),
    }
  }
}

/** Stores that are wrong about registered clients. */
export const brokenClients: BrokenStore[] = [
  {
    that: 'keeps the first registration over a later one',
    defect: (sound) => ({
      saveClient: async (client, limits) =>
        (await sound.findClient(client.tenantId, client.clientId)) ?? sound.saveClient(client, limits),
    }),
    foundBy: 'replaced by a later save',
  },
  {
    that: 'forgets the tenant of a client',
    defect: (sound) => ({
      saveClient: (client, limits) => sound.saveClient({ ...client, tenantId: 'all' }, limits),
      findClient: (_, clientId) => sound.findClient('all', clientId),
    }),
    foundBy: 'as they were saved',
  },
  {
    that: 'gives another client than it has saved',
    defect: (sound) => ({
      saveClient: async (client, limits) => ({ ...(await sound.saveClient(client, limits)), redirectUris: [] }),
    }),
    foundBy: 'as they were saved',
  },
  {
    that: 'keeps only one client of an id among all tenants',
    defect: (sound) => {
      const homes = new Map<string, string>()
      return {
        async saveClient(client, limits) {
          homes.set(client.clientId, client.tenantId)
          return sound.saveClient(client, limits)
        },
        findClient: async (tenantId, clientId) =>
          homes.get(clientId) === tenantId ? sound.findClient(tenantId, clientId) : undefined,
      }
    },
    foundBy: 'are separate for each tenant',
  },
  {
    that: 'deletes the client of another tenant',
    defect: elsewhereToo((sound, tenantId, clientId) => sound.deleteClient(tenantId, clientId), 'deleteClient'),
    foundBy: 'are separate for each tenant',
  },
  {
    that: 'keeps the client of another tenant',
    defect: elsewhereToo(
      (sound, tenantId, clientId) => sound.touchClient(tenantId, clientId, { lifetime: 7_200_000, inUse: true }),
      'touchClient',
    ),
    foundBy: 'are separate for each tenant',
  },
  {
    that: 'never lets a client expire',
    defect: (sound) => ({
      saveClient: (client, limits) => sound.saveClient({ ...client, lifetime: century }, limits),
    }),
    foundBy: 'registered clients expire',
  },
  {
    that: 'stores a client by the clock of its host',
    defect: (sound) => ({
      saveClient: async (client, limits) =>
        Object.assign(await sound.saveClient(client, limits), {
          createdAt: Date.now(),
          expiresAt: Date.now() + client.lifetime,
        }),
    }),
    foundBy: 'live by the clock of the store, even if the clock of the host is a day ahead',
  },
  {
    that: 'keeps a client by the clock of its host',
    defect: (sound) => ({
      touchClient: (tenantId, clientId, { lifetime, inUse }) =>
        sound.touchClient(tenantId, clientId, { lifetime: lifetime + Date.now() - ownTime(), inUse }),
    }),
    foundBy: 'live by the clock of the store, even if the clock of the host is a day behind',
  },
  {
    that: 'shortens the life of a client that is kept',
    defect: (sound) => ({
      async touchClient(tenantId, clientId, use) {
        await sound.touchClient(tenantId, clientId, use)
        const client = await sound.findClient(tenantId, clientId)
        if (client) Object.assign(client, { expiresAt: ownTime() + use.lifetime })
      },
    }),
    foundBy: 'never an earlier one',
  },
  {
    that: 'keeps no client',
    defect: () => ({ touchClient: async () => undefined }),
    foundBy: 'get a later expiry',
  },
  {
    that: 'takes a client for used that a customer is only asked about',
    defect: (sound) => ({
      touchClient: (tenantId, clientId, use) => sound.touchClient(tenantId, clientId, { ...use, inUse: true }),
    }),
    foundBy: 'are in use once touchClient has said so',
  },
  {
    that: 'takes a client for unused when a customer is asked about it again',
    defect: (sound) => ({
      async touchClient(tenantId, clientId, use) {
        await sound.touchClient(tenantId, clientId, use)
        const client = await sound.findClient(tenantId, clientId)
        if (client) Object.assign(client, { inUse: use.inUse })
      },
    }),
    foundBy: 'and stay in use',
  },
  {
    that: 'keeps the time of the first use of a client',
    defect: (sound) => {
      const times = new Map<string, number | undefined>()
      return {
        async touchClient(tenantId, clientId, use) {
          await sound.touchClient(tenantId, clientId, use)
          const client = await sound.findClient(tenantId, clientId)
          if (!client) return
          const first = times.get(clientId) ?? client.lastUsedAt
          times.set(clientId, first)
          Object.assign(client, { lastUsedAt: first })
        },
      }
    },
    foundBy: 'say when touchClient was last told',
  },
  {
    that: 'makes a client of one that is kept',
    defect: (sound) => ({
      async touchClient(tenantId, clientId, use) {
        const isKnown = await sound.findClient(tenantId, clientId)
        if (!isKnown) await sound.saveClient({ tenantId, clientId, redirectUris: [], lifetime: use.lifetime }, room)
        await sound.touchClient(tenantId, clientId, use)
      },
    }),
    foundBy: 'are not created by touchClient',
  },
  {
    that: 'drops what it knows of a client when that is kept',
    defect: (sound) => ({
      async touchClient(tenantId, clientId, use) {
        await sound.touchClient(tenantId, clientId, use)
        const client = await sound.findClient(tenantId, clientId)
        if (client) Object.assign(client, { redirectUris: [] })
      },
    }),
    foundBy: 'get a later expiry',
  },
  {
    that: 'lists clients in the order in which they were saved',
    defect: (sound) => {
      const saved: string[] = []
      return {
        async saveClient(client, limits) {
          saved.push(client.clientId)
          return sound.saveClient(client, limits)
        },
        async pageClients(tenantId, { after, limit }) {
          const all = await sound.pageClients(tenantId, { after: '', limit: 1000 })
          all.sort((one, other) => saved.indexOf(one.clientId) - saved.indexOf(other.clientId))
          return all.slice(all.findIndex(({ clientId }) => clientId === after) + 1).slice(0, limit)
        },
      }
    },
    foundBy: 'listed in the order of their ids',
  },
  {
    that: 'lists more clients than it is asked for',
    defect: (sound) => ({ pageClients: (tenantId, { after }) => sound.pageClients(tenantId, { after, limit: 1000 }) }),
    foundBy: 'listed in the order of their ids',
  },
  {
    that: 'begins each list of clients at the first one',
    defect: (sound) => ({ pageClients: (tenantId, { limit }) => sound.pageClients(tenantId, { after: '', limit }) }),
    foundBy: 'listed in the order of their ids',
  },
  {
    that: 'lists only clients that are not in use',
    defect: (sound) => ({
      pageClients: async (tenantId, page) =>
        (await sound.pageClients(tenantId, page)).filter(({ inUse = false }) => !inUse),
    }),
    foundBy: 'listed as they are now',
  },
  {
    that: 'lists clients of tenants whose ids begin alike',
    defect: (sound) => {
      const saved: NewClient[] = []
      return {
        async saveClient(client, limits) {
          saved.push(client)
          return sound.saveClient(client, limits)
        },
        async pageClients(tenantId, page) {
          const alike = new Set(saved.map((client) => client.tenantId).filter((id) => id.startsWith(tenantId)))
          const pages = await Promise.all([...alike].map((id) => sound.pageClients(id, page)))
          return pages.flat().sort((one, other) => (one.clientId < other.clientId ? -1 : 1))
        },
      }
    },
    foundBy: 'listed without those of other tenants',
  },
  {
    that: 'deletes no client',
    defect: () => ({ deleteClient: async () => true }),
    foundBy: 'are deleted once',
  },
  {
    that: 'drops no client that is idle',
    defect: (sound) => ({ saveClient: (client) => sound.saveClient(client, room) }),
    foundBy: 'make room for later ones of their tenant',
  },
  {
    that: 'drops the newest client in place of the oldest',
    defect: makingRoom((idle, { perTenant }, added) => ofTenant(idle, added).slice(perTenant)),
    foundBy: 'make room for later ones of their tenant',
  },
  {
    that: 'makes room for a tenant at the cost of others',
    defect: makingRoom((idle, { perTenant }) => beyond(idle, perTenant)),
    foundBy: 'make room for later ones of their tenant',
  },
  {
    that: 'drops clients that are in use',
    defect: (sound) => {
      const saved: NewClient[] = []
      return {
        async saveClient(client, limits) {
          saved.push(client)
          const added = await sound.saveClient(client, limits)
          const same = saved.filter(({ tenantId }) => tenantId === client.tenantId)
          for (const { tenantId, clientId } of beyond(same, limits.perTenant)) {
            await sound.deleteClient(tenantId, clientId)
          }
          return added
        },
      }
    },
    foundBy: 'clients in use neither make nor take any',
  },
  {
    that: 'lets a client that a customer is asked about make room in its old turn',
    defect: (sound) => {
      const broken = makingRoom((idle, { perTenant }, added) => beyond(ofTenant(idle, added), perTenant))(sound)
      return {
        ...broken,
        touchClient: async (tenantId, clientId, use) =>
          use.inUse ? broken.touchClient?.(tenantId, clientId, use) : undefined,
      }
    },
    foundBy: 'are the last to make room',
  },
  {
    that: 'still counts clients that are deleted',
    defect: (sound) => {
      const broken = makingRoom((idle, { perTenant }, added) => beyond(ofTenant(idle, added), perTenant))(sound)
      return { ...broken, deleteClient: (tenantId, clientId) => sound.deleteClient(tenantId, clientId) }
    },
    foundBy: 'do not make room because of clients that have been deleted',
  },
  {
    that: 'still counts clients that have expired',
    defect: (sound) => {
      const saved: NewClient[] = []
      return {
        async saveClient(client, limits) {
          saved.push(client)
          const added = await sound.saveClient(client, limits)
          const same = saved.filter(({ tenantId }) => tenantId === client.tenantId)
          for (const { tenantId, clientId } of beyond(same, limits.perTenant)) {
            const isIdle = !(await sound.findClient(tenantId, clientId))?.inUse
            if (isIdle) await sound.deleteClient(tenantId, clientId)
          }
          return added
        },
      }
    },
    foundBy: 'do not make room because of clients that have expired',
  },
  {
    that: 'finds the oldest client by the clock of its host',
    defect: (sound) => {
      const times = new Map<string, number>()
      const broken = makingRoom((idle, { perTenant }, added) => {
        const time = ({ clientId }: RegisteredClient) => times.get(clientId) ?? 0
        return beyond(
          ofTenant(idle, added).sort((one, other) => time(one) - time(other)),
          perTenant,
        )
      })(sound)
      return {
        ...broken,
        async saveClient(client, limits) {
          times.set(client.clientId, Date.now())
          return (await broken.saveClient?.(client, limits)) as RegisteredClient
        },
      }
    },
    foundBy: 'saved by a host whose clock is a day behind',
  },
  {
    that: 'drops the client that would be the first to expire',
    defect: makingRoom((idle, { perTenant }, added) =>
      beyond(
        ofTenant(idle, added)
          .sort((one, other) => other.expiresAt - one.expiresAt)
          .reverse(),
        perTenant,
      ),
    ),
    foundBy: 'make room for a client with a shorter lifetime',
  },
  {
    that: 'limits only the clients of each tenant, not their total',
    defect: (sound) => ({ saveClient: (client, limits) => sound.saveClient(client, { ...limits, total: 10_000 }) }),
    foundBy: 'make room at the tenant that has the most',
  },
  {
    that: 'drops the oldest client of all tenants if there are too many',
    defect: makingRoom((idle, { total }) => beyond(idle, total)),
    foundBy: 'make no room for a flood at another tenant',
  },
  {
    that: 'refuses clients if there are too many',
    defect: (sound) => {
      const saved: NewClient[] = []
      return {
        async saveClient(client, limits) {
          const found = await Promise.all(saved.map(({ tenantId, clientId }) => sound.findClient(tenantId, clientId)))
          if (found.filter((each) => each && !each.inUse).length >= limits.total) throw new Error('The store is full')
          saved.push(client)
          return sound.saveClient(client, limits)
        },
      }
    },
    foundBy: 'make no room for a flood at another tenant',
  },
  {
    that: 'drops the very client that it has just saved',
    defect: makingRoom((idle, { total }, added) => (idle.length > total ? [added] : [])),
    foundBy: 'make room for the first client of a tenant',
  },
  {
    that: 'makes room for one at a time',
    defect: makingRoom((idle, { total }) => beyond(idle, total).slice(0, 1)),
    foundBy: 'make room when the limit has become lower',
  },
]
