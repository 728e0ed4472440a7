import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type CredentialSwap, type Grant, liveHash, type SwapReversal } from '../contract/token-store'
import { customerOf, grantOf, minute, reversalOf, type StoreTest, swapOf, until } from './records'

/** Tests how a store reverses a swap whose result no client was given. */
export function reversalContract({ describe, test }: StoreTest): void {
  describe('reverseSwap', () => {
    test('makes the credential live again that the swap redeemed', async (trial) => {
      const first = await trial.redeem(await trial.create())
      const swap = swapOf(first)
      const second = grantOf(await trial.store.swapCredential(swap))
      assert.equal((await trial.store.reverseSwap(reversalOf(swap))).outcome, 'reversed')
      const reversed = await trial.find(first)
      assert.deepEqual(reversed?.credential, first.credential)
      assert.deepEqual(reversed?.redeemed, first.redeemed)
      assert.equal(reversed?.swap?.at, first.swap?.at)
      assert.equal(reversed?.expiresAt, second.expiresAt)
      assert.equal((await trial.store.swapCredential(swapOf(first))).outcome, 'swapped')
    })

    test('makes the newest of several redeemed credentials live again, and still remembers the others', async (trial) => {
      const grant = await trial.create()
      const redeems = [randomUUID(), randomUUID(), liveHash(grant)] as const
      const swap = { ...swapOf(grant), redeems }
      const swapped = grantOf(await trial.store.swapCredential(swap))
      const reversal = { ...reversalOf({ ...swap, from: redeems[0] }), attempts: [randomUUID(), swap.attempt] }
      assert.equal((await trial.store.reverseSwap(reversal)).outcome, 'reversed')
      const reversed = await trial.find(grant)
      assert.deepEqual(reversed?.credential, { kind: 'refresh_token', hash: redeems[0] })
      assert.deepEqual(reversed?.redeemed, swapped.redeemed?.slice(1))
    })

    test('restores the request and the lifetime of a code', async (trial) => {
      const grant = await trial.create({ lifetime: minute })
      const swap = swapOf(grant)
      await trial.store.swapCredential(swap)
      const reversal = reversalOfCode(swap, grant, minute)
      assert.equal((await trial.store.reverseSwap(reversal)).outcome, 'reversed')
      const { redeemed = [], ...reversed } = (await trial.find(grant)) ?? {}
      assert.deepEqual(redeemed, [])
      assert.deepEqual(reversed, grant)
      assert.deepEqual(await trial.list(customerOf(grant)).then((grants) => grants.length), 1)
      assert.equal((await trial.store.swapCredential(swapOf(grant))).outcome, 'swapped')
    })

    test('does not revive a code that has expired meanwhile', async (trial) => {
      const grant = await trial.create({ lifetime: 500 })
      const swap = swapOf(grant)
      assert.equal((await trial.store.swapCredential(swap)).outcome, 'swapped')
      await until(async () => (await trial.clock()) > grant.expiresAt)
      await trial.store.reverseSwap(reversalOfCode(swap, grant, 500))
      assert.equal(await trial.find(grant), undefined)
    })

    test('reverses only the swaps of its attempts', async (trial) => {
      const grant = await trial.create()
      const swap = swapOf(grant)
      assert.equal((await trial.store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      const swapped = grantOf(await trial.store.swapCredential(swap))
      const others = [
        { ...reversalOf(swap), attempts: [randomUUID(), randomUUID()] },
        { ...reversalOf(swap), to: randomUUID() },
      ]
      for (const other of others) assert.equal((await trial.store.reverseSwap(other)).outcome, 'mismatch')
      assert.deepEqual(await trial.find(grant), swapped)
      const next = await trial.redeem(swapped)
      assert.equal((await trial.store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      assert.deepEqual(await trial.find(grant), next)
    })

    test('reverses a swap only once', async (trial) => {
      const swap = swapOf(await trial.create())
      await trial.store.swapCredential(swap)
      assert.equal((await trial.store.reverseSwap(reversalOf(swap))).outcome, 'reversed')
      const reversed = await trial.find(swap)
      assert.equal((await trial.store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      assert.deepEqual(await trial.find(swap), reversed)
    })

    test('and a swap of what is to be reversed do not both succeed, whichever comes first', async (trial) => {
      const grants = await Promise.all(Array.from({ length: 100 }, () => trial.create()))
      const swaps = grants.map(swapOf)
      const swapped = await Promise.all(swaps.map(async (swap) => grantOf(await trial.store.swapCredential(swap))))
      const races = swaps.map(async (swap, index) => {
        const next = { ...swapOf(swapped[index] as Grant), from: swap.to }
        const calls = [trial.store.reverseSwap(reversalOf(swap)), trial.store.swapCredential(next)] as const
        const [reversal, later] = await Promise.all(calls)
        const isReversed = reversal.outcome === 'reversed'
        const outcomes = [reversal.outcome, later.outcome]
        assert.deepEqual(outcomes, isReversed ? ['reversed', 'mismatch'] : ['mismatch', 'swapped'])
        assert.equal((await trial.find(swap))?.credential?.hash, isReversed ? swap.from : next.to)
      })
      await Promise.all(races)
    })

    test('reverses nothing after its deadline', async (trial) => {
      const swap = swapOf(await trial.create())
      const swapped = grantOf(await trial.store.swapCredential(swap))
      const late = { ...reversalOf(swap), deadline: await trial.clock() }
      assert.equal((await trial.store.reverseSwap(late)).outcome, 'late')
      assert.deepEqual(await trial.find(swap), swapped)
    })

    test('does not bring back a grant that has ended', async (trial) => {
      const swap = swapOf(await trial.create())
      await trial.store.swapCredential(swap)
      await trial.store.deleteGrant(swap.tenantId, swap.grantId)
      assert.equal((await trial.store.reverseSwap(reversalOf(swap))).outcome, 'missing')
      assert.equal(await trial.find(swap), undefined)
    })
  })
}

function reversalOfCode(swap: CredentialSwap, grant: Grant, lifetime: number): SwapReversal {
  const { request } = grant
  if (!request) assert.fail('A code has a request')
  return { ...reversalOf(swap), credential: { kind: 'code', hash: liveHash(grant) }, code: { request, lifetime } }
}
