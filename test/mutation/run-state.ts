/** How often each mutant was reached in a test file: while it was loaded or set up, and by the full name of the test. */
export interface Reached {
  static: Record<string, number>
  perTest: Record<string, Record<string, number>>
}

/** What the test runner and the environment of the test files, in one process, tell each other. */
export interface RunState {
  /** How often code with the active mutant may be reached before it counts as a loop without end. */
  hitLimit: number | undefined
  /** Whether the active mutant was reached more often than that. */
  endless: boolean
  /** The tests to run, by their full names: all, where it is undefined. */
  only: ReadonlySet<string> | undefined
  /** By the path of the test file. */
  reached: Map<string, Reached>
}

// Jest and Stryker load modules each in their own way; the global object is all that they share.
const shared = globalThis as { mutationRun?: RunState }
shared.mutationRun ??= { hitLimit: undefined, endless: false, only: undefined, reached: new Map() }

export const runState: RunState = shared.mutationRun
