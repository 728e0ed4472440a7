import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant } from '../stores/token-store'
import { byId, found, grantOf, hour, newGrant, swapOf, unicode, until } from './records'
import type { StoreTest } from './store-test'

/** How grants are kept, found and listed. */
export function grantContract({ describe, test }: StoreTest): void {
  describe('createGrant and findGrant', () => {
    test('give back the grant as it was stored', async (store) => {
      const grant = newGrant({
        endsAt: Date.now() + hour,
        claims: { nested: { list: [1, null, 'two', true], empty: {} } },
      })
      await store.createGrant(grant)
      assert.deepEqual(await found(store, grant), grant)
    })

    test('leave out what a grant does not have', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      assert.deepEqual(await found(store, grant), grant)
    })

    test('keep any Unicode in every text', async (store) => {
      const grant = newGrant({
        tenantId: unicode + randomUUID(),
        clientId: unicode,
        subject: unicode,
        scope: unicode,
        resource: unicode,
        claims: { [unicode]: unicode },
        request: { redirectUri: unicode, codeChallenge: unicode },
      })
      await store.createGrant(grant)
      assert.deepEqual(await found(store, grant), grant)
      assert.deepEqual(byId(await store.listGrants(grant.tenantId, unicode)), [grant])
    })

    test('do not share objects with their caller', async (store) => {
      const grant = newGrant({ claims: { plan: 'gold' } })
      await store.createGrant(grant)
      Object.assign(grant.claims ?? {}, { plan: 'changed' })
      assert.deepEqual((await found(store, grant))?.claims, { plan: 'gold' })
    })

    test('reject an id that is taken, and keep what is there', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      await assert.rejects(store.createGrant({ ...grant, subject: 'another' }))
      assert.equal((await found(store, grant))?.subject, grant.subject)
    })

    test('find nothing under an id that does not exist', async (store) => {
      assert.equal(await store.findGrant(randomUUID(), randomUUID()), undefined)
    })

    test('find nothing once a grant has expired', async (store) => {
      const grant = newGrant({ expiresAt: Date.now() + 50 })
      await store.createGrant(grant)
      // A few milliseconds more, as some stores drop a record only in the millisecond after.
      await until(async () => Date.now() > grant.expiresAt + 5 && (await found(store, grant)) === undefined)
      assert.deepEqual(await store.listGrants(grant.tenantId, grant.subject), [])
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), false)
    })
  })

  describe('deleteGrant', () => {
    test('says whether there was such a grant', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), true)
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), false)
      assert.equal(await found(store, grant), undefined)
    })
  })

  describe('listGrants', () => {
    test('gives all grants of a customer, as they are now, and nobody else’s', async (store) => {
      const first = newGrant({})
      const second = newGrant({ tenantId: first.tenantId, subject: first.subject })
      const others = [newGrant({ tenantId: first.tenantId }), newGrant({ subject: first.subject })]
      for (const grant of [first, second, ...others]) await store.createGrant(grant)
      const swapped = grantOf(await store.swapCredential(swapOf(first)))
      const listed = await store.listGrants(first.tenantId, first.subject)
      assert.deepEqual(byId(listed), byId([swapped, second]))
    })

    test('leaves out what has been deleted', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      await store.deleteGrant(grant.tenantId, grant.grantId)
      assert.deepEqual(await store.listGrants(grant.tenantId, grant.subject), [])
    })

    test('gives 300 grants of one customer', async (store) => {
      const { tenantId, subject } = newGrant({})
      const grants = Array.from({ length: 300 }, () => newGrant({ tenantId, subject }))
      await Promise.all(grants.map((grant) => store.createGrant(grant)))
      assert.deepEqual(byId(await store.listGrants(tenantId, subject)), byId(grants))
    })
  })

  describe('scanGrants', () => {
    test('gives all grants of a tenant, and of no other', async (store) => {
      const tenantId = `${randomUUID()}*`
      const grants = Array.from({ length: 30 }, () => newGrant({ tenantId }))
      const other = newGrant({ tenantId: `${tenantId}x` })
      await Promise.all([...grants, other].map((grant) => store.createGrant(grant)))
      const scanned = new Map<string, Grant>()
      for await (const grant of store.scanGrants(tenantId)) scanned.set(grant.grantId, grant)
      assert.deepEqual(byId([...scanned.values()]), byId(grants))
    })

    test('leaves out what has ended', async (store) => {
      const tenantId = randomUUID()
      const deleted = newGrant({ tenantId })
      const expired = newGrant({ tenantId, expiresAt: Date.now() + 50 })
      for (const grant of [deleted, expired]) await store.createGrant(grant)
      await store.deleteGrant(tenantId, deleted.grantId)
      await until(async () => (await found(store, expired)) === undefined)
      for await (const { grantId } of store.scanGrants(tenantId)) assert.fail(`${grantId} has ended`)
    })
  })

  describe('tenants', () => {
    test('see nothing of each other, even under equal ids', async (store) => {
      const mine = newGrant({})
      const theirs = { ...mine, tenantId: randomUUID() }
      await store.createGrant(mine)
      await store.createGrant(theirs)
      await store.swapCredential(swapOf(mine))
      assert.deepEqual(await found(store, theirs), theirs)
      await store.deleteGrant(mine.tenantId, mine.grantId)
      assert.deepEqual(await found(store, theirs), theirs)
      assert.deepEqual(await store.listGrants(mine.tenantId, mine.subject), [])
    })

    test('are told apart where their ids and the ids of grants run into each other', async (store) => {
      const [a, b] = [randomUUID(), randomUUID()]
      const grant = newGrant({ tenantId: `${a}:${b}`, grantId: 'c' })
      await store.createGrant(grant)
      assert.equal(await store.findGrant(a, `${b}:c`), undefined)
      assert.deepEqual(await store.listGrants(a, `${b}:${grant.subject}`), [])
    })
  })
}
