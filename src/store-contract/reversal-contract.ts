import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type CredentialSwap, type Grant, liveHash, type SwapReversal } from '../contract/token-store'
import {
  clockOf,
  createGrant,
  customerOf,
  findGrant,
  listGrants,
  minute,
  redeem,
  redeemedAt,
  reversalOf,
  type StoreTest,
  swapOf,
  until,
} from './records'

/** Tests how a store reverses a swap whose result no client was given. */
export function reversalContract({ describe, test }: StoreTest): void {
  describe('reverseSwap', () => {
    test('makes the credential live again that the swap redeemed', async (store) => {
      const first = await redeem(store, swapOf(await createGrant(store, {})))
      const swap = swapOf(first)
      const { expiresAt } = await redeem(store, swap)
      assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'reversed')
      const reversed = await findGrant(store, first)
      assert.ok(reversed)
      assert.deepEqual(reversed, { ...first, expiresAt, swap: { ...reversed.swap, at: redeemedAt(first) } })
      await redeem(store, swapOf(first))
    })

    test('makes the newest of several redeemed credentials live again, and still remembers the others', async (store) => {
      const grant = await createGrant(store, {})
      const redeems = [randomUUID(), randomUUID(), liveHash(grant)] as const
      const swap = { ...swapOf(grant), redeems }
      const [, ...others] = (await redeem(store, swap)).redeemed ?? []
      const reversal = { ...reversalOf({ ...swap, from: redeems[0] }), attempts: [randomUUID(), swap.attempt] }
      assert.equal((await store.reverseSwap(reversal)).outcome, 'reversed')
      const { credential, redeemed } = (await findGrant(store, grant)) ?? {}
      assert.deepEqual(credential, { kind: 'refresh_token', hash: redeems[0] })
      assert.deepEqual(redeemed, others)
    })

    test('restores the request and the lifetime of a code', async (store) => {
      const grant = await createGrant(store, { lifetime: minute })
      const swap = swapOf(grant)
      await redeem(store, swap)
      assert.equal((await store.reverseSwap(reversalOfCode(swap, grant))).outcome, 'reversed')
      const { redeemed = [], ...reversed } = (await findGrant(store, grant)) ?? {}
      assert.deepEqual(redeemed, [])
      assert.deepEqual(reversed, grant)
      assert.equal((await listGrants(store, customerOf(grant))).length, 1)
      await redeem(store, swapOf(grant))
    })

    test('does not revive a code that has expired meanwhile', async (store) => {
      const grant = await createGrant(store, { lifetime: 500 })
      const swap = swapOf(grant)
      await redeem(store, swap)
      await until(async () => (await clockOf(store)) > grant.expiresAt)
      await store.reverseSwap(reversalOfCode(swap, grant))
      assert.equal(await findGrant(store, grant), undefined)
    })

    test('reverses only the swaps of its attempts', async (store) => {
      const grant = await createGrant(store, {})
      const swap = swapOf(grant)
      assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      const swapped = await redeem(store, swap)
      for (const others of [{ attempts: [randomUUID(), randomUUID()] }, { to: randomUUID() }])
        assert.equal((await store.reverseSwap({ ...reversalOf(swap), ...others })).outcome, 'mismatch')
      assert.deepEqual(await findGrant(store, grant), swapped)
      const next = await redeem(store, swapOf(swapped))
      assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      assert.deepEqual(await findGrant(store, grant), next)
    })

    test('reverses a swap only once', async (store) => {
      const swap = swapOf(await createGrant(store, {}))
      await redeem(store, swap)
      assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'reversed')
      const reversed = await findGrant(store, swap)
      assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      assert.deepEqual(await findGrant(store, swap), reversed)
    })

    test('and a swap of what is to be reversed do not both succeed, whichever comes first', async (store) => {
      const grants = await Promise.all(Array.from({ length: 100 }, () => createGrant(store, {})))
      const swaps = grants.map(swapOf)
      const swapped = await Promise.all(swaps.map((swap) => redeem(store, swap)))
      const races = swaps.map(async (swap, index) => {
        const next = { ...swapOf(swapped[index] as Grant), from: swap.to }
        const calls = [store.reverseSwap(reversalOf(swap)), store.swapCredential(next)] as const
        const [reversal, later] = await Promise.all(calls)
        const isReversed = reversal.outcome === 'reversed'
        const outcomes = [reversal.outcome, later.outcome]
        assert.deepEqual(outcomes, isReversed ? ['reversed', 'mismatch'] : ['mismatch', 'swapped'])
        assert.equal(liveHash((await findGrant(store, swap)) ?? {}), isReversed ? swap.from : next.to)
      })
      await Promise.all(races)
    })

    test('reverses nothing after its deadline', async (store) => {
      const swap = swapOf(await createGrant(store, {}))
      const swapped = await redeem(store, swap)
      const late = { ...reversalOf(swap), deadline: await clockOf(store) }
      assert.equal((await store.reverseSwap(late)).outcome, 'late')
      assert.deepEqual(await findGrant(store, swap), swapped)
    })

    test('does not bring back a grant that has ended', async (store) => {
      const swap = swapOf(await createGrant(store, {}))
      await redeem(store, swap)
      await store.deleteGrant(swap.tenantId, swap.grantId)
      assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'missing')
      assert.equal(await findGrant(store, swap), undefined)
    })
  })
}

function reversalOfCode(swap: CredentialSwap, { request, ...grant }: Grant): SwapReversal {
  if (!request) assert.fail('A code has a request')
  const code = { request, lifetime: grant.expiresAt - grant.createdAt }
  return { ...reversalOf(swap), credential: { kind: 'code', hash: liveHash(grant) }, code }
}
