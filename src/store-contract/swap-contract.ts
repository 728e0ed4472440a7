import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Grant, liveHash, type RedeemedCredential, type TokenStore } from '../contract/token-store'
import {
  assertRefused,
  clockOf,
  createExpired,
  createGrant,
  customerOf,
  definedMembers,
  findGrant,
  grantOf,
  hour,
  minute,
  redeem,
  redeemedAt,
  reversalOf,
  type StoreTest,
  swapOf,
  until,
} from './records'

const otherResource = 'https://other.example'

/** Tests the one atomic step. */
export function swapContract({ describe, test }: StoreTest): void {
  describe('swapCredential', () => {
    test('makes the next credential the live one', async (store) => {
      const grant = await createGrant(store, {})
      const swap = swapOf(grant)
      const before = await clockOf(store)
      const result = await store.swapCredential(swap)
      const { request: _, ...kept } = grant
      const at = redeemedAt(grantOf(result))
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
      for (let rotation = 0; rotation < 5; rotation++) live = await redeem(store, swapOf(live))
      assert.deepEqual(await findGrant(store, live), live)
      assert.equal(live.swap?.redeemed, 'refresh_token')
    })

    test('says mismatch, with the grant, when another credential is live, and writes nothing', async (store) => {
      const grant = await createGrant(store, {})
      await assertRefused(store, grant, { ...swapOf(grant), from: randomUUID() }, 'mismatch')
    })

    test('shows a repeated attempt that the first one was applied', async (store) => {
      const swap = swapOf(await createGrant(store, {}))
      const swapped = await redeem(store, swap)
      assert.deepEqual([liveHash(swapped), swapped.swap?.attempt], [swap.to, swap.attempt])
      await assertRefused(store, swapped, swap, 'mismatch')
    })

    test('can give the live refresh token to another attempt, which then alone can be reversed', async (store) => {
      const swap = swapOf(await createGrant(store, {}))
      const live = await redeem(store, swap)
      const taking = { ...swapOf(live), to: swap.to, redeems: [] }
      const taken = await redeem(store, taking)
      assert.equal(taken.swap?.attempt, taking.attempt)
      assert.deepEqual(taken.credential, live.credential)
      assert.deepEqual(taken.redeemed, live.redeemed)
      assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      assert.deepEqual(await findGrant(store, swap), taken)
    })

    test('has one winner among 200 parallel swaps, and touches no other grant', async (store) => {
      const grant = await createGrant(store, {})
      const other = await createGrant(store, customerOf(grant))
      const swaps = Array.from({ length: 200 }, () => swapOf(grant))
      const results = await Promise.all(swaps.map((swap) => store.swapCredential(swap)))
      const won = swaps.filter((_, index) => results[index]?.outcome === 'swapped').map(({ to }) => to)
      const live = liveHash((await findGrant(store, grant)) ?? {})
      assert.deepEqual(won, [live])
      // Each loser must be shown what is live now, because the library judges replays by that.
      for (const lost of results.filter(({ outcome }) => outcome !== 'swapped')) {
        assert.equal(lost.outcome, 'mismatch')
        assert.equal(liveHash(grantOf(lost)), live)
      }
      assert.deepEqual(await findGrant(store, other), other)
    })

    test('tells the time at which it decides, however long it has waited for other calls', async (store) => {
      const swap = swapOf((await swapTimes(store, 1)).grant)
      // Each writes, whenever it follows one of the other kind.
      const calls = Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0 ? store.swapCredential(swap) : store.reverseSwap(reversalOf(swap)),
      )
      for (const result of await Promise.all(calls)) {
        const at = 'grant' in result ? redeemedAt(result.grant) : 0
        assert.ok(result.now >= at, `${result.outcome} tells ${result.now}, and shows a swap at ${at}`)
      }
    })

    test('accepts only the resource of the grant if one is required, and writes nothing otherwise', async (store) => {
      const grant = await createGrant(store, {})
      await assertRefused(store, grant, { ...swapOf(grant), resource: otherResource }, 'wrong_resource')
      await redeem(store, { ...swapOf(grant), resource: grant.resource })
    })

    test('says mismatch, not wrong_resource, when both the credential and the resource differ', async (store) => {
      const grant = await createGrant(store, {})
      await assertRefused(store, grant, { ...swapOf(grant), from: randomUUID(), resource: otherResource }, 'mismatch')
    })

    test('never moves the expiry past the end of the grant', async (store) => {
      const grant = await createGrant(store, { endsAfter: 10 * minute })
      assert.equal((await redeem(store, swapOf(grant))).expiresAt, grant.endsAt)
    })

    test('moves the expiry back if the new lifetime is shorter', async (store) => {
      const grant = await createGrant(store, {})
      const { expiresAt } = await redeem(store, { ...swapOf(grant), lifetime: minute })
      assert.ok(expiresAt < grant.expiresAt)
    })

    test('says missing for a grant that has expired', async (store) => {
      const grant = await createExpired(store, {})
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

    test('writes nothing after the deadline', async (store) => {
      const grant = await createGrant(store, {})
      const now = await clockOf(store)
      const late = await store.swapCredential({ ...swapOf(grant), deadline: now })
      assert.equal(late.outcome, 'late')
      assert.ok(late.now >= now)
      assert.deepEqual(await findGrant(store, grant), grant)
    })
  })

  describe('the rest of a refresh token that is new', () => {
    test('keeps it from being swapped, and writes nothing', async (store) => {
      const { grant } = await swapTimes(store, 2)
      await assertRefused(store, grant, { ...swapOf(grant), rest: hour }, 'fresh')
    })

    test('is over when its time has passed', async (store) => {
      const { grant } = await swapTimes(store, 2)
      await later(store, 30)(grant)
      await redeem(store, { ...swapOf(grant), rest: 20 })
    })

    test('does not apply to a code, nor to the refresh token that replaced one', async (store) => {
      const first = await redeem(store, { ...swapOf(await createGrant(store, {})), rest: hour })
      await redeem(store, { ...swapOf(first), rest: hour })
    })

    test('and the deadline hide no mismatch and no wrong resource', async (store) => {
      const { grant } = await swapTimes(store, 2)
      for (const reason of [{ rest: hour }, { deadline: await clockOf(store) }]) {
        const swap = { ...swapOf(grant), ...reason }
        await assertRefused(store, grant, { ...swap, from: randomUUID() }, 'mismatch')
        await assertRefused(store, grant, { ...swap, resource: otherResource }, 'wrong_resource')
      }
    })
  })

  describe('what a grant remembers', () => {
    test('is what was redeemed last, the newest first, each with its time', async (store) => {
      const { grant, redeemed } = await swapTimes(store, 4, later(store, 0))
      assert.deepEqual(grant.redeemed, redeemed)
      assert.deepEqual(await findGrant(store, grant), grant)
    })

    test('is at most 16 credentials', async (store) => {
      const { grant, redeemed } = await swapTimes(store, 20)
      assert.deepEqual(grant.redeemed, redeemed.slice(0, 16))
      const redeems = [randomUUID(), randomUUID(), liveHash(grant)]
      const next = await redeem(store, { ...swapOf(grant), redeems })
      const marks = redeems.map((hash) => ({ mark: markOf(hash), at: redeemedAt(next) }))
      assert.deepEqual(next.redeemed, [...marks, ...redeemed].slice(0, 16))
    })

    test('spans 16 times as long as a refresh token rests, however often a client refreshes', async (store) => {
      const rest = 25
      const { grant: first } = await swapTimes(store, 1)
      let live = first
      let since: number | undefined
      await until(async () => {
        const result = await store.swapCredential({ ...swapOf(live), rest, remember: 16 * rest })
        live = grantOf(result)
        since ??= redeemedAt(live)
        const age = result.now - since
        const remembers = (live.redeemed ?? []).some(({ mark }) => mark === markOf(liveHash(first)))
        assert.ok(remembers || age >= 16 * rest, `It has forgotten a credential after ${age} ms of ${16 * rest}`)
        return age >= 16 * rest
      })
    })

    test('is no credential that was redeemed longer ago than the swap says', async (store) => {
      const { grant } = await swapTimes(store, 2)
      await later(store, 30)(grant)
      const next = await redeem(store, { ...swapOf(grant), remember: 20 })
      assert.deepEqual(next.redeemed, [{ mark: markOf(liveHash(grant)), at: redeemedAt(next) }])
    })

    test('is every credential that one swap redeems, before those that were redeemed earlier', async (store) => {
      const { grant, redeemed } = await swapTimes(store, 2, later(store, 0))
      await later(store, 0)(grant)
      const redeems = [randomUUID(), randomUUID(), liveHash(grant)]
      const next = await redeem(store, { ...swapOf(grant), redeems })
      const marks = redeems.map((hash) => ({ mark: markOf(hash), at: redeemedAt(next) }))
      assert.deepEqual(next.redeemed, [...marks, ...redeemed])
    })
  })
}

const markOf = (hash: string) => hash.slice(0, 8)

/** Redeems a new grant several times, and returns it with what it must then remember. */
async function swapTimes(store: TokenStore, times: number, pause = async (_: Grant): Promise<void> => undefined) {
  let grant = await createGrant(store, {})
  const redeemed: RedeemedCredential[] = []
  for (let swap = 0; swap < times; swap++) {
    await pause(grant)
    const mark = markOf(liveHash(grant))
    grant = await redeem(store, swapOf(grant))
    redeemed.unshift({ mark, at: redeemedAt(grant) })
  }
  return { grant, redeemed }
}

/** Waits until the store's clock is later than the last swap. */
const later = (store: TokenStore, by: number) => (grant: Grant) =>
  until(async () => (await clockOf(store)) > Math.max(grant.createdAt, redeemedAt(grant)) + by)
