import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TokenStore } from '../contract/token-store'
import { deletionContract, endedContract, erasureContract } from './deletion-contract'
import { grantContract } from './grant-contract'
import { listContract } from './list-contract'
import { atAnotherTime, day, minute, newId, type StoreTest, type TestRunner, until } from './records'
import { reversalContract } from './reversal-contract'
import { swapContract } from './swap-contract'

/**
 * Defines the tests that show whether a {@link TokenStore} is correct: every method, the clock and the deadlines, expiry, tenant isolation,
 * parallel swaps with one winner, the repeated attempt, reversals, what may be used once, and values with any Unicode.
 *
 * Every test works in tenants of its own, so the store need not be empty.
 *
 * @param runner The test functions to define the suite with.
 * @param createStore Returns the store to test. It is called once for each test.
 * @param options What the suite may look into.
 * @param options.contents Returns everything that the store holds, with the keys, as anything that `JSON.stringify` takes. With it, the suite
 * also tests whether anything is left of a customer whose grants have all been ended, or of a tenant that has been deleted.
 *
 * @example
 * tokenStoreContract({ describe, it }, () => new MyTokenStore(database), {
 *   contents: async () => (await database.query('select * from grants')).rows,
 * })
 */
export function tokenStoreContract<Store extends TokenStore>(
  { describe, it }: TestRunner,
  createStore: () => Store | Promise<Store>,
  { contents }: { contents?: (store: Store) => unknown } = {},
): void {
  const storeTest: StoreTest = {
    describe,
    test: (name, run) =>
      it(name, async () => {
        const store = await createStore()
        await run(store, async () => JSON.stringify(await contents?.(store)))
      }),
  }
  grantContract(storeTest)
  listContract(storeTest)
  swapContract(storeTest)
  reversalContract(storeTest)
  useOnceContract(storeTest)
  deletionContract(storeTest)
  endedContract(storeTest)
  if (contents) erasureContract(storeTest)
}

/** Tests how a store notes what may be used once. */
export function useOnceContract({ describe, test }: StoreTest): void {
  describe('what may be used once', () => {
    for (const [clock, offset] of Object.entries({ right: 0, 'a day ahead': day, 'a day behind': -day })) {
      test(`is used by the first call alone, also if the clock of the host is ${clock}`, async (store) => {
        const [tenantId, id] = [randomUUID(), newId()]
        await atAnotherTime(offset, async () => {
          assert.equal(await store.useOnce(tenantId, id, minute), true)
          assert.equal(await store.useOnce(tenantId, id, minute), false)
          assert.equal(await store.useOnce(tenantId, id, minute), false)
        })
      })
    }

    test('is used by one of 50 parallel calls', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      const calls = Array.from({ length: 50 }, () => store.useOnce(tenantId, id, minute))
      const used = (await Promise.all(calls)).filter((isFirst) => isFirst)
      assert.equal(used.length, 1)
    })

    test('is separate for each id and each tenant', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      assert.equal(await store.useOnce(tenantId, id, minute), true)
      assert.equal(await store.useOnce(tenantId, newId(), minute), true)
      assert.equal(await store.useOnce(randomUUID(), id, minute), true)
      assert.equal(await store.useOnce(tenantId, id, minute), false)
    })

    test('is forgotten after its lifetime, and not extended by later calls', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      assert.equal(await store.useOnce(tenantId, id, 50), true)
      await until(() => store.useOnce(tenantId, id, minute))
      assert.equal(await store.useOnce(tenantId, id, minute), false)
    })
  })
}
