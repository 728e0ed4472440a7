/** One pass over the tests of a loaded file. */
export interface Round {
  /** The mutant that is active, if any. */
  mutant?: string
  /** The full names of the tests to run; undefined for all. */
  tests?: ReadonlySet<string>
  /** Whether the tests after a failed one run too. */
  isComplete?: boolean
  /** The id under which the instrumented code counts what it reaches; without one, it counts for each test. */
  countsAs?: string
  /** How often the mutant may be reached before it counts as an endless loop. */
  hitLimit?: number
  /** The time limit of a test, in milliseconds. */
  timeLimit?: (test: string) => number
}

export interface Outcome {
  /** The full names of the tests that failed. Without `isComplete`, there is one at most. */
  failed: string[]
  message: string
  /** Whether the mutant was reached more often than its limit. */
  isEndless: boolean
  /** How long each test took, in milliseconds. */
  durations: Record<string, number>
}

/** How often each mutant was reached: while the file was loaded, and by the id of the test or hooks. */
export interface Reached {
  static: Record<string, number>
  perTest: Record<string, Record<string, number>>
}

/** What the worker tells the environment of the test file, which runs in the same process. */
export interface RunState {
  /** The mutant that is active from the beginning, while modules are loaded. */
  loadedWith: string | undefined
  rounds: Generator<Round, void, Outcome> | undefined
  onLoad: () => void
  onRound: () => void
  onTest: () => void
  reached: Reached
}

// Jest and Node.js load this module separately, and share only the global object.
const shared = globalThis as { mutationRun?: RunState }
shared.mutationRun ??= {
  loadedWith: undefined,
  rounds: undefined,
  onLoad: () => undefined,
  onRound: () => undefined,
  onTest: () => undefined,
  reached: { static: {}, perTest: {} },
}

export const runState: RunState = shared.mutationRun
