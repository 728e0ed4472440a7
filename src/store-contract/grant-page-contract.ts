import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, GrantPageRequest, TokenStore } from '../contract/token-store'
import { byId, createGrant, findGrant, grantOf, swapOf, until } from './records'
import type { StoreTest } from './store-test'

const client = 'https://other-client.example/metadata'

/** Tests how the grants of a tenant or a client are paged through. */
export function grantPageContract({ describe, test }: StoreTest): void {
  describe('pageGrants', () => {
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
      assert.deepEqual(byId(await allPages(store, { tenantId, limit: 3 })), byId(own))
    })

    test('gives all grants of one client of a tenant in pages', async (store) => {
      const { tenantId, own } = await several(store)
      const meant = own.filter(({ clientId }) => clientId === client)
      assert.deepEqual(byId(await allPages(store, { tenantId, clientId: client, limit: 2 })), byId(meant))
      assert.deepEqual(await allPages(store, { tenantId, clientId: randomUUID(), limit: 2 }), [])
    })

    test('gives the grants as they are now, without those that have been deleted or have expired', async (store) => {
      const tenantId = randomUUID()
      const deleted = await createGrant(store, { tenantId })
      const expired = await createGrant(store, { tenantId, lifetime: 50 })
      const code = await createGrant(store, { tenantId })
      const swapped = grantOf(await store.swapCredential(swapOf(await createGrant(store, { tenantId }))))
      await store.deleteGrant(tenantId, deleted.grantId)
      await until(async () => (await findGrant(store, expired)) === undefined)
      assert.deepEqual(byId(await allPages(store, { tenantId, limit: 10 })), byId([code, swapped]))
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
      assert.deepEqual(byId(await allPages(store, { tenantId, clientId, limit: 100 })), byId(grants))
    })

    test('takes any text for the end of a page', async (store) => {
      const { tenantId } = await several(store)
      for (const after of ['-', 'no such page', '\u0000\ud800 \u0000']) {
        assert.ok((await store.pageGrants({ tenantId, after, limit: 3 })).grants.length <= 3)
      }
    })
  })
}

// More than any test here needs. A store that never ends its pages would otherwise never end the test.
const maxPages = 100

/** All pages. Asserts of each that it is not larger than the limit and has no grant twice. */
async function* pages(store: TokenStore, of: GrantPageRequest): AsyncIterable<Grant[]> {
  let after: string | undefined
  for (let count = 0; count < maxPages; count++) {
    const page = await store.pageGrants({ ...of, ...(after !== undefined && { after }) })
    const ids = page.grants.map(({ grantId }) => grantId)
    assert.ok(ids.length <= of.limit, `A page of ${ids.length} grants is larger than ${of.limit}`)
    assert.deepEqual([...new Set(ids)], ids)
    yield page.grants
    after = page.next
    if (after === undefined) return
  }
  assert.fail('The pages do not end')
}

/** The grants of all pages. */
async function allPages(store: TokenStore, of: GrantPageRequest): Promise<Grant[]> {
  const grants: Grant[] = []
  for await (const page of pages(store, of)) grants.push(...page)
  return grants
}
