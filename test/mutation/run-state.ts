/** How often each mutant was reached in a test file: while it was loaded or set up, and by the full name of the test. */
export interface Reached {
  static: Record<string, number>
  perTest: Record<string, Record<string, number>>
}

/** The messages between the test runner and the environment of the test files, which run in one process. */
export interface RunState {
  /** How often the active mutant may be reached before it counts as an endless loop. */
  hitLimit: number | undefined
  /** Whether the active mutant was reached more often than that. */
  endless: boolean
  /** The full names of the tests to run; undefined for all. */
  only: ReadonlySet<string> | undefined
  /** By the path of the test file. */
  reached: Map<string, Reached>
}

// Jest and Stryker load modules separately, and share only the global object.
const shared = globalThis as { mutationRun?: RunState }
shared.mutationRun ??= { hitLimit: undefined, endless: false, only: undefined, reached: new Map() }

export const runState: RunState = shared.mutationRun
