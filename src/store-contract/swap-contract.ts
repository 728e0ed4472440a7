import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Grant, liveHash, type RedeemedCredential, type TokenStore } from '../contract/token-store'
import {
  clockOf,
  createGrant,
  definedMembers,
  findGrant,
  grantOf,
  hour,
  minute,
  reversalOf,
  type StoreTest,
  swapOf,
  until,
} from './records'

/** Tests the one atomic step. */
export function swapContract({ describe, test }: StoreTest): void {
  describe('swapCredential', () => {
    test('makes the next credential the live one', async (store) => {
      const grant = await createGrant(store, {})
      const swap = swapOf(grant)
      const before = await clockOf(store)
      const result = await store.swapCredential(swap)
      const { request: _, ...kept } = grant
      const at = grantOf(result).swap?.at ?? 0
      assert.ok(at >= before && at <= result.now, `swap.at ${at} is not from ${before} to ${result.now}`)
      assert.deepEqual(definedMembers(result), {
        outcome: 'swapped',
        grant: {
          ...kept,
          credential: { kind: 'refresh_token', hash: swap.to },
          swap: { attempt: swap.attempt, at, redeemed: 'code' },
          redeemed: [{ mark: swap.from.slice(0, 8), at }],
          expiresAt: grantOf(result).expiresAt,
        },
        now: result.now,
      })
      const expiresAt = grantOf(result).expiresAt - swap.lifetime
      assert.ok(expiresAt >= before && expiresAt <= result.now, 'It expires a lifetime after the swap')
      assert.deepEqual(await findGrant(store, grant), grantOf(result))
    })

    test('can be repeated with each new credential', async (store) => {
      let live = await createGrant(store, {})
      for (let rotation = 0; rotation < 5; rotation++) live = grantOf(await store.swapCredential(swapOf(live)))
      assert.deepEqual(await findGrant(store, live), live)
      assert.equal(live.swap?.redeemed, 'refresh_token')
    })

    test('says mismatch, with the grant, when another credential is live, and writes nothing', async (store) => {
      const grant = await createGrant(store, {})
      const result = await store.swapCredential({ ...swapOf(grant), from: randomUUID() })
      assert.equal(result.outcome, 'mismatch')
      assert.deepEqual(grantOf(result), grant)
      assert.deepEqual(await findGrant(store, grant), grant)
    })

    test('shows a repeated attempt that the first one was applied', async (store) => {
      const grant = await createGrant(store, {})
      const swap = swapOf(grant)
      await store.swapCredential(swap)
      const again = await store.swapCredential(swap)
      assert.equal(again.outcome, 'mismatch')
      assert.equal(grantOf(again).credential?.hash, swap.to)
      assert.equal(grantOf(again).swap?.attempt, swap.attempt)
    })

    test('can give the live refresh token to another attempt, which then alone can be reversed', async (store) => {
      const grant = await createGrant(store, {})
      const swap = swapOf(grant)
      const live = grantOf(await store.swapCredential(swap))
      const taken = { ...swapOf(live), to: swap.to, redeems: [] }
      const result = await store.swapCredential(taken)
      assert.equal(result.outcome, 'swapped')
      assert.equal(grantOf(result).swap?.attempt, taken.attempt)
      assert.deepEqual(grantOf(result).credential, live.credential)
      assert.deepEqual(grantOf(result).redeemed, live.redeemed)
      assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      assert.deepEqual(await findGrant(store, grant), grantOf(result))
    })

    test('has one winner among 200 parallel swaps, and touches no other grant', async (store) => {
      const grant = await createGrant(store, {})
      const other = await createGrant(store, { tenantId: grant.tenantId, subject: grant.subject })
      const swaps = Array.from({ length: 200 }, () => swapOf(grant))
      const results = await Promise.all(swaps.map((swap) => store.swapCredential(swap)))
      const won = swaps.filter((_, index) => results[index]?.outcome === 'swapped')
      assert.equal(won.length, 1)
      // Each loser must be shown what is live now, because the library judges replays by that.
      for (const lost of results.filter(({ outcome }) => outcome !== 'swapped')) {
        assert.equal(lost.outcome, 'mismatch')
        assert.equal(grantOf(lost).credential?.hash, won[0]?.to)
      }
      assert.equal((await findGrant(store, grant))?.credential?.hash, won[0]?.to)
      assert.deepEqual(await findGrant(store, other), other)
    })

    test('tells the time at which it decides, however long it has waited for other calls', async (store) => {
      const swap = swapOf(grantOf(await store.swapCredential(swapOf(await createGrant(store, {})))))
      // Each writes, whenever it follows one of the other kind.
      const calls = Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0 ? store.swapCredential(swap) : store.reverseSwap(reversalOf(swap)),
      )
      for (const result of await Promise.all(calls)) {
        const at = 'grant' in result ? (result.grant.swap?.at ?? 0) : 0
        assert.ok(result.now >= at, `${result.outcome} tells ${result.now}, and shows a swap at ${at}`)
      }
    })

    test('accepts only the resource of the grant if one is required, and writes nothing otherwise', async (store) => {
      const grant = await createGrant(store, {})
      const refused = await store.swapCredential({ ...swapOf(grant), resource: 'https://other.example' })
      assert.equal(refused.outcome, 'wrong_resource')
      assert.deepEqual(grantOf(refused), grant)
      assert.deepEqual(await findGrant(store, grant), grant)
      const swapped = await store.swapCredential({ ...swapOf(grant), resource: grant.resource })
      assert.equal(swapped.outcome, 'swapped')
    })

    test('says mismatch, not wrong_resource, when both the credential and the resource differ', async (store) => {
      const grant = await createGrant(store, {})
      const swap = { ...swapOf(grant), from: randomUUID(), resource: 'https://other.example' }
      assert.equal((await store.swapCredential(swap)).outcome, 'mismatch')
    })

    test('never moves the expiry past the end of the grant', async (store) => {
      const grant = await createGrant(store, { endsAfter: 10 * minute })
      const swapped = await store.swapCredential(swapOf(grant))
      assert.equal(grantOf(swapped).expiresAt, grant.endsAt)
    })

    test('moves the expiry back if the new lifetime is shorter', async (store) => {
      const grant = await createGrant(store, {})
      const swapped = grantOf(await store.swapCredential({ ...swapOf(grant), lifetime: minute }))
      assert.ok(swapped.expiresAt < grant.expiresAt)
    })

    test('says missing for a grant that has expired', async (store) => {
      const grant = await createGrant(store, { lifetime: 50 })
      await until(async () => (await findGrant(store, grant)) === undefined)
      assert.equal((await store.swapCredential(swapOf(grant))).outcome, 'missing')
    })

    test('says missing for a grant that does not exist, or has been deleted', async (store) => {
      const grant = await createGrant(store, {})
      const unknown = { ...swapOf(grant), grantId: `${grant.grantId.slice(0, -1)}+` }
      assert.equal((await store.swapCredential(unknown)).outcome, 'missing')
      await store.deleteGrant(grant.tenantId, grant.grantId)
      assert.equal((await store.swapCredential(swapOf(grant))).outcome, 'missing')
      assert.equal(await findGrant(store, grant), undefined)
    })
  })

  describe('the rest of a refresh token that is new', () => {
    test('keeps it from being swapped, and writes nothing', async (store) => {
      const first = grantOf(await store.swapCredential(swapOf(await createGrant(store, {}))))
      const second = grantOf(await store.swapCredential(swapOf(first)))
      const fresh = await store.swapCredential({ ...swapOf(second), rest: hour })
      assert.equal(fresh.outcome, 'fresh')
      assert.deepEqual(grantOf(fresh), second)
      assert.deepEqual(await findGrant(store, second), second)
    })

    test('is over when its time has passed', async (store) => {
      const first = grantOf(await store.swapCredential(swapOf(await createGrant(store, {}))))
      const second = grantOf(await store.swapCredential(swapOf(first)))
      await until(async () => (await clockOf(store)) > (second.swap?.at ?? 0) + 30)
      assert.equal((await store.swapCredential({ ...swapOf(second), rest: 20 })).outcome, 'swapped')
    })

    test('does not apply to a code, nor to the refresh token that replaced one', async (store) => {
      const grant = await createGrant(store, {})
      const first = await store.swapCredential({ ...swapOf(grant), rest: hour })
      assert.equal(first.outcome, 'swapped')
      assert.equal((await store.swapCredential({ ...swapOf(grantOf(first)), rest: hour })).outcome, 'swapped')
    })

    test('hides no mismatch and no wrong resource', async (store) => {
      const first = grantOf(await store.swapCredential(swapOf(await createGrant(store, {}))))
      const second = grantOf(await store.swapCredential(swapOf(first)))
      const swap = { ...swapOf(second), rest: hour }
      assert.equal((await store.swapCredential({ ...swap, from: randomUUID() })).outcome, 'mismatch')
      const wrong = await store.swapCredential({ ...swap, resource: 'https://other.example' })
      assert.equal(wrong.outcome, 'wrong_resource')
    })
  })

  describe('the deadline of a swap', () => {
    test('keeps it from being applied later', async (store) => {
      const grant = await createGrant(store, {})
      const now = await clockOf(store)
      const late = await store.swapCredential({ ...swapOf(grant), deadline: now })
      assert.equal(late.outcome, 'late')
      assert.ok(late.now >= now)
      assert.deepEqual(await findGrant(store, grant), grant)
    })

    test('does not hide a mismatch or a wrong resource', async (store) => {
      const grant = await createGrant(store, {})
      const now = await clockOf(store)
      const mismatch = await store.swapCredential({ ...swapOf(grant), from: randomUUID(), deadline: now })
      assert.equal(mismatch.outcome, 'mismatch')
      assert.deepEqual(grantOf(mismatch), grant)
      const wrong = await store.swapCredential({ ...swapOf(grant), resource: 'https://other.example', deadline: now })
      assert.equal(wrong.outcome, 'wrong_resource')
    })
  })

  describe('what a grant remembers', () => {
    const markOf = (hash: string) => hash.slice(0, 8)

    /** Swaps several times, and returns what the grant must then remember. */
    async function swapTimes(store: TokenStore, times: number, pause = async (_: Grant): Promise<void> => undefined) {
      let grant = await createGrant(store, {})
      const redeemed: RedeemedCredential[] = []
      for (let swap = 0; swap < times; swap++) {
        await pause(grant)
        const mark = markOf(liveHash(grant))
        grant = grantOf(await store.swapCredential(swapOf(grant)))
        redeemed.unshift({ mark, at: grant.swap?.at ?? 0 })
      }
      return { grant, redeemed }
    }

    /** Waits until the store's clock is later than the last swap. */
    const later = (store: TokenStore, by: number) => (grant: Grant) =>
      until(async () => (await clockOf(store)) > (grant.swap?.at ?? grant.createdAt) + by)

    test('is what was redeemed last, the newest first, each with its time', async (store) => {
      const { grant, redeemed } = await swapTimes(store, 4, later(store, 0))
      assert.deepEqual(grant.redeemed, redeemed)
      assert.deepEqual(await findGrant(store, grant), grant)
    })

    test('is at most 16 credentials', async (store) => {
      const { grant, redeemed } = await swapTimes(store, 20)
      assert.deepEqual(grant.redeemed, redeemed.slice(0, 16))
      const redeems = [randomUUID(), randomUUID(), liveHash(grant)]
      const next = grantOf(await store.swapCredential({ ...swapOf(grant), redeems }))
      const marks = redeems.map((hash) => ({ mark: markOf(hash), at: next.swap?.at }))
      assert.deepEqual(next.redeemed, [...marks, ...redeemed].slice(0, 16))
    })

    test('spans 16 times as long as a refresh token rests, however often a client refreshes', async (store) => {
      const rest = 25
      const first = grantOf(await store.swapCredential(swapOf(await createGrant(store, {}))))
      let live = first
      let redeemedAt: number | undefined
      await until(async () => {
        const result = await store.swapCredential({ ...swapOf(live), rest, remember: 16 * rest })
        live = grantOf(result)
        redeemedAt ??= live.swap?.at ?? 0
        const isOver = result.now - redeemedAt >= 16 * rest
        const remembers = live.redeemed?.some(({ mark }) => mark === markOf(liveHash(first)))
        assert.ok(
          remembers || isOver,
          `It has forgotten a credential after ${result.now - redeemedAt} ms of ${16 * rest}`,
        )
        return isOver
      })
    })

    test('is no credential that was redeemed longer ago than the swap says', async (store) => {
      const { grant } = await swapTimes(store, 2)
      await later(store, 30)(grant)
      const next = grantOf(await store.swapCredential({ ...swapOf(grant), remember: 20 }))
      assert.deepEqual(next.redeemed, [{ mark: markOf(liveHash(grant)), at: next.swap?.at }])
    })

    test('is every credential that one swap redeems, before those that were redeemed earlier', async (store) => {
      const { grant, redeemed } = await swapTimes(store, 2, later(store, 0))
      await later(store, 0)(grant)
      const redeems = [randomUUID(), randomUUID(), liveHash(grant)]
      const next = grantOf(await store.swapCredential({ ...swapOf(grant), redeems }))
      const marks = redeems.map((hash) => ({ mark: markOf(hash), at: next.swap?.at }))
      assert.deepEqual(next.redeemed, [...marks, ...redeemed])
    })
  })
}
