import { MemoryTokenStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { releaseClock, stopClock } from '../../support/clock'
import { brokenClocks } from './broken-clocks'
import { brokenErasures } from './broken-erasures'
import { brokenGrants } from './broken-grants'
import { brokenMarks } from './broken-marks'
import { brokenPages } from './broken-pages'
import { brokenReversals } from './broken-reversals'
import { brokenStore, storeWithItsOwnClock } from './broken-store'
import { brokenSwaps } from './broken-swaps'
import { brokenTenants } from './broken-tenants'
import { brokenUses } from './broken-uses'
import { runContract } from './run-contract'

// A broken store hides nothing. It adds to the contents of the sound one.
const inMemory = { contents: (store: TokenStore) => (store as MemoryTokenStore).contents() }

// Small groups, of which no defect is the matter of both.
const others = ['a grant without a credential', 'what may be used once']

describe('the token store contract', () => {
  let clockwork: NodeJS.Timeout

  // Time runs a hundred times as fast, because some of these stores never answer.
  beforeAll(() => {
    const clock = stopClock()
    clockwork = setInterval(() => clock.advance(0.1), 1)
  })
  afterAll(() => {
    clearInterval(clockwork)
    releaseClock()
  })

  it('finds no fault with a sound store', async () => {
    const { passed, failed } = await runContract(() => new MemoryTokenStore(), inMemory)
    expect(failed).toEqual([])
    expect(passed.length).toBeGreaterThan(25)
  })

  it('finds no fault with a store that has its own clock', async () => {
    const { failed } = await runContract(storeWithItsOwnClock, inMemory)
    expect(failed).toEqual([])
  })

  it.each([
    ...brokenGrants,
    ...brokenPages,
    ...brokenClocks,
    ...brokenSwaps,
    ...brokenReversals,
    ...brokenUses,
    ...brokenErasures,
    ...brokenTenants,
    ...brokenMarks,
  ])('finds a store that $that', async ({ defect, foundBy }) => {
    const { passed, failed } = await runContract(() => brokenStore(defect), {
      ...inMemory,
      around: [foundBy, ...others],
    })
    expect(failed).toContainEqual(expect.stringContaining(foundBy))
    // A store that is broken in one way must not fail every test.
    expect(passed).not.toEqual([])
  })
})

describe('the token store contract, as a test runner lists it,', () => {
  it('has groups that say what they are about', () => {
    const groups: string[] = []
    const describe = (name: string, define: () => void) => {
      groups.push(name)
      define()
    }
    tokenStoreContract({ describe, it: () => {} }, () => new MemoryTokenStore(), inMemory)
    expect(groups).toEqual([
      'createGrant, findGrant and deleteGrant',
      'a grant without a credential',
      'the clock of the store',
      'tenants',
      'listGrants',
      'swapCredential',
      'the rest of a refresh token that is new',
      'what a grant remembers',
      'reverseSwap',
      'what may be used once',
      'deleteGrants',
      'a grant that rests on an assertion',
      'what is left in the store',
    ])
  })
})

describe('the token store contract, at the usual pace', () => {
  const aroundMemory = { around: ['is no credential that was redeemed longer ago'] }

  it('finds no fault with a sound store', async () => {
    expect((await runContract(() => new MemoryTokenStore(), aroundMemory)).failed).toEqual([])
  })

  it('finds a store that forgets what was redeemed in half the time', async () => {
    const store = new MemoryTokenStore()
    const swapCredential: TokenStore['swapCredential'] = (swap) =>
      MemoryTokenStore.prototype.swapCredential.call(store, { ...swap, remember: swap.remember / 2 })
    const { failed } = await runContract(() => Object.assign(store, { swapCredential }), aroundMemory)
    expect(failed).toContainEqual(expect.stringContaining('spans 16 times as long'))
  })
})
