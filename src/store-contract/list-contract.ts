import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, TokenStore } from '../contract/token-store'
import {
  byId,
  clockOf,
  createExpired,
  createGrant,
  createSeveral,
  customerOf,
  deleteGrants,
  grantOf,
  isMeant,
  listGrants,
  newGrant,
  otherClient,
  pages,
  redeem,
  type StoreTest,
  swapOf,
  until,
} from './records'

/** Tests how the grants of a customer, a client or a tenant are listed, page by page. */
export function listContract({ describe, test }: StoreTest): void {
  describe('listGrants', () => {
    for (const [whose, limit, pick] of [
      ['all grants of a tenant in pages, and no grant of another tenant', 3, () => ({})],
      ['all grants of one client of a tenant in pages', 2, ({ clientId }: Grant) => ({ clientId })],
      ['the grants of one customer and one client', 1000, ({ subject, clientId }: Grant) => ({ subject, clientId })],
      ['no grant of a client that has none', 2, () => ({ clientId: randomUUID() })],
    ] as const) {
      test(`gives ${whose}`, async (store) => {
        const { tenantId, own } = await createSeveral(store)
        const of = { tenantId, ...pick(own[0] as Grant) }
        const meant = own.filter((grant) => isMeant(grant, of))
        assert.deepEqual(await listGrants(store, { ...of, limit }), byId(meant))
      })
    }

    test('gives the grants as they are now, without those that have been deleted or have expired', async (store) => {
      const { tenantId, subject, ...code } = await createGrant(store, {})
      const deleted = await createGrant(store, { tenantId, subject })
      await createExpired(store, { tenantId, subject })
      const swapped = await redeem(store, swapOf(await createGrant(store, { tenantId, subject })))
      const other = await createGrant(store, { tenantId })
      await createGrant(store, { subject })
      await store.deleteGrant(tenantId, deleted.grantId)
      const own = [{ tenantId, subject, ...code }, swapped]
      assert.deepEqual(await listGrants(store, { tenantId, subject }), byId(own))
      assert.deepEqual(await listGrants(store, { tenantId, limit: 10 }), byId([...own, other]))
    })

    test('misses no grant while others are created and deleted between two pages', async (store) => {
      const { tenantId, own } = await createSeveral(store)
      const rest = new Set(own.map(({ grantId }) => grantId))
      for await (const page of pages(store, { tenantId, limit: 3 })) {
        for (const { grantId } of page) {
          rest.delete(grantId)
          await store.deleteGrant(tenantId, grantId)
        }
        if (page.some(({ grantId }) => own.some((grant) => grant.grantId === grantId))) {
          await createGrant(store, { tenantId })
          await createGrant(store, { tenantId, clientId: otherClient })
        }
      }
      assert.deepEqual([...rest], [])
    })

    test('misses no grant that is refreshed between two pages', async (store) => {
      const { tenantId, own } = await createSeveral(store)
      const rest = new Map(own.map((grant) => [grant.grantId, grant]))
      for await (const page of pages(store, { tenantId, limit: 3 })) {
        for (const { grantId } of page) rest.delete(grantId)
        const [next] = rest.values()
        if (next) rest.set(next.grantId, await redeem(store, swapOf(next)))
      }
      assert.deepEqual([...rest], [])
    })

    test('gives 300 grants of one client', async (store) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId })))
      const { clientId } = newGrant({})
      assert.deepEqual(await listGrants(store, { tenantId, clientId, limit: 100 }), byId(grants))
    })

    test('takes any text for the end of a page', async (store) => {
      const { tenantId } = await createSeveral(store)
      for (const after of ['-', 'no such page', '\u0000\ud800 \u0000']) {
        assert.ok((await store.listGrants({ tenantId, after, limit: 3 })).grants.length <= 3)
      }
    })

    test('returns a grant whose code would have expired by now', async (store) => {
      const { code, redeemed } = await redeemedInTime(store)
      await until(async () => (await clockOf(store)) > code.expiresAt)
      assert.deepEqual(await listGrants(store, customerOf(code)), [redeemed])
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
