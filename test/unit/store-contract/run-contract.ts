import type { TokenStore } from 'customer-sign-in'
import { tokenStoreContract } from 'customer-sign-in/testing'

/**
 * Runs the contract as a test runner does.
 *
 * @param options.only Words of the tests to run. Default all.
 * @returns The names of the tests that passed and of those that failed.
 */
export async function runContract(
  createStore: () => TokenStore,
  { only = '', contents }: { only?: string; contents?: (store: TokenStore) => unknown } = {},
): Promise<{ passed: string[]; failed: string[] }> {
  const tests: { name: string; run: () => Promise<void> }[] = []
  const groups: string[] = []
  tokenStoreContract(
    {
      describe(name, define) {
        groups.push(name)
        define()
        groups.pop()
      },
      it: (name, run) => tests.push({ name: [...groups, name].join(' '), run }),
    },
    createStore,
    contents && { contents },
  )
  const result: { passed: string[]; failed: string[] } = { passed: [], failed: [] }
  for (const { name, run } of tests.filter(({ name }) => name.includes(only))) {
    await run().then(
      () => result.passed.push(name),
      () => result.failed.push(name),
    )
  }
  return result
}
