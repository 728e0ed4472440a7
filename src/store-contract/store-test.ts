import type { TokenStore } from '../contract/token-store'

/** The test functions of jest, vitest, mocha or `node:test`. */
export interface TestRunner {
  /** Groups the tests that `define` defines. */
  describe(name: string, define: () => void): unknown
  /** Defines a test, which fails by rejecting. */
  it(name: string, test: () => Promise<void>): unknown
}

/** How a part of the contract defines its tests. Each test gets a store, and a function that returns everything in it as text. */
export interface StoreTest extends Pick<TestRunner, 'describe'> {
  test(name: string, run: (store: TokenStore, contents: () => Promise<string>) => Promise<void>): void
}
