import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { RegisteredClient } from '../stores/token-store'
import { definedMembers, hour, minute, newClient, unicode, until } from './records'
import type { StoreTest } from './store-test'

/** How registered clients are kept. */
export function clientContract({ describe, test }: StoreTest): void {
  describe('registered clients', () => {
    test('are given back as they were saved, with any Unicode', async (store) => {
      const client = newClient({
        clientName: unicode,
        grantTypes: ['authorization_code'],
        scopes: ['profile', 'calendar'],
      })
      await store.saveClient(client, 100)
      assert.deepEqual(definedMembers(await store.findClient(client.tenantId, client.clientId)), definedMembers(client))
      assert.equal(await store.findClient(randomUUID(), client.clientId), undefined)
      assert.equal(await store.findClient(client.tenantId, randomUUID()), undefined)
    })

    test('are replaced by a later save', async (store) => {
      const client = newClient({})
      await store.saveClient(client, 100)
      await store.saveClient({ ...client, clientName: 'Renamed' }, 100)
      assert.equal((await store.findClient(client.tenantId, client.clientId))?.clientName, 'Renamed')
    })

    test('expire', async (store) => {
      const client = newClient({ expiresAt: Date.now() + 50 })
      await store.saveClient(client, 100)
      await until(async () => (await store.findClient(client.tenantId, client.clientId)) === undefined)
    })

    test('make room for later ones of their tenant, the oldest first, save those in use', async (store) => {
      const tenantId = randomUUID()
      const oldest = newClient({ tenantId, createdAt: Date.now() - 3 * minute })
      const kept = newClient({ tenantId, createdAt: Date.now() - 2 * minute })
      const other = newClient({ createdAt: Date.now() - 4 * minute })
      const later = [1, 2].map(() => newClient({ tenantId }))
      await store.saveClient(other, 2)
      await store.saveClient(oldest, 2)
      await store.saveClient(kept, 2)
      await store.keepClient(tenantId, kept.clientId, kept.expiresAt)
      for (const client of later) await store.saveClient(client, 2)
      const found = async ({ tenantId: of, clientId }: RegisteredClient) =>
        (await store.findClient(of, clientId)) !== undefined
      assert.equal(await found(oldest), false)
      for (const client of [kept, other, ...later]) assert.equal(await found(client), true)
    })

    test('are kept until a later time, never until an earlier one', async (store) => {
      const client = newClient({})
      await store.saveClient(client, 100)
      const later = client.expiresAt + hour
      await store.keepClient(client.tenantId, client.clientId, later)
      await store.keepClient(client.tenantId, client.clientId, later - minute)
      assert.deepEqual(definedMembers(await store.findClient(client.tenantId, client.clientId)), {
        ...definedMembers(client),
        expiresAt: later,
        inUse: true,
      })
    })

    test('do not come into being by being kept', async (store) => {
      const client = newClient({})
      await store.keepClient(client.tenantId, client.clientId, client.expiresAt)
      assert.equal(await store.findClient(client.tenantId, client.clientId), undefined)
    })

    test('are untouched by those of another tenant, even under equal ids', async (store) => {
      const mine = newClient({})
      const theirs = { ...mine, tenantId: randomUUID() }
      const saved = ({ tenantId, clientId }: RegisteredClient) => store.findClient(tenantId, clientId)
      await store.saveClient(mine, 100)
      await store.saveClient(theirs, 100)
      assert.deepEqual(definedMembers(await saved(mine)), mine)
      await store.keepClient(mine.tenantId, mine.clientId, mine.expiresAt + hour)
      assert.deepEqual(definedMembers(await saved(theirs)), theirs)
      await store.deleteClient(mine.tenantId, mine.clientId)
      assert.deepEqual(definedMembers(await saved(theirs)), theirs)
    })

    test('are deleted once', async (store) => {
      const client = newClient({})
      await store.saveClient(client, 100)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), true)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), false)
      assert.equal(await store.findClient(client.tenantId, client.clientId), undefined)
    })
  })
}
