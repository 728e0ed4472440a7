import type { TokenStore } from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'

/**
 * Runs the contract as a test runner does.
 *
 * @param options.only Words of the tests to run. Default all.
 * @param options.around Words of tests whose groups are run. Default all groups.
 * @returns The names of the tests that passed and of those that failed.
 */
export async function runContract(
  createStore: () => TokenStore,
  {
    only = '',
    around = [''],
    contents,
  }: { only?: string; around?: string[]; contents?: (store: TokenStore) => unknown } = {},
): Promise<{ passed: string[]; failed: string[] }> {
  const tests: { group: string; name: string; run: () => Promise<void> }[] = []
  const groups: string[] = []
  tokenStoreContract(
    {
      describe(name, define) {
        groups.push(name)
        define()
        groups.pop()
      },
      it: (name, run) => tests.push({ group: groups.join(' '), name: [...groups, name].join(' '), run }),
    },
    createStore,
    contents && { contents },
  )
  const result: { passed: string[]; failed: string[] } = { passed: [], failed: [] }
  const chosen = new Set(
    tests.filter(({ name }) => around.some((words) => name.includes(words))).map(({ group }) => group),
  )
  for (const { name, run } of tests.filter(({ group, name }) => name.includes(only) && chosen.has(group))) {
    await run().then(
      () => result.passed.push(name),
      () => result.failed.push(name),
    )
  }
  return result
}
