import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TokenStore } from '../../stores/token-store'
import {
  atAnotherTime,
  clockOf,
  day,
  definedMembers,
  findClient,
  hour,
  minute,
  newClient,
  room,
  unicode,
  until,
} from './records'
import type { StoreTest } from './store-test'

/** Saves clients with these ids at a tenant. */
async function saveClients(store: TokenStore, tenantId: string, ids: readonly string[]): Promise<void> {
  for (const clientId of ids) await store.saveClient(newClient({ tenantId, clientId }), room)
}

async function idsOnPage(store: TokenStore, tenantId: string, after = '', limit = 100): Promise<string[]> {
  return (await store.pageClients(tenantId, { after, limit })).map(({ clientId }) => clientId)
}

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
      assert.deepEqual(await findClient(store, client), { ...saved, createdAt, expiresAt })
      assert.equal(await store.findClient(randomUUID(), client.clientId), undefined)
      assert.equal(await store.findClient(client.tenantId, randomUUID()), undefined)
    })

    test('are replaced by a later save', async (store) => {
      const client = newClient({})
      await store.saveClient(client, room)
      await store.saveClient({ ...client, clientName: 'Renamed' }, room)
      assert.equal((await findClient(store, client))?.clientName, 'Renamed')
    })

    test('expire', async (store) => {
      const client = newClient({ lifetime: 50 })
      await store.saveClient(client, room)
      await until(async () => (await findClient(store, client)) === undefined)
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
          const { expiresAt = 0 } = (await findClient(store, client)) ?? {}
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
      const kept = await findClient(store, client)
      assert.deepEqual(kept, { ...saved, expiresAt: kept?.expiresAt, lastUsedAt: kept?.lastUsedAt, inUse: true })
      assert.ok(kept.expiresAt >= before + hour, 'The client expires earlier than touchClient was told')
    })

    test('are in use once touchClient has said so, and stay in use', async (store) => {
      const client = newClient({})
      const { tenantId, clientId } = client
      const isInUse = async () => (await findClient(store, client))?.inUse ?? false
      await store.saveClient(client, room)
      await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: false })
      assert.equal(await isInUse(), false)
      await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: true })
      assert.equal(await isInUse(), true)
      await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: false })
      assert.equal(await isInUse(), true)
    })

    test('say when touchClient was last told that they were used', async (store) => {
      const client = newClient({})
      const { tenantId, clientId } = client
      const lastUsedAt = async () => (await findClient(store, client))?.lastUsedAt
      await store.saveClient(client, room)
      await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: false })
      assert.equal(await lastUsedAt(), undefined)
      for (const _ of ['first', 'second']) {
        const before = await clockOf(store)
        // So that two uses never have the same time.
        await until(async () => (await clockOf(store)) > before)
        await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: true })
        const used = (await lastUsedAt()) ?? 0
        assert.ok(used > before && used <= (await clockOf(store)), `${used} is not the store’s time`)
        await store.touchClient(tenantId, clientId, { lifetime: hour, inUse: false })
        assert.equal(await lastUsedAt(), used)
      }
    })

    test('are not created by touchClient', async (store) => {
      const client = newClient({})
      for (const inUse of [true, false]) {
        await store.touchClient(client.tenantId, client.clientId, { lifetime: hour, inUse })
        assert.equal(await findClient(store, client), undefined)
      }
    })

    test('are separate for each tenant, even if their ids are equal', async (store) => {
      const mine = newClient({})
      const theirs = { ...mine, tenantId: randomUUID() }
      const { clientId } = mine
      const saved = definedMembers(await store.saveClient(mine, room))
      const savedThere = definedMembers(await store.saveClient(theirs, room))
      assert.deepEqual(await findClient(store, mine), saved)
      await store.touchClient(mine.tenantId, clientId, { lifetime: 2 * hour, inUse: true })
      assert.deepEqual(await findClient(store, theirs), savedThere)
      await store.deleteClient(mine.tenantId, clientId)
      assert.deepEqual(await findClient(store, theirs), savedThere)
    })

    test('are listed in the order of their ids, page by page', async (store) => {
      const tenantId = randomUUID()
      await saveClients(store, tenantId, ['b', 'a', 'Z', '_', 'a0', '-', '0', 'ab'])
      const sorted = ['-', '0', 'Z', '_', 'a', 'a0', 'ab', 'b']
      assert.deepEqual(await idsOnPage(store, tenantId), sorted)
      assert.deepEqual(await idsOnPage(store, tenantId, '', 3), sorted.slice(0, 3))
      assert.deepEqual(await idsOnPage(store, tenantId, 'Z', 3), sorted.slice(3, 6))
      // The client may have been deleted since its page was read.
      assert.deepEqual(await idsOnPage(store, tenantId, 'Zz', 100), sorted.slice(3))
      assert.deepEqual(await idsOnPage(store, tenantId, 'b', 100), [])
    })

    test('are listed as they are now, in use or not', async (store) => {
      const [idle, used] = [newClient({ clientId: 'a', clientName: unicode }), newClient({ clientId: 'b' })]
      await store.saveClient(idle, room)
      await store.saveClient({ ...used, tenantId: idle.tenantId }, room)
      await store.touchClient(idle.tenantId, 'b', { lifetime: hour, inUse: true })
      const listed = definedMembers(await store.pageClients(idle.tenantId, { after: '', limit: 2 }))
      const found = [await findClient(store, idle), await findClient(store, { ...used, tenantId: idle.tenantId })]
      assert.deepEqual(listed, found)
    })

    test('are listed without those of other tenants, and those that are deleted or have expired', async (store) => {
      // Patterns of databases must be read literally.
      const tenantId = `${randomUUID()}*`
      await saveClients(store, `${tenantId}x`, ['theirs'])
      await saveClients(store, `${tenantId}:x`, ['theirs'])
      await saveClients(store, tenantId, ['deleted', 'mine'])
      await store.deleteClient(tenantId, 'deleted')
      await store.saveClient(newClient({ tenantId, clientId: 'expired', lifetime: 50 }), room)
      await until(async () => (await store.findClient(tenantId, 'expired')) === undefined)
      assert.deepEqual(await idsOnPage(store, tenantId), ['mine'])
    })

    test('are deleted once', async (store) => {
      const client = newClient({})
      await store.saveClient(client, room)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), true)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), false)
      assert.equal(await findClient(store, client), undefined)
    })
  })
}
