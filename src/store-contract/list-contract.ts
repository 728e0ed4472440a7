import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, TokenStore } from '../contract/token-store'
import {
  byId,
  clockOf,
  createGrant,
  definedMembers,
  deleteGrants,
  findGrant,
  grantOf,
  listGrants,
  newGrant,
  pages,
  type StoreTest,
  swapOf,
  until,
} from './records'

const client = 'https://other-client.example/metadata'

/** Tests how the grants of a customer, a client or a tenant are listed, page by page. */
export function listContract({ describe, test }: StoreTest): void {
  describe('listGrants', () => {
    /** Grants of two clients and several customers of a tenant, and the same customers at other tenants. */
    async function several(store: TokenStore): Promise<{ tenantId: string; own: Grant[] }> {
      const tenantId = `${randomUUID()}*`
      const own: Grant[] = []
      for (let count = 0; count < 5; count++) {
        const subject = randomUUID()
        own.push(await createGrant(store, { tenantId, subject }))
        own.push(await createGrant(store, { tenantId, subject, clientId: client }))
        for (const other of [`${tenantId}x`, randomUUID()]) await createGrant(store, { tenantId: other, subject })
      }
      return { tenantId, own }
    }

    test('gives all grants of a tenant in pages, and no grant of another tenant', async (store) => {
      const { tenantId, own } = await several(store)
      assert.deepEqual(await listGrants(store, { tenantId, limit: 3 }), byId(own))
    })

    test('gives all grants of one client of a tenant in pages', async (store) => {
      const { tenantId, own } = await several(store)
      const meant = own.filter(({ clientId }) => clientId === client)
      assert.deepEqual(await listGrants(store, { tenantId, clientId: client, limit: 2 }), byId(meant))
      assert.deepEqual(await listGrants(store, { tenantId, clientId: randomUUID(), limit: 2 }), [])
    })

    test('gives the grants of one customer and one client', async (store) => {
      const { tenantId, own } = await several(store)
      const of = { tenantId, subject: own[0]?.subject, clientId: client }
      const meant = own.filter(({ subject, clientId }) => subject === of.subject && clientId === client)
      assert.deepEqual(await listGrants(store, of), meant)
    })

    test('gives the grants as they are now, without those that have been deleted or have expired', async (store) => {
      const tenantId = randomUUID()
      const deleted = await createGrant(store, { tenantId })
      const expired = await createGrant(store, { tenantId, lifetime: 50 })
      const code = await createGrant(store, { tenantId })
      const swapped = grantOf(await store.swapCredential(swapOf(await createGrant(store, { tenantId }))))
      await store.deleteGrant(tenantId, deleted.grantId)
      await until(async () => (await findGrant(store, expired)) === undefined)
      assert.deepEqual(await listGrants(store, { tenantId, limit: 10 }), byId([code, swapped]))
    })

    test('misses no grant while others are created and deleted between two pages', async (store) => {
      const { tenantId, own } = await several(store)
      const rest = new Set(own.map(({ grantId }) => grantId))
      for await (const page of pages(store, { tenantId, limit: 3 })) {
        for (const { grantId } of page) {
          rest.delete(grantId)
          await store.deleteGrant(tenantId, grantId)
        }
        if (page.some(({ grantId }) => own.some((grant) => grant.grantId === grantId))) {
          await createGrant(store, { tenantId })
          await createGrant(store, { tenantId, clientId: client })
        }
      }
      assert.deepEqual([...rest], [])
    })

    test('misses no grant that is refreshed between two pages', async (store) => {
      const { tenantId, own } = await several(store)
      const rest = new Map(own.map((grant) => [grant.grantId, grant]))
      for await (const page of pages(store, { tenantId, limit: 3 })) {
        for (const { grantId } of page) rest.delete(grantId)
        const [next] = rest.values()
        if (next) rest.set(next.grantId, grantOf(await store.swapCredential(swapOf(next))))
      }
      assert.deepEqual([...rest], [])
    })

    test('gives 300 grants of one client', async (store) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId })))
      const clientId = grants[0]?.clientId
      assert.deepEqual(await listGrants(store, { tenantId, clientId, limit: 100 }), byId(grants))
    })

    test('takes any text for the end of a page', async (store) => {
      const { tenantId } = await several(store)
      for (const after of ['-', 'no such page', '\u0000\ud800 \u0000']) {
        assert.ok((await store.listGrants({ tenantId, after, limit: 3 })).grants.length <= 3)
      }
    })

    test('returns all grants of a customer as they are now, and no grants of other customers', async (store) => {
      const first = await createGrant(store, {})
      const second = await createGrant(store, { tenantId: first.tenantId, subject: first.subject })
      await createGrant(store, { tenantId: first.tenantId })
      await createGrant(store, { subject: first.subject })
      const swapped = grantOf(await store.swapCredential(swapOf(first)))
      assert.deepEqual(
        await listGrants(store, { tenantId: first.tenantId, subject: first.subject }),
        byId([swapped, second]),
      )
    })

    test('leaves out what has been deleted', async (store) => {
      const grant = await createGrant(store, {})
      await store.deleteGrant(grant.tenantId, grant.grantId)
      assert.deepEqual(await listGrants(store, { tenantId: grant.tenantId, subject: grant.subject }), [])
    })

    test('returns a grant whose code would have expired by now', async (store) => {
      const { code, redeemed } = await redeemedInTime(store)
      await until(async () => (await clockOf(store)) > code.expiresAt)
      assert.deepEqual(
        await listGrants(store, { tenantId: code.tenantId, subject: code.subject }).then(definedMembers),
        [redeemed],
      )
      assert.deepEqual(await deleteGrants(store, code), [redeemed])
    })

    test('returns 300 grants of one customer in pages', async (store) => {
      const { tenantId, subject } = newGrant({})
      const grants = await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId, subject })))
      assert.deepEqual(await listGrants(store, { tenantId, subject, limit: 100 }), byId(grants))
    })
  })
}

/** A grant whose code has expired soon after it was redeemed, and that grant as it was before. */
async function redeemedInTime(store: TokenStore): Promise<{ code: Grant; redeemed: Grant }> {
  for (let lifetime = 100; ; lifetime *= 2) {
    const code = await createGrant(store, { lifetime })
    const result = await store.swapCredential(swapOf(code))
    if (result.outcome === 'swapped') return { code, redeemed: grantOf(result) }
    assert.ok(lifetime < 60_000, 'No code could be redeemed within a minute')
  }
}
