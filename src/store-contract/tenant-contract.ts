import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, TokenStore } from '../contract/token-store'
import { byId, createGrant, definedMembers, findGrant, grantOf, minute, newId, swapOf, unicode, until } from './records'
import type { StoreTest } from './store-test'

/** Tests how everything of a tenant is deleted. */
export function tenantContract({ describe, test }: StoreTest): void {
  describe('deleteTenant', () => {
    test('ends all grants of a tenant, and returns them', async (store) => {
      const tenantId = randomUUID()
      const code = await createGrant(store, { tenantId })
      const { subject } = code
      const refreshed = grantOf(await store.swapCredential(swapOf(await createGrant(store, { tenantId, subject }))))
      const elsewhere = await createGrant(store, { tenantId, clientId: randomUUID() })
      assert.deepEqual(byId(await deleteTenant(store, tenantId)), byId([code, refreshed, elsewhere]))
      for (const grant of [code, refreshed, elsewhere]) assert.equal(await findGrant(store, grant), undefined)
      assert.deepEqual(await store.listGrants(tenantId, subject), [])
    })

    test('makes its used ids free', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      await store.useOnce(tenantId, id, minute)
      await deleteTenant(store, tenantId)
      assert.equal(await store.useOnce(tenantId, id, minute), true)
    })

    for (const [others, idOf] of [
      ['a tenant with another id', () => randomUUID()],
      ['a tenant whose id begins alike', (id: string) => `${id}x`],
      ['a tenant whose id begins alike, with a colon', (id: string) => `${id}:x`],
      ['a tenant whose id is the same in capital letters', (id: string) => id.toUpperCase()],
    ] as const) {
      test(`keeps everything of ${others}`, async (store) => {
        // Patterns of databases must be read literally.
        const tenantId = `a${randomUUID()}%_*`
        const other = idOf(tenantId)
        const id = newId()
        const grant = await createGrant(store, { tenantId: other })
        await store.useOnce(other, id, minute)
        await createGrant(store, { tenantId, subject: grant.subject })
        await store.useOnce(tenantId, id, minute)
        const [deleted, ...more] = await deleteTenant(store, tenantId)
        assert.deepEqual([deleted?.tenantId, more], [tenantId, []])
        assert.deepEqual(await findGrant(store, grant), grant)
        assert.deepEqual(byId(await store.listGrants(other, grant.subject)), [grant])
        assert.equal(await store.useOnce(other, id, minute), false)
      })
    }

    test('takes an id with any Unicode', async (store) => {
      const tenantId = unicode + randomUUID()
      const grant = await createGrant(store, { tenantId, subject: unicode })
      const id = newId()
      await store.useOnce(tenantId, id, minute)
      assert.deepEqual(await deleteTenant(store, tenantId), [grant])
      assert.equal(await findGrant(store, grant), undefined)
      assert.equal(await store.useOnce(tenantId, id, minute), true)
    })

    test('ends 300 grants of many customers, and deletes 100 used ids', async (store) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId })))
      const ids = Array.from({ length: 100 }, newId)
      await Promise.all(ids.map((id) => store.useOnce(tenantId, id, minute)))
      assert.deepEqual(byId(await deleteTenant(store, tenantId)), byId(grants))
      for (const id of ids) assert.equal(await store.useOnce(tenantId, id, minute), true)
    })

    test('returns no grant that had ended before', async (store) => {
      const tenantId = randomUUID()
      const deleted = await createGrant(store, { tenantId })
      const expired = await createGrant(store, { tenantId, lifetime: 50 })
      await store.deleteGrant(tenantId, deleted.grantId)
      await until(async () => (await findGrant(store, expired)) === undefined)
      assert.deepEqual(await deleteTenant(store, tenantId), [])
    })

    test('deletes the rest after a call that was cut off', async (store) => {
      const tenantId = randomUUID()
      const grants = [await createGrant(store, { tenantId }), await createGrant(store, { tenantId })]
      for await (const _ of store.deleteTenant(tenantId)) break
      await deleteTenant(store, tenantId)
      for (const grant of grants) assert.equal(await findGrant(store, grant), undefined)
    })

    test('finds nothing of a tenant that does not exist', async (store) => {
      assert.deepEqual(await deleteTenant(store, randomUUID()), [])
    })
  })
}

async function deleteTenant(store: TokenStore, tenantId: string): Promise<Grant[]> {
  const grants: Grant[] = []
  for await (const grant of store.deleteTenant(tenantId)) grants.push(definedMembers(grant))
  return grants
}
