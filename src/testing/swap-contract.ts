import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { definedMembers, found, grantOf, hour, minute, newGrant, swapOf, until } from './records'
import type { StoreTest } from './store-test'

/** The one atomic step. */
export function swapContract({ describe, test }: StoreTest): void {
  describe('swapCredential', () => {
    test('makes the next credential the live one', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const swap = swapOf(grant)
      const before = Date.now()
      const result = await store.swapCredential(swap)
      const { request: _, ...kept } = grant
      const at = grantOf(result).swap?.at ?? 0
      assert.deepEqual(definedMembers(result), {
        outcome: 'swapped',
        grant: definedMembers({
          ...kept,
          credential: { kind: 'refresh_token', hash: swap.to },
          swap: { attempt: swap.attempt, at },
          expiresAt: swap.expiresAt,
        }),
      })
      // The later of the caller's time and the store's own clock, which may differ a little.
      assert.ok(at >= swap.now && at <= Math.max(before, Date.now()) + minute, `swap.at is ${at}`)
      assert.deepEqual(await found(store, grant), definedMembers(grantOf(result)))
    })

    test('goes on from there', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      let live = grant
      for (let rotation = 0; rotation < 5; rotation++) live = grantOf(await store.swapCredential(swapOf(live)))
      assert.deepEqual(await found(store, grant), definedMembers(live))
    })

    test('takes the time of its caller where that is ahead of its own clock', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const now = Date.now() + 30 * minute
      const result = await store.swapCredential({ ...swapOf(grant), now, expiresAt: now + hour })
      assert.equal(grantOf(result).swap?.at, now)
    })

    test('takes its own time where that is ahead of its caller', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const late = { ...swapOf(grant), now: Date.now() - 2 * minute }
      const at = grantOf(await store.swapCredential(late)).swap?.at ?? 0
      assert.ok(at > Date.now() - minute, `swap.at is ${at}`)
    })

    test('says mismatch, with the grant, when another credential is live, and writes nothing', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const result = await store.swapCredential({ ...swapOf(grant), from: randomUUID() })
      assert.deepEqual(definedMembers(result), { outcome: 'mismatch', grant: definedMembers(grant) })
      assert.deepEqual(await found(store, grant), grant)
    })

    test('shows a repeated attempt its own work', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const swap = swapOf(grant)
      await store.swapCredential(swap)
      const again = await store.swapCredential(swap)
      assert.equal(again.outcome, 'mismatch')
      assert.equal(grantOf(again).credential.hash, swap.to)
      assert.equal(grantOf(again).swap?.attempt, swap.attempt)
    })

    test('has one winner among 200 parallel swaps, and touches no other grant', async (store) => {
      const grant = newGrant({})
      const other = newGrant({ tenantId: grant.tenantId, subject: grant.subject })
      await store.createGrant(grant)
      await store.createGrant(other)
      const swaps = Array.from({ length: 200 }, () => swapOf(grant))
      const results = await Promise.all(swaps.map((swap) => store.swapCredential(swap)))
      const won = swaps.filter((_, index) => results[index]?.outcome === 'swapped')
      assert.equal(won.length, 1)
      // Who loses is shown what is live now: a verdict of replay rests on it.
      for (const lost of results.filter(({ outcome }) => outcome !== 'swapped')) {
        assert.equal(lost.outcome, 'mismatch')
        assert.equal(grantOf(lost).credential.hash, won[0]?.to)
      }
      assert.equal((await found(store, grant))?.credential.hash, won[0]?.to)
      assert.deepEqual(await found(store, other), other)
    })

    test('lets only the resource of the grant pass where one is required, and writes nothing otherwise', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const refused = await store.swapCredential({ ...swapOf(grant), resource: 'https://other.example' })
      assert.deepEqual(definedMembers(refused), { outcome: 'refused', grant: definedMembers(grant) })
      assert.deepEqual(await found(store, grant), grant)
      const swapped = await store.swapCredential({ ...swapOf(grant), resource: grant.resource })
      assert.equal(swapped.outcome, 'swapped')
    })

    test('says mismatch, not refused, when both the credential and the resource differ', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const swap = { ...swapOf(grant), from: randomUUID(), resource: 'https://other.example' }
      assert.equal((await store.swapCredential(swap)).outcome, 'mismatch')
    })

    test('never moves the expiry past the end of the grant', async (store) => {
      const grant = newGrant({ endsAt: Date.now() + 10 * minute })
      await store.createGrant(grant)
      const swapped = await store.swapCredential(swapOf(grant))
      assert.equal(grantOf(swapped).expiresAt, grant.endsAt)
    })

    test('says missing for a grant that has expired by the time of the caller', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const late = { ...swapOf(grant), now: grant.expiresAt, expiresAt: grant.expiresAt + hour }
      assert.deepEqual(await store.swapCredential(late), { outcome: 'missing' })
    })

    test('says missing for a grant that has expired by its own clock', async (store) => {
      const grant = newGrant({ expiresAt: Date.now() + 50 })
      await store.createGrant(grant)
      await until(async () => (await found(store, grant)) === undefined)
      assert.deepEqual(await store.swapCredential({ ...swapOf(grant), now: grant.createdAt }), { outcome: 'missing' })
    })

    test('says missing for a grant that does not exist, or has been deleted', async (store) => {
      const grant = newGrant({})
      assert.deepEqual(await store.swapCredential(swapOf(grant)), { outcome: 'missing' })
      await store.createGrant(grant)
      await store.deleteGrant(grant.tenantId, grant.grantId)
      assert.deepEqual(await store.swapCredential(swapOf(grant)), { outcome: 'missing' })
      assert.equal(await found(store, grant), undefined)
    })
  })
}
