import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, GrantOwner, TokenStore } from '../contract/token-store'
import {
  byId,
  createGrant,
  deleteGrants,
  findGrant,
  grantOf,
  listGrants,
  minute,
  newId,
  type StoreTest,
  swapOf,
  unicode,
  until,
} from './records'

/** Tests how the grants of a customer, a client or a tenant are deleted, and everything of a tenant. */
export function deletionContract({ describe, test }: StoreTest): void {
  describe('deleteGrants', () => {
    const client = 'https://other-client.example/metadata'

    /** Two customers of a tenant, with a grant of each of two clients, and the same at another tenant. */
    async function several(store: TokenStore): Promise<{ tenantId: string; all: Grant[] }> {
      const [tenantId, ada, bob] = [`${randomUUID()}*`, randomUUID(), randomUUID()]
      const all: Grant[] = []
      for (const tenant of [tenantId, `${tenantId}x`]) {
        for (const subject of [ada, bob]) {
          all.push(await createGrant(store, { tenantId: tenant, subject }))
          all.push(await createGrant(store, { tenantId: tenant, subject, clientId: client }))
        }
      }
      return { tenantId, all }
    }

    async function ends(store: TokenStore, owner: GrantOwner, all: readonly Grant[]): Promise<void> {
      const isMeant = (grant: Grant) =>
        grant.tenantId === owner.tenantId &&
        grant.subject === (owner.subject ?? grant.subject) &&
        grant.clientId === (owner.clientId ?? grant.clientId)
      assert.deepEqual(await deleteGrants(store, owner), byId(all.filter(isMeant)))
      for (const grant of all) assert.deepEqual(await findGrant(store, grant), isMeant(grant) ? undefined : grant)
    }

    test('ends the grants of a customer, and returns them', async (store) => {
      const { tenantId, all } = await several(store)
      await ends(store, { tenantId, subject: all[0]?.subject ?? '' }, all)
    })

    test('deletes nothing if it is not told whose grants', async (store) => {
      const { tenantId, all } = await several(store)
      await assert.rejects(deleteGrants(store, { tenantId } as GrantOwner))
      for (const grant of all) assert.deepEqual(await findGrant(store, grant), grant)
    })

    test('ends the grants of a client, and returns them', async (store) => {
      const { tenantId, all } = await several(store)
      await ends(store, { tenantId, clientId: client }, all)
    })

    test('ends the grants of one customer and one client, and returns them', async (store) => {
      const { tenantId, all } = await several(store)
      await ends(store, { tenantId, subject: all[0]?.subject ?? '', clientId: client }, all)
    })

    test('ends all grants of a tenant, and returns them, if it is told to', async (store) => {
      const { tenantId, all } = await several(store)
      await ends(store, { tenantId, all: 'grants' }, all)
    })

    test('keeps the used ids of a tenant whose grants have all been ended', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      await store.useOnce(tenantId, id, minute)
      const grant = await createGrant(store, { tenantId })
      assert.deepEqual(await deleteGrants(store, { tenantId, all: 'grants' }), [grant])
      assert.equal(await store.useOnce(tenantId, id, minute), false)
    })

    test('ends 300 grants of a client', async (store) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId })))
      assert.deepEqual(await deleteGrants(store, { tenantId, clientId: grants[0]?.clientId ?? '' }), byId(grants))
    })

    test('ends the grants of a client that are left, however many there have been', async (store) => {
      const { tenantId, clientId } = { tenantId: randomUUID(), clientId: randomUUID() }
      const left: Grant[] = []
      for (let times = 0; times < 60; times++) {
        const grant = await createGrant(store, { tenantId, clientId })
        if (times % 20 === 19) left.push(grant)
        else await store.deleteGrant(tenantId, grant.grantId)
      }
      const other = await createGrant(store, { tenantId })
      assert.deepEqual(await deleteGrants(store, { tenantId, clientId }), byId(left))
      assert.deepEqual(await findGrant(store, other), other)
    })

    test('takes a client id of any length', async (store) => {
      const [tenantId, clientId] = [randomUUID(), `dcr_${'x'.repeat(2044)}`]
      const grant = await createGrant(store, { tenantId, clientId })
      assert.deepEqual(await deleteGrants(store, { tenantId, clientId }), byId([grant]))
    })

    test('returns no grant that had ended before', async (store) => {
      const tenantId = randomUUID()
      const deleted = await createGrant(store, { tenantId })
      const expired = await createGrant(store, { tenantId, lifetime: 50 })
      await store.deleteGrant(tenantId, deleted.grantId)
      await until(async () => (await findGrant(store, expired)) === undefined)
      assert.deepEqual(await deleteGrants(store, { tenantId, clientId: deleted.clientId }), [])
    })
  })

  describe('deleteGrants of a whole tenant', () => {
    test('ends all grants of a tenant, and returns them', async (store) => {
      const tenantId = randomUUID()
      const code = await createGrant(store, { tenantId })
      const { subject } = code
      const refreshed = grantOf(await store.swapCredential(swapOf(await createGrant(store, { tenantId, subject }))))
      const elsewhere = await createGrant(store, { tenantId, clientId: randomUUID() })
      assert.deepEqual(await deleteGrants(store, { tenantId, all: 'everything' }), byId([code, refreshed, elsewhere]))
      for (const grant of [code, refreshed, elsewhere]) assert.equal(await findGrant(store, grant), undefined)
      assert.deepEqual(await listGrants(store, { tenantId, subject }), [])
    })

    test('makes its used ids free', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      await store.useOnce(tenantId, id, minute)
      await deleteGrants(store, { tenantId, all: 'everything' })
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
        const [deleted, ...more] = await deleteGrants(store, { tenantId, all: 'everything' })
        assert.deepEqual([deleted?.tenantId, more], [tenantId, []])
        assert.deepEqual(await findGrant(store, grant), grant)
        assert.deepEqual(await listGrants(store, { tenantId: other, subject: grant.subject }), [grant])
        assert.equal(await store.useOnce(other, id, minute), false)
      })
    }

    test('takes an id with any Unicode', async (store) => {
      const tenantId = unicode + randomUUID()
      const grant = await createGrant(store, { tenantId, subject: unicode })
      const id = newId()
      await store.useOnce(tenantId, id, minute)
      assert.deepEqual(await deleteGrants(store, { tenantId, all: 'everything' }), [grant])
      assert.equal(await findGrant(store, grant), undefined)
      assert.equal(await store.useOnce(tenantId, id, minute), true)
    })

    test('ends 300 grants of many customers, and deletes 100 used ids', async (store) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId })))
      const ids = Array.from({ length: 100 }, newId)
      await Promise.all(ids.map((id) => store.useOnce(tenantId, id, minute)))
      assert.deepEqual(await deleteGrants(store, { tenantId, all: 'everything' }), byId(grants))
      for (const id of ids) assert.equal(await store.useOnce(tenantId, id, minute), true)
    })

    test('returns no grant that had ended before', async (store) => {
      const tenantId = randomUUID()
      const deleted = await createGrant(store, { tenantId })
      const expired = await createGrant(store, { tenantId, lifetime: 50 })
      await store.deleteGrant(tenantId, deleted.grantId)
      await until(async () => (await findGrant(store, expired)) === undefined)
      assert.deepEqual(await deleteGrants(store, { tenantId, all: 'everything' }), [])
    })

    test('deletes the rest after a call that was cut off', async (store) => {
      const tenantId = randomUUID()
      const grants = [await createGrant(store, { tenantId }), await createGrant(store, { tenantId })]
      for await (const _ of store.deleteGrants({ tenantId, all: 'everything' })) break
      await deleteGrants(store, { tenantId, all: 'everything' })
      for (const grant of grants) assert.equal(await findGrant(store, grant), undefined)
    })

    test('finds nothing of a tenant that does not exist', async (store) => {
      assert.deepEqual(await deleteGrants(store, { tenantId: randomUUID(), all: 'everything' }), [])
    })
  })
}
