import type { RegisteredClient } from 'customer-sign-in'
import { type BrokenStore, century } from './broken-store'

/** Stores that are wrong about registered clients. */
export const brokenClients: BrokenStore[] = [
  {
    that: 'keeps the first registration over a later one',
    defect: (sound) => ({
      async saveClient(client, mostIdle) {
        if (!(await sound.findClient(client.tenantId, client.clientId))) await sound.saveClient(client, mostIdle)
      },
    }),
    foundBy: 'replaced by a later save',
  },
  {
    that: 'forgets the tenant of a client',
    defect: (sound) => ({
      saveClient: (client, mostIdle) => sound.saveClient({ ...client, tenantId: 'all' }, mostIdle),
      findClient: (_, clientId) => sound.findClient('all', clientId),
    }),
    foundBy: 'as they were saved',
  },
  {
    that: 'has room for one client of an id among all tenants',
    defect: (sound) => {
      const homes = new Map<string, string>()
      return {
        async saveClient(client, mostIdle) {
          await sound.saveClient(client, mostIdle)
          homes.set(client.clientId, client.tenantId)
        },
        findClient: async (tenantId, clientId) =>
          homes.get(clientId) === tenantId ? sound.findClient(tenantId, clientId) : undefined,
      }
    },
    foundBy: 'untouched by those of another tenant',
  },
  {
    that: 'deletes the client of another tenant',
    defect: (sound) => {
      const homes = new Map<string, string[]>()
      return {
        async saveClient(client, mostIdle) {
          await sound.saveClient(client, mostIdle)
          homes.set(client.clientId, [...(homes.get(client.clientId) ?? []), client.tenantId])
        },
        async deleteClient(tenantId, clientId) {
          const deleted = await sound.deleteClient(tenantId, clientId)
          for (const home of homes.get(clientId) ?? []) await sound.deleteClient(home, clientId)
          return deleted
        },
      }
    },
    foundBy: 'untouched by those of another tenant',
  },
  {
    that: 'keeps the client of another tenant',
    defect: (sound) => {
      const homes = new Map<string, string[]>()
      return {
        async saveClient(client, mostIdle) {
          await sound.saveClient(client, mostIdle)
          homes.set(client.clientId, [...(homes.get(client.clientId) ?? []), client.tenantId])
        },
        async keepClient(_, clientId, expiresAt) {
          for (const home of homes.get(clientId) ?? []) await sound.keepClient(home, clientId, expiresAt)
        },
      }
    },
    foundBy: 'untouched by those of another tenant',
  },
  {
    that: 'never lets a client expire',
    defect: (sound) => ({
      saveClient: (client, mostIdle) =>
        sound.saveClient({ ...client, expiresAt: client.expiresAt + century }, mostIdle),
    }),
    foundBy: 'registered clients expire',
  },
  {
    that: 'drops no client that is idle',
    defect: (sound) => ({ saveClient: (client) => sound.saveClient(client, 1000) }),
    foundBy: 'make room for later ones',
  },
  {
    that: 'drops the newest client in place of the oldest',
    defect: (sound) => {
      let saved = 0
      return {
        async saveClient(client, mostIdle) {
          if (++saved <= mostIdle) await sound.saveClient(client, 1000)
        },
      }
    },
    foundBy: 'make room for later ones',
  },
  {
    that: 'drops clients that are in use',
    defect: (sound) => {
      const saved: RegisteredClient[] = []
      return {
        async saveClient(client, mostIdle) {
          saved.push(client)
          await sound.saveClient(client, mostIdle)
          const same = saved.filter(({ tenantId }) => tenantId === client.tenantId)
          for (const { tenantId, clientId } of same.slice(0, -mostIdle)) await sound.deleteClient(tenantId, clientId)
        },
      }
    },
    foundBy: 'make room for later ones',
  },
  {
    that: 'makes room at the cost of other tenants',
    defect: (sound) => {
      const saved: RegisteredClient[] = []
      return {
        async saveClient(client, mostIdle) {
          saved.push(client)
          await sound.saveClient(client, mostIdle)
          const others = saved.filter(({ tenantId }) => tenantId !== client.tenantId)
          if (saved.length <= mostIdle) return
          for (const { tenantId, clientId } of others) await sound.deleteClient(tenantId, clientId)
        },
      }
    },
    foundBy: 'make room for later ones',
  },
  {
    that: 'shortens the life of a client that is kept',
    defect: (sound) => ({
      async keepClient(tenantId, clientId, expiresAt) {
        const client = await sound.findClient(tenantId, clientId)
        if (client) await sound.saveClient({ ...client, expiresAt }, 1000)
      },
    }),
    foundBy: 'never until an earlier one',
  },
  {
    that: 'keeps no client',
    defect: () => ({ keepClient: async () => undefined }),
    foundBy: 'kept until a later time',
  },
  {
    that: 'makes a client of one that is kept',
    defect: (sound) => ({
      async keepClient(tenantId, clientId, expiresAt) {
        const client = await sound.findClient(tenantId, clientId)
        await sound.saveClient({ redirectUris: [], createdAt: 0, ...client, tenantId, clientId, expiresAt }, 1000)
      },
    }),
    foundBy: 'do not come into being',
  },
  {
    that: 'drops what it knows of a client when that is kept',
    defect: (sound) => ({
      async keepClient(tenantId, clientId, expiresAt) {
        const client = await sound.findClient(tenantId, clientId)
        if (client) await sound.saveClient({ ...client, redirectUris: [], expiresAt }, 1000)
      },
    }),
    foundBy: 'kept until a later time',
  },
  {
    that: 'deletes no client',
    defect: () => ({ deleteClient: async () => true }),
    foundBy: 'are deleted once',
  },
]
