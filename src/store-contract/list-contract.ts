import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant } from '../contract/token-store'
import {
  byId,
  customerOf,
  definedMembers,
  grantOf,
  newGrant,
  type StoreTest,
  swapOf,
  type Trial,
  until,
} from './records'

const client = 'https://other-client.example/metadata'

/** Tests how the grants of a customer, a client or a tenant are listed, page by page. */
export function listContract({ describe, test }: StoreTest): void {
  describe('listGrants', () => {
    /** Grants of two clients and several customers of a tenant, and the same customers at other tenants. */
    async function several({ create }: Trial): Promise<{ tenantId: string; own: Grant[] }> {
      const tenantId = `${randomUUID()}*`
      const own: Grant[] = []
      for (let count = 0; count < 5; count++) {
        const subject = randomUUID()
        own.push(await create({ tenantId, subject }))
        own.push(await create({ tenantId, subject, clientId: client }))
        for (const other of [`${tenantId}x`, randomUUID()]) await create({ tenantId: other, subject })
      }
      return { tenantId, own }
    }

    test('gives all grants of a tenant in pages, and no grant of another tenant', async (trial) => {
      const { tenantId, own } = await several(trial)
      assert.deepEqual(await trial.list({ tenantId, limit: 3 }), byId(own))
    })

    test('gives all grants of one client of a tenant in pages', async (trial) => {
      const { tenantId, own } = await several(trial)
      const meant = own.filter(({ clientId }) => clientId === client)
      assert.deepEqual(await trial.list({ tenantId, clientId: client, limit: 2 }), byId(meant))
      assert.deepEqual(await trial.list({ tenantId, clientId: randomUUID(), limit: 2 }), [])
    })

    test('gives the grants of one customer and one client', async (trial) => {
      const { tenantId, own } = await several(trial)
      const of = { tenantId, subject: own[0]?.subject, clientId: client }
      const meant = own.filter(({ subject, clientId }) => subject === of.subject && clientId === client)
      assert.deepEqual(await trial.list(of), meant)
    })

    test('gives the grants as they are now, without those that have been deleted or have expired', async (trial) => {
      const tenantId = randomUUID()
      const deleted = await trial.create({ tenantId })
      const expired = await trial.create({ tenantId, lifetime: 50 })
      const code = await trial.create({ tenantId })
      const swapped = await trial.redeem(await trial.create({ tenantId }))
      await trial.store.deleteGrant(tenantId, deleted.grantId)
      await trial.expiryOf(expired)
      assert.deepEqual(await trial.list({ tenantId, limit: 10 }), byId([code, swapped]))
    })

    test('misses no grant while others are created and deleted between two pages', async (trial) => {
      const { tenantId, own } = await several(trial)
      const rest = new Set(own.map(({ grantId }) => grantId))
      for await (const page of trial.pages({ tenantId, limit: 3 })) {
        for (const { grantId } of page) {
          rest.delete(grantId)
          await trial.store.deleteGrant(tenantId, grantId)
        }
        if (page.some(({ grantId }) => own.some((grant) => grant.grantId === grantId))) {
          await trial.create({ tenantId })
          await trial.create({ tenantId, clientId: client })
        }
      }
      assert.deepEqual([...rest], [])
    })

    test('misses no grant that is refreshed between two pages', async (trial) => {
      const { tenantId, own } = await several(trial)
      const rest = new Map(own.map((grant) => [grant.grantId, grant]))
      for await (const page of trial.pages({ tenantId, limit: 3 })) {
        for (const { grantId } of page) rest.delete(grantId)
        const [next] = rest.values()
        if (next) rest.set(next.grantId, await trial.redeem(next))
      }
      assert.deepEqual([...rest], [])
    })

    test('gives 300 grants of one client', async (trial) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => trial.create({ tenantId })))
      const clientId = grants[0]?.clientId
      assert.deepEqual(await trial.list({ tenantId, clientId, limit: 100 }), byId(grants))
    })

    test('takes any text for the end of a page', async (trial) => {
      const { tenantId } = await several(trial)
      for (const after of ['-', 'no such page', '\u0000\ud800 \u0000']) {
        assert.ok((await trial.store.listGrants({ tenantId, after, limit: 3 })).grants.length <= 3)
      }
    })

    test('returns all grants of a customer as they are now, and no grants of other customers', async (trial) => {
      const first = await trial.create()
      const second = await trial.create({ tenantId: first.tenantId, subject: first.subject })
      await trial.create({ tenantId: first.tenantId })
      await trial.create({ subject: first.subject })
      const swapped = await trial.redeem(first)
      assert.deepEqual(await trial.list(customerOf(first)), byId([swapped, second]))
    })

    test('leaves out what has been deleted', async (trial) => {
      const grant = await trial.create()
      await trial.store.deleteGrant(grant.tenantId, grant.grantId)
      assert.deepEqual(await trial.list(customerOf(grant)), [])
    })

    test('returns a grant whose code would have expired by now', async (trial) => {
      const { code, redeemed } = await redeemedInTime(trial)
      await until(async () => (await trial.clock()) > code.expiresAt)
      assert.deepEqual(await trial.list(customerOf(code)).then(definedMembers), [redeemed])
      assert.deepEqual(await trial.end(code), [redeemed])
    })

    test('returns 300 grants of one customer in pages', async (trial) => {
      const { tenantId, subject } = newGrant({})
      const grants = await Promise.all(Array.from({ length: 300 }, () => trial.create({ tenantId, subject })))
      assert.deepEqual(await trial.list({ tenantId, subject, limit: 100 }), byId(grants))
    })
  })
}

/** A grant whose code has expired soon after it was redeemed, and that grant as it was before. */
async function redeemedInTime({ store, create }: Trial): Promise<{ code: Grant; redeemed: Grant }> {
  for (let lifetime = 100; ; lifetime *= 2) {
    const code = await create({ lifetime })
    const result = await store.swapCredential(swapOf(code))
    if (result.outcome === 'swapped') return { code, redeemed: grantOf(result) }
    assert.ok(lifetime < 60_000, 'No code could be redeemed within a minute')
  }
}
