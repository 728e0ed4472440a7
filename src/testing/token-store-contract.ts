import type { TokenStore } from '../stores/token-store'
import { clientContract } from './client-contract'
import { grantContract } from './grant-contract'
import { reversalContract } from './reversal-contract'
import type { StoreTest, TestRunner } from './store-test'
import { swapContract } from './swap-contract'

/**
 * Says whether a {@link TokenStore} is right: every method, its clock and its deadlines, expiry, tenant isolation, parallel swaps with one
 * winner, the repeated attempt, what is taken back, and values with any Unicode.
 *
 * Every test works in tenants of its own, so the store may be shared and need not be emptied.
 *
 * @param runner The test functions to define the suite with.
 * @param createStore Gives the store to test; asked once for each test.
 *
 * @example
 * tokenStoreContract({ describe, it }, () => new PostgresTokenStore(pool))
 */
export function tokenStoreContract(
  { describe, it }: TestRunner,
  createStore: () => TokenStore | Promise<TokenStore>,
): void {
  const storeTest: StoreTest = {
    describe,
    test: (name, run) => it(name, async () => run(await createStore())),
  }
  grantContract(storeTest)
  swapContract(storeTest)
  reversalContract(storeTest)
  clientContract(storeTest)
}
