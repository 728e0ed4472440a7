import type { TokenStore } from '../stores/token-store'
import { clientContract } from './client-contract'
import { erasureContract } from './erasure-contract'
import { grantContract } from './grant-contract'
import { reversalContract } from './reversal-contract'
import type { StoreTest, TestRunner } from './store-test'
import { swapContract } from './swap-contract'

/**
 * Defines the tests that say whether a {@link TokenStore} is right: every method, its clock and its deadlines, expiry, tenant isolation, parallel swaps with one
 * winner, the repeated attempt, what is taken back, and values with any Unicode.
 *
 * Every test works in tenants of its own, so the store need not be emptied. Some of the tests have all registered clients make room that
 * are not in use, so the store should hold nothing but what tests have left.
 *
 * @param runner The test functions to define the suite with.
 * @param createStore Gives the store to test; asked once for each test.
 * @param options What the suite may look into.
 * @param options.contents Gives everything that the store holds, keys and all, as anything that `JSON.stringify` takes. With it, the suite
 * also says whether something is left of a customer whose grants have all been ended.
 *
 * @example
 * tokenStoreContract({ describe, it }, () => new PostgresTokenStore(pool), {
 *   contents: async () => (await pool.query('select * from sign_in_grants')).rows,
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
  swapContract(storeTest)
  reversalContract(storeTest)
  clientContract(storeTest)
  if (contents) erasureContract(storeTest)
}
