import { MemoryTokenStore, type TokenStore } from 'customer-sign-in'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { releaseClock, stopClock } from '../support/clock'
import { brokenClients } from './broken-clients'
import { brokenClocks } from './broken-clocks'
import { brokenErasures } from './broken-erasures'
import { brokenGrants } from './broken-grants'
import { brokenReversals } from './broken-reversals'
import { brokenStore, storeWithItsOwnClock } from './broken-store'
import { brokenSwaps } from './broken-swaps'

/** Runs the contract as a test runner does, and gives the names of the tests by whether they passed. */
async function runContract(createStore: () => TokenStore): Promise<{ passed: string[]; failed: string[] }> {
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
    // A broken store hides nothing: it adds to what the sound one below it holds.
    { contents: (store) => (store as MemoryTokenStore).contents() },
  )
  const result: { passed: string[]; failed: string[] } = { passed: [], failed: [] }
  for (const { name, run } of tests) {
    await run().then(
      () => result.passed.push(name),
      () => result.failed.push(name),
    )
  }
  return result
}

describe('the token store contract', () => {
  let clockwork: NodeJS.Timeout

  // Time runs a hundred times as fast, as some of these stores are waited for in vain.
  beforeAll(() => {
    const clock = stopClock()
    clockwork = setInterval(() => clock.advance(0.1), 1)
  })
  afterAll(() => {
    clearInterval(clockwork)
    releaseClock()
  })

  it('has nothing against a store that is sound', async () => {
    const { passed, failed } = await runContract(() => new MemoryTokenStore())
    expect(failed).toEqual([])
    expect(passed.length).toBeGreaterThan(25)
  })

  it('has nothing against a store with a clock of its own', async () => {
    const { failed } = await runContract(storeWithItsOwnClock)
    expect(failed).toEqual([])
  })

  it.each([...brokenGrants, ...brokenClocks, ...brokenSwaps, ...brokenReversals, ...brokenClients, ...brokenErasures])(
    'finds a store that $that',
    async ({ defect, foundBy }) => {
      const { passed, failed } = await runContract(() => brokenStore(defect))
      expect(failed).toContainEqual(expect.stringContaining(foundBy))
      // What is broken in one way must not look broken in all.
      expect(passed.length).toBeGreaterThan(failed.length)
    },
  )
})
