import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { NewClient, RegistrationLimits, TokenStore } from '../../stores/token-store'
import { atAnotherTime, day, findClient, hour, minute, newClient, room, until } from './records'
import type { StoreTest } from './store-test'

/** Tests which registered clients make room for others. */
export function registrationLimitsContract({ describe, test }: StoreTest): void {
  describe('registered clients that nobody uses', () => {
    test('make room for later ones of their tenant, the oldest first', async (store) => {
      const [other] = await saveClients(store, [newClient({})], room)
      const clients = await saveClients(store, ofOneTenant(5), { ...room, perTenant: 3 })
      assert.deepEqual(await areLeft(store, clients), [false, false, true, true, true])
      assert.deepEqual(await areLeft(store, [other]), [true])
    })

    test('make room, and clients in use neither make nor take any', async (store) => {
      const clients = ofOneTenant(5)
      const [inUse, alsoInUse] = await saveClients(store, clients.slice(0, 2), { ...room, perTenant: 2 })
      for (const { tenantId, clientId } of [inUse, alsoInUse] as NewClient[]) {
        await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: true })
      }
      await saveClients(store, clients.slice(2), { ...room, perTenant: 2 })
      assert.deepEqual(await areLeft(store, clients), [true, true, false, true, true])
    })

    test('are the last to make room after touchClient without inUse', async (store) => {
      const clients = ofOneTenant(4)
      const [asked] = await saveClients(store, clients.slice(0, 2), room)
      await store.touchClient(asked?.tenantId ?? '', asked?.clientId ?? '', { lifetime: hour, inUse: false })
      await saveClients(store, clients.slice(2), { ...room, perTenant: 3 })
      assert.deepEqual(await areLeft(store, clients), [true, false, true, true])
      await saveClients(store, [newClient({ tenantId: asked?.tenantId ?? '' })], { ...room, perTenant: 3 })
      assert.deepEqual(await areLeft(store, clients), [false, false, true, true])
    })

    test('do not make room because of clients that have been deleted', async (store) => {
      const clients = ofOneTenant(4)
      const [, deleted] = await saveClients(store, clients.slice(0, 3), { ...room, perTenant: 3 })
      await store.deleteClient(deleted?.tenantId ?? '', deleted?.clientId ?? '')
      await saveClients(store, clients.slice(3), { ...room, perTenant: 3 })
      assert.deepEqual(await areLeft(store, clients), [true, false, true, true])
    })

    test('do not make room because of clients that have expired', async (store) => {
      const [first, second, later] = ofOneTenant(3) as [NewClient, NewClient, NewClient]
      await saveClients(store, [first, { ...second, lifetime: 50 }], { ...room, perTenant: 2 })
      await until(async () => (await findClient(store, second)) === undefined)
      await saveClients(store, [later], { ...room, perTenant: 2 })
      assert.deepEqual(await areLeft(store, [first, later]), [true, true])
    })

    test('make room for a client that is saved by a host whose clock is a day behind', async (store) => {
      const clients = ofOneTenant(3).map((client) => ({ ...client, lifetime: 3 * day }))
      await saveClients(store, clients.slice(0, 2), { ...room, perTenant: 2 })
      await atAnotherTime(-day, async () => {
        await saveClients(store, clients.slice(2), { ...room, perTenant: 2 })
      })
      assert.deepEqual(await areLeft(store, clients), [false, true, true])
    })

    test('make room for a client with a shorter lifetime', async (store) => {
      const clients = ofOneTenant(3)
      const shorter = clients.slice(2).map((client) => ({ ...client, lifetime: minute }))
      await saveClients(store, [...clients.slice(0, 2), ...shorter], { ...room, perTenant: 2 })
      assert.deepEqual(await areLeft(store, clients), [false, true, true])
    })

    test('fill the limit exactly when many are saved at once', async (store) => {
      const clients = ofOneTenant(30)
      await Promise.all(clients.map((client) => store.saveClient(client, { ...room, perTenant: 4 })))
      assert.equal((await areLeft(store, clients)).filter(Boolean).length, 4)
    })
  })

  describe('registered clients that nobody uses, of all tenants together,', () => {
    test('make room at the tenant that has the most, the oldest first', async (store) => {
      await makeEmpty(store)
      const [few, many, one] = [ofOneTenant(2), ofOneTenant(5), ofOneTenant(1)]
      await saveClients(store, [...few, ...many, ...one], { ...room, total: 5 })
      assert.deepEqual(await areLeft(store, few), [true, true])
      assert.deepEqual(await areLeft(store, many), [false, false, false, true, true])
      assert.deepEqual(await areLeft(store, one), [true])
    })

    test('make no room for a flood at another tenant', async (store) => {
      await makeEmpty(store)
      const others = [ofOneTenant(2), ofOneTenant(2), ofOneTenant(1)].flat()
      const flood = ofOneTenant(40)
      await saveClients(store, [...others, ...flood], { ...room, total: 8 })
      assert.deepEqual(new Set(await areLeft(store, others)), new Set([true]))
      assert.deepEqual(await areLeft(store, flood.slice(-3)), [true, true, true])
    })

    test('make room for the first client of a tenant, even if no tenant has more than one', async (store) => {
      await makeEmpty(store)
      const tenants = [newClient({}), newClient({}), newClient({}), newClient({})]
      for (const client of tenants) {
        await saveClients(store, [client], { ...room, total: 3 })
        assert.deepEqual(await areLeft(store, [client]), [true])
      }
      assert.equal((await areLeft(store, tenants)).filter(Boolean).length, 3)
    })

    test('do not include clients that are in use, deleted or expired', async (store) => {
      await makeEmpty(store)
      const [inUse, deleted, expired, idle, later] = Array.from({ length: 5 }, () => newClient({})) as [
        ...[NewClient, NewClient, NewClient, NewClient, NewClient],
      ]
      await saveClients(store, [inUse, deleted, { ...expired, lifetime: 50 }, idle], { ...room, total: 4 })
      await store.touchClient(inUse.tenantId, inUse.clientId, { lifetime: hour, inUse: true })
      await store.deleteClient(deleted.tenantId, deleted.clientId)
      await until(async () => (await findClient(store, expired)) === undefined)
      await saveClients(store, [later], { ...room, total: 2 })
      assert.deepEqual(await areLeft(store, [inUse, idle, later]), [true, true, true])
    })

    test('make room when the limit has become lower', async (store) => {
      await makeEmpty(store)
      const clients = [ofOneTenant(6), ofOneTenant(3)].flat()
      await saveClients(store, clients, room)
      await saveClients(store, [newClient({})], { ...room, total: 3 })
      assert.equal((await areLeft(store, clients)).filter(Boolean).length, 2)
    })

    test('fill the limit exactly when many are saved at once', async (store) => {
      await makeEmpty(store)
      const clients = [ofOneTenant(10), ofOneTenant(10), ofOneTenant(10)].flat()
      await Promise.all(clients.map((client) => store.saveClient(client, { ...room, total: 6 })))
      const isLeft = await areLeft(store, clients)
      assert.deepEqual(
        [0, 10, 20].map((start) => isLeft.slice(start, start + 10).filter(Boolean).length),
        [2, 2, 2],
      )
    })
  })
}

function ofOneTenant(count: number): NewClient[] {
  const tenantId = randomUUID()
  return Array.from({ length: count }, () => newClient({ tenantId }))
}

/** Saves clients one after the other. */
async function saveClients(store: TokenStore, clients: NewClient[], limits: RegistrationLimits): Promise<NewClient[]> {
  for (const client of clients) await store.saveClient(client, limits)
  return clients
}

/** Whether each of the clients is still registered. */
async function areLeft(store: TokenStore, clients: readonly (NewClient | undefined)[]): Promise<boolean[]> {
  const found = clients.map(async (client) => client && (await store.findClient(client.tenantId, client.clientId)))
  return (await Promise.all(found)).map((client) => client !== undefined)
}

/** Deletes all unused clients that other tests have left in the store, by making them make room. */
async function makeEmpty(store: TokenStore): Promise<void> {
  const client = newClient({})
  for (let times = 0; times < 10; times++) await store.saveClient(client, { perTenant: 1, total: 1 })
  await store.deleteClient(client.tenantId, client.clientId)
}
