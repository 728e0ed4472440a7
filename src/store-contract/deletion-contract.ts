import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, GrantOwner, NewGrant, TokenStore } from '../contract/token-store'
import {
  byId,
  clockOf,
  createExpired,
  createGrant,
  createSeveral,
  createSoon,
  customerOf,
  deleteGrants,
  expired,
  findGrant,
  grantOf,
  isMeant,
  listGrants,
  minute,
  newGrant,
  newId,
  redeem,
  type StoreTest,
  swapOf,
  unicode,
  until,
} from './records'

/** Whose grants can be deleted, as seen from a grant. */
const owners: readonly [whose: string, ownerOf: (grant: Grant | NewGrant) => GrantOwner][] = [
  ['customer', customerOf],
  ['client', ({ tenantId, clientId }) => ({ tenantId, clientId })],
  ['customer and client', ({ tenantId, subject, clientId }) => ({ tenantId, subject, clientId })],
  ['tenant', ({ tenantId }) => ({ tenantId, all: 'grants' })],
  ['tenant, with everything of it,', ({ tenantId }) => ({ tenantId, all: 'everything' })],
]

/** Tests how the grants of a customer, a client or a tenant are deleted, and everything of a tenant. */
export function deletionContract({ describe, test }: StoreTest): void {
  describe('deleteGrants', () => {
    for (const [whose, ownerOf] of owners) {
      test(`ends the grants of a ${whose} and returns them`, async (store) => {
        const { own, all } = await createSeveral(store)
        const owner = ownerOf(own[0] as Grant)
        assert.deepEqual(await deleteGrants(store, owner), byId(all.filter((grant) => isMeant(grant, owner))))
        const { tenantId, subject, clientId } = owner
        assert.deepEqual(await listGrants(store, { tenantId, subject, clientId }), [])
        for (const grant of all)
          assert.deepEqual(await findGrant(store, grant), isMeant(grant, owner) ? undefined : grant)
      })

      test(`returns no grant of a ${whose} that had ended before, or has never been there`, async (store) => {
        const deleted = await createGrant(store, {})
        await createExpired(store, customerOf(deleted))
        await store.deleteGrant(deleted.tenantId, deleted.grantId)
        for (const grant of [deleted, newGrant({})]) assert.deepEqual(await deleteGrants(store, ownerOf(grant)), [])
      })
    }

    test('deletes nothing if it is not told whose grants', async (store) => {
      const { tenantId, all } = await createSeveral(store)
      await assert.rejects(deleteGrants(store, { tenantId } as GrantOwner))
      for (const grant of all) assert.deepEqual(await findGrant(store, grant), grant)
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
      assert.deepEqual(await deleteGrants(store, { tenantId, clientId: newGrant({}).clientId }), byId(grants))
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
      assert.deepEqual(await deleteGrants(store, { tenantId, clientId }), [grant])
    })

    test('makes the used ids of a tenant free, if everything of it is deleted', async (store) => {
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
        const [other, id] = [idOf(tenantId), newId()]
        const grant = await createGrant(store, { tenantId: other })
        await store.useOnce(other, id, minute)
        await createGrant(store, { tenantId, subject: grant.subject })
        await store.useOnce(tenantId, id, minute)
        const [deleted, ...more] = await deleteGrants(store, { tenantId, all: 'everything' })
        assert.deepEqual([deleted?.tenantId, more], [tenantId, []])
        assert.deepEqual(await findGrant(store, grant), grant)
        assert.deepEqual(await listGrants(store, customerOf(grant)), [grant])
        assert.equal(await store.useOnce(other, id, minute), false)
      })
    }

    test('takes a tenant id with any Unicode', async (store) => {
      const [tenantId, id] = [unicode + randomUUID(), newId()]
      const grant = await createGrant(store, { tenantId, subject: unicode })
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

    test('deletes the rest after a call that was cut off', async (store) => {
      const tenantId = randomUUID()
      const grants = [await createGrant(store, { tenantId }), await createGrant(store, { tenantId })]
      for await (const _ of store.deleteGrants({ tenantId, all: 'everything' })) break
      await deleteGrants(store, { tenantId, all: 'everything' })
      for (const grant of grants) assert.equal(await findGrant(store, grant), undefined)
    })
  })
}

/** Tests what a store remembers of the owners whose grants were deleted. */
export function endedContract({ describe, test }: StoreTest): void {
  describe('a grant that rests on an assertion', () => {
    for (const [whose, ownerOf] of owners) {
      test(`is not created if its ${whose} was ended since, even if there was nothing to end`, async (store) => {
        const grant = newGrant({ assertedAt: await clockOf(store) })
        await deleteGrants(store, ownerOf(grant))
        assert.equal((await createSoon(store, grant)).outcome, 'ended')
        assert.equal((await store.createGrant({ ...grant, deadline: 0 })).outcome, 'ended')
        assert.equal(await findGrant(store, grant), undefined)
        assert.deepEqual(await listGrants(store, { tenantId: grant.tenantId }), [])
      })

      test(`is created if its ${whose} was ended before, and so is every other grant`, async (store) => {
        const ended = newGrant({})
        await deleteGrants(store, ownerOf(ended))
        const created = await createSoon(store, { ...ended, assertedAt: (await clockOf(store)) + minute })
        assert.equal(created.outcome, 'created')
        assert.equal('assertedAt' in grantOf(created), false)
        await createGrant(store, { ...ended, grantId: newGrant(customerOf(ended)).grantId })
      })
    }

    test('is not created if its customer was ended for a second time since', async (store) => {
      const { tenantId, subject, ...others } = newGrant({})
      await deleteGrants(store, { tenantId, subject })
      const assertedAt = (await clockOf(store)) + 1
      await until(async () => (await clockOf(store)) >= assertedAt)
      await deleteGrants(store, { tenantId, subject })
      assert.equal((await createSoon(store, { ...others, tenantId, subject, assertedAt })).outcome, 'ended')
    })

    test('is created although others were ended since', async (store) => {
      const grant = newGrant({ assertedAt: await clockOf(store) })
      const { tenantId, subject, clientId } = grant
      for (const owner of [
        { tenantId, subject: randomUUID() },
        { tenantId, clientId: randomUUID() },
        { tenantId, subject: randomUUID(), clientId },
        { tenantId, subject, clientId: randomUUID() },
        { tenantId: randomUUID(), subject },
        { tenantId: `${tenantId}x`, all: 'everything' },
      ] as const) {
        await deleteGrants(store, owner)
      }
      assert.equal((await createSoon(store, grant)).outcome, 'created')
    })

    test('has a taken id, even if its customer was ended since', async (store) => {
      const [grant, assertedAt] = [newGrant({}), await clockOf(store)]
      await deleteGrants(store, customerOf(grant))
      const there = await createGrant(store, grant)
      const result = await createSoon(store, { ...grant, assertedAt })
      assert.equal(result.outcome, 'taken')
      assert.deepEqual(grantOf(result), there)
    })

    test('is never left if it is created while its customer is ended', async (store) => {
      const { tenantId, subject } = newGrant({})
      const assertedAt = await clockOf(store)
      const creations = Array.from({ length: 60 }, async (_, index) => {
        await waitFor(store, index % 6)
        return createSoon(store, newGrant({ tenantId, subject, assertedAt }))
      })
      await waitFor(store, 6)
      await deleteGrants(store, { tenantId, subject })
      await Promise.all(creations)
      assert.deepEqual(await listGrants(store, { tenantId, subject }), [])
    })
  })
}

/** Waits for some calls of the store, so that those of several callers come in many orders. */
async function waitFor(store: TokenStore, calls: number): Promise<void> {
  for (let call = 0; call < calls; call++) await store.findGrant(randomUUID(), randomUUID())
}

/** Tests that nothing is left in the store of what has been ended or deleted, except for a mark, which names nobody and expires. */
export function erasureContract({ describe, test }: StoreTest): void {
  describe('what is left in the store', () => {
    test('is nothing of a customer whose grants have all been ended', async (store, contents) => {
      const of = { tenantId: randomUUID(), subject: randomUUID() }
      const deleted = await createGrant(store, of)
      const grants = [await createGrant(store, of), await createRefreshed(store, of), ...(await createPast(store, of))]
      await store.deleteGrant(deleted.tenantId, deleted.grantId)
      assert.deepEqual(await shown(contents, of.tenantId, of.subject), [of.tenantId, of.subject])
      await deleteGrants(store, of)
      assert.deepEqual(await shown(contents, ...tracesOf([...grants, deleted])), [])
    })

    test('is nothing of a customer all of whose grants had expired before they were ended', async (store, contents) => {
      const of = { tenantId: randomUUID(), subject: randomUUID() }
      const grants = await createPast(store, of)
      await deleteGrants(store, of)
      assert.deepEqual(await shown(contents, ...tracesOf(grants)), [])
    })

    test('is nothing of a tenant that has been deleted', async (store, contents) => {
      const [tenantId, id, expiredId] = [randomUUID(), newId(), newId()]
      const of = { tenantId }
      const grants = [await createGrant(store, of), await createRefreshed(store, of), ...(await createPast(store, of))]
      await store.useOnce(tenantId, id, minute)
      await store.useOnce(tenantId, expiredId, 1)
      assert.deepEqual(await shown(contents, tenantId, id), [tenantId, id])
      await deleteGrants(store, { tenantId, all: 'everything' })
      assert.deepEqual(await shown(contents, ...tracesOf(grants), id, expiredId), [])
    })

    test('is everything of the other customers', async (store, contents) => {
      const mine = await createGrant(store, {})
      const theirs = await createGrant(store, { tenantId: mine.tenantId })
      await deleteGrants(store, customerOf(mine))
      assert.deepEqual(await shown(contents, mine.subject, theirs.subject), [theirs.subject])
    })
  })
}

/** A grant whose code was redeemed. */
async function createRefreshed(store: TokenStore, of: Partial<NewGrant>, lifetime = minute): Promise<Grant> {
  return redeem(store, { ...swapOf(await createGrant(store, of)), lifetime })
}

/** A grant whose code has expired, and one whose refresh token has. */
async function createPast(store: TokenStore, of: Partial<NewGrant>): Promise<Grant[]> {
  return [await createExpired(store, of), await expired(store, await createRefreshed(store, of, 50))]
}

/** Every text in the store that could name a customer who is alone in a tenant. It may divide a grant's id where the customer's part ends. */
function tracesOf(grants: readonly Grant[]): string[] {
  return grants.flatMap(({ tenantId, subject, grantId }) => [
    tenantId,
    subject,
    grantId.slice(0, 12),
    grantId.slice(12),
  ])
}

/** Those of some texts that the store shows. */
async function shown(contents: () => Promise<string>, ...texts: string[]): Promise<string[]> {
  const everything = await contents()
  return texts.filter((text) => everything.includes(text))
}
