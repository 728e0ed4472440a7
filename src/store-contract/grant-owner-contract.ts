import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, GrantOwner, TokenStore } from '../contract/token-store'
import {
  byId,
  clockOf,
  createGrant,
  definedMembers,
  findGrant,
  grantOf,
  minute,
  newGrant,
  newId,
  swapOf,
  until,
} from './records'
import type { StoreTest } from './store-test'

/** Tests how the grants of a customer or a client are listed and deleted. */
export function grantOwnerContract({ describe, test }: StoreTest): void {
  describe('listGrants', () => {
    test('returns all grants of a customer as they are now, and no grants of other customers', async (store) => {
      const first = await createGrant(store, {})
      const second = await createGrant(store, { tenantId: first.tenantId, subject: first.subject })
      await createGrant(store, { tenantId: first.tenantId })
      await createGrant(store, { subject: first.subject })
      const swapped = grantOf(await store.swapCredential(swapOf(first)))
      assert.deepEqual(byId(await store.listGrants(first.tenantId, first.subject)), byId([swapped, second]))
    })

    test('leaves out what has been deleted', async (store) => {
      const grant = await createGrant(store, {})
      await store.deleteGrant(grant.tenantId, grant.grantId)
      assert.deepEqual(await store.listGrants(grant.tenantId, grant.subject), [])
    })

    test('returns a grant whose code would have expired by now', async (store) => {
      const { code, redeemed } = await redeemedInTime(store)
      await until(async () => (await clockOf(store)) > code.expiresAt)
      assert.deepEqual(await store.listGrants(code.tenantId, code.subject).then(definedMembers), [redeemed])
      assert.deepEqual(await deleteGrants(store, code), [redeemed])
    })

    test('returns 300 grants of one customer', async (store) => {
      const { tenantId, subject } = newGrant({})
      const grants = await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId, subject })))
      assert.deepEqual(byId(await store.listGrants(tenantId, subject)), byId(grants))
    })
  })

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
      assert.deepEqual(byId(await deleteGrants(store, owner)), byId(all.filter(isMeant)))
      for (const grant of all) assert.deepEqual(await findGrant(store, grant), isMeant(grant) ? undefined : grant)
    }

    test('ends the grants of a customer, and returns them', async (store) => {
      const { tenantId, all } = await several(store)
      await ends(store, { tenantId, subject: all[0]?.subject ?? '' }, all)
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
      await ends(store, { tenantId, all: true }, all)
    })

    test('keeps the used ids of a tenant whose grants have all been ended', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      await store.useOnce(tenantId, id, minute)
      const grant = await createGrant(store, { tenantId })
      assert.deepEqual(await deleteGrants(store, { tenantId, all: true }), [grant])
      assert.equal(await store.useOnce(tenantId, id, minute), false)
    })

    test('ends 300 grants of a client', async (store) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId })))
      assert.deepEqual(byId(await deleteGrants(store, { tenantId, clientId: grants[0]?.clientId ?? '' })), byId(grants))
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
      assert.deepEqual(byId(await deleteGrants(store, { tenantId, clientId })), byId(left))
      assert.deepEqual(await findGrant(store, other), other)
    })

    test('takes a client id of any length', async (store) => {
      const [tenantId, clientId] = [randomUUID(), `dcr_${'x'.repeat(2044)}`]
      const grant = await createGrant(store, { tenantId, clientId })
      assert.deepEqual(byId(await deleteGrants(store, { tenantId, clientId })), byId([grant]))
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

async function deleteGrants(store: TokenStore, owner: GrantOwner): Promise<Grant[]> {
  const grants: Grant[] = []
  for await (const grant of store.deleteGrants(owner)) grants.push(definedMembers(grant))
  return grants
}
