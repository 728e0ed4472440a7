import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { NewClient, RegisteredClient, RegistrationLimits, TokenStore } from '../stores/token-store'
import { atAnotherTime, clockOf, definedMembers, hour, minute, newClient, unicode, until } from './records'
import type { StoreTest } from './store-test'

/** Limits that no test reaches. */
const room: RegistrationLimits = { perTenant: 100, total: 1000 }
const day = 24 * hour

/** Tests how a store keeps registered clients. */
export function clientContract({ describe, test }: StoreTest): void {
  describe('registered clients', () => {
    test('are returned as they were saved, with any Unicode', async (store) => {
      const client = newClient({
        clientName: unicode,
        scopes: ['profile', 'calendar'],
      })
      const { lifetime: _, ...given } = client
      const { createdAt, expiresAt, ...saved } = definedMembers(await store.saveClient(client, room))
      assert.deepEqual(saved, given)
      assert.equal(expiresAt, createdAt + client.lifetime)
      assert.deepEqual(await foundClient(store, client), { ...saved, createdAt, expiresAt })
      assert.equal(await store.findClient(randomUUID(), client.clientId), undefined)
      assert.equal(await store.findClient(client.tenantId, randomUUID()), undefined)
    })

    test('are replaced by a later save', async (store) => {
      const client = newClient({})
      await store.saveClient(client, room)
      await store.saveClient({ ...client, clientName: 'Renamed' }, room)
      assert.equal((await foundClient(store, client))?.clientName, 'Renamed')
    })

    test('expire', async (store) => {
      const client = newClient({ lifetime: 50 })
      await store.saveClient(client, room)
      await until(async () => (await foundClient(store, client)) === undefined)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), false)
    })

    for (const [host, offset] of [
      ['ahead', day],
      ['behind', -day],
    ] as const) {
      test(`live by the clock of the store, even if the clock of the host is a day ${host}`, async (store) => {
        await atAnotherTime(offset, async () => {
          const before = await clockOf(store)
          const client = newClient({ lifetime: minute })
          const { createdAt } = await store.saveClient(client, room)
          assert.ok(createdAt >= before && createdAt <= (await clockOf(store)), `${createdAt} is not the store’s time`)
          await store.touchClient(client.tenantId, client.clientId, { lifetime: hour, inUse: true })
          const { expiresAt = 0 } = (await foundClient(store, client)) ?? {}
          assert.ok(expiresAt >= before + hour && expiresAt <= (await clockOf(store)) + hour)
        })
      })
    }

    test('get a later expiry from touchClient, never an earlier one', async (store) => {
      const client = newClient({ lifetime: minute })
      const saved = definedMembers(await store.saveClient(client, room))
      const before = await clockOf(store)
      await store.touchClient(client.tenantId, client.clientId, { lifetime: hour, inUse: true })
      await store.touchClient(client.tenantId, client.clientId, { lifetime: minute, inUse: true })
      const kept = await foundClient(store, client)
      assert.deepEqual(kept, { ...saved, expiresAt: kept?.expiresAt, inUse: true })
      assert.ok(kept.expiresAt >= before + hour, 'The client expires earlier than touchClient was told')
    })

    test('are in use once touchClient has said so, and stay in use', async (store) => {
      const client = newClient({})
      const { tenantId, clientId } = client
      const isInUse = async () => (await foundClient(store, client))?.inUse ?? false
      await store.saveClient(client, room)
      await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: false })
      assert.equal(await isInUse(), false)
      await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: true })
      assert.equal(await isInUse(), true)
      await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: false })
      assert.equal(await isInUse(), true)
    })

    test('are not created by touchClient', async (store) => {
      const client = newClient({})
      for (const inUse of [true, false]) {
        await store.touchClient(client.tenantId, client.clientId, { lifetime: hour, inUse })
        assert.equal(await foundClient(store, client), undefined)
      }
    })

    test('are separate for each tenant, even if their ids are equal', async (store) => {
      const mine = newClient({})
      const theirs = { ...mine, tenantId: randomUUID() }
      const { clientId } = mine
      const saved = definedMembers(await store.saveClient(mine, room))
      const savedThere = definedMembers(await store.saveClient(theirs, room))
      assert.deepEqual(await foundClient(store, mine), saved)
      await store.touchClient(mine.tenantId, clientId, { lifetime: 2 * hour, inUse: true })
      assert.deepEqual(await foundClient(store, theirs), savedThere)
      await store.deleteClient(mine.tenantId, clientId)
      assert.deepEqual(await foundClient(store, theirs), savedThere)
    })

    test('are deleted once', async (store) => {
      const client = newClient({})
      await store.saveClient(client, room)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), true)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), false)
      assert.equal(await foundClient(store, client), undefined)
    })
  })

  describe('registered clients that nobody uses', () => {
    test('make room for later ones of their tenant, the oldest first', async (store) => {
      const [other] = await saved(store, [newClient({})], room)
      const clients = await saved(store, ofOneTenant(5), { ...room, perTenant: 3 })
      assert.deepEqual(await left(store, clients), [false, false, true, true, true])
      assert.deepEqual(await left(store, [other]), [true])
    })

    test('make room, and clients in use neither make nor take any', async (store) => {
      const clients = ofOneTenant(5)
      const [inUse, alsoInUse] = await saved(store, clients.slice(0, 2), { ...room, perTenant: 2 })
      for (const { tenantId, clientId } of [inUse, alsoInUse] as NewClient[]) {
        await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: true })
      }
      await saved(store, clients.slice(2), { ...room, perTenant: 2 })
      assert.deepEqual(await left(store, clients), [true, true, false, true, true])
    })

    test('are the last to make room after touchClient without inUse', async (store) => {
      const clients = ofOneTenant(4)
      const [asked] = await saved(store, clients.slice(0, 2), room)
      await store.touchClient(asked?.tenantId ?? '', asked?.clientId ?? '', { lifetime: hour, inUse: false })
      await saved(store, clients.slice(2), { ...room, perTenant: 3 })
      assert.deepEqual(await left(store, clients), [true, false, true, true])
      await saved(store, [newClient({ tenantId: asked?.tenantId ?? '' })], { ...room, perTenant: 3 })
      assert.deepEqual(await left(store, clients), [false, false, true, true])
    })

    test('do not make room because of clients that have been deleted', async (store) => {
      const clients = ofOneTenant(4)
      const [, deleted] = await saved(store, clients.slice(0, 3), { ...room, perTenant: 3 })
      await store.deleteClient(deleted?.tenantId ?? '', deleted?.clientId ?? '')
      await saved(store, clients.slice(3), { ...room, perTenant: 3 })
      assert.deepEqual(await left(store, clients), [true, false, true, true])
    })

    test('do not make room because of clients that have expired', async (store) => {
      const [first, second, later] = ofOneTenant(3) as [NewClient, NewClient, NewClient]
      await saved(store, [first, { ...second, lifetime: 50 }], { ...room, perTenant: 2 })
      await until(async () => (await foundClient(store, second)) === undefined)
      await saved(store, [later], { ...room, perTenant: 2 })
      assert.deepEqual(await left(store, [first, later]), [true, true])
    })

    test('make room for a client that is saved by a host whose clock is a day behind', async (store) => {
      const clients = ofOneTenant(3).map((client) => ({ ...client, lifetime: 3 * day }))
      await saved(store, clients.slice(0, 2), { ...room, perTenant: 2 })
      await atAnotherTime(-day, async () => {
        await saved(store, clients.slice(2), { ...room, perTenant: 2 })
      })
      assert.deepEqual(await left(store, clients), [false, true, true])
    })

    test('make room for a client with a shorter lifetime', async (store) => {
      const clients = ofOneTenant(3)
      const shorter = clients.slice(2).map((client) => ({ ...client, lifetime: minute }))
      await saved(store, [...clients.slice(0, 2), ...shorter], { ...room, perTenant: 2 })
      assert.deepEqual(await left(store, clients), [false, true, true])
    })

    test('fill the limit exactly when many are saved at once', async (store) => {
      const clients = ofOneTenant(30)
      await Promise.all(clients.map((client) => store.saveClient(client, { ...room, perTenant: 4 })))
      assert.equal((await left(store, clients)).filter(Boolean).length, 4)
    })
  })

  describe('registered clients that nobody uses, of all tenants together,', () => {
    test('make room at the tenant that has the most, the oldest first', async (store) => {
      await makeEmpty(store)
      const [few, many, one] = [ofOneTenant(2), ofOneTenant(5), ofOneTenant(1)]
      await saved(store, [...few, ...many, ...one], { ...room, total: 5 })
      assert.deepEqual(await left(store, few), [true, true])
      assert.deepEqual(await left(store, many), [false, false, false, true, true])
      assert.deepEqual(await left(store, one), [true])
    })

    test('make no room for a flood at another tenant', async (store) => {
      await makeEmpty(store)
      const others = [ofOneTenant(2), ofOneTenant(2), ofOneTenant(1)].flat()
      const flood = ofOneTenant(40)
      await saved(store, [...others, ...flood], { ...room, total: 8 })
      assert.deepEqual(new Set(await left(store, others)), new Set([true]))
      assert.deepEqual(await left(store, flood.slice(-3)), [true, true, true])
    })

    test('make room for the first client of a tenant, even if no tenant has more than one', async (store) => {
      await makeEmpty(store)
      const tenants = [newClient({}), newClient({}), newClient({}), newClient({})]
      for (const client of tenants) {
        await saved(store, [client], { ...room, total: 3 })
        assert.deepEqual(await left(store, [client]), [true])
      }
      assert.equal((await left(store, tenants)).filter(Boolean).length, 3)
    })

    test('do not include clients that are in use, deleted or expired', async (store) => {
      await makeEmpty(store)
      const [inUse, deleted, expired, idle, later] = Array.from({ length: 5 }, () => newClient({})) as [
        ...[NewClient, NewClient, NewClient, NewClient, NewClient],
      ]
      await saved(store, [inUse, deleted, { ...expired, lifetime: 50 }, idle], { ...room, total: 4 })
      await store.touchClient(inUse.tenantId, inUse.clientId, { lifetime: hour, inUse: true })
      await store.deleteClient(deleted.tenantId, deleted.clientId)
      await until(async () => (await foundClient(store, expired)) === undefined)
      await saved(store, [later], { ...room, total: 2 })
      assert.deepEqual(await left(store, [inUse, idle, later]), [true, true, true])
    })

    test('make room when the limit has become lower', async (store) => {
      await makeEmpty(store)
      const clients = [ofOneTenant(6), ofOneTenant(3)].flat()
      await saved(store, clients, room)
      await saved(store, [newClient({})], { ...room, total: 3 })
      assert.equal((await left(store, clients)).filter(Boolean).length, 2)
    })

    test('fill the limit exactly when many are saved at once', async (store) => {
      await makeEmpty(store)
      const clients = [ofOneTenant(10), ofOneTenant(10), ofOneTenant(10)].flat()
      await Promise.all(clients.map((client) => store.saveClient(client, { ...room, total: 6 })))
      const isLeft = await left(store, clients)
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
async function saved(store: TokenStore, clients: NewClient[], limits: RegistrationLimits): Promise<NewClient[]> {
  for (const client of clients) await store.saveClient(client, limits)
  return clients
}

async function foundClient(
  store: TokenStore,
  { tenantId, clientId }: NewClient,
): Promise<RegisteredClient | undefined> {
  return definedMembers(await store.findClient(tenantId, clientId))
}

/** Whether each of the clients is still registered. */
async function left(store: TokenStore, clients: readonly (NewClient | undefined)[]): Promise<boolean[]> {
  const found = clients.map(async (client) => client && (await store.findClient(client.tenantId, client.clientId)))
  return (await Promise.all(found)).map((client) => client !== undefined)
}

/** Deletes all unused clients that other tests have left in the store, by making them make room. */
async function makeEmpty(store: TokenStore): Promise<void> {
  const client = newClient({})
  for (let times = 0; times < 10; times++) await store.saveClient(client, { perTenant: 1, total: 1 })
  await store.deleteClient(client.tenantId, client.clientId)
}
