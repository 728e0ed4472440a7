import { TestEnvironment } from 'jest-environment-node'
import { type Outcome, type Reached, type Round, runState } from './run-state'

/** The global that code instrumented by Stryker reads and writes. */
interface Instrumented {
  activeMutant?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  currentTestId?: string | undefined
  mutantCoverage?: Reached
}

interface Test {
  type: 'test'
  name: string
  parent: Block
  errors: unknown[]
  mode?: string | undefined
  timeout?: number
  duration?: number | null
}

interface Block {
  type: 'describeBlock'
  name: string
  parent?: Block
  children: (Block | Test)[]
  hooks: { type: string }[]
}

/**
 * The Node environment, in which the tests of a file run many times: in rounds that the worker asks for, each with another mutant.
 *
 * A round runs all that a fresh run would, except that the modules have been loaded: the hooks, and the tests that were asked for, in their order.
 */
export default class MutationEnvironment extends TestEnvironment {
  readonly #instrumented: Instrumented = {}
  #tests: { test: Test; fullName: string; mode: string | undefined }[] = []
  #round: Round = {}
  #outcome: Outcome = noOutcome()

  constructor(...[config, context]: ConstructorParameters<typeof TestEnvironment>) {
    super(config, context)
    Object.assign(this.global, { __stryker__: this.#instrumented })
    this.#activate(runState.loadedWith)
  }

  /** Also in the processes that a test starts from now on. */
  #activate(mutant: string | undefined): void {
    this.#instrumented.activeMutant = mutant
    for (const { env } of [process, this.global.process]) env.__STRYKER_ACTIVE_MUTANT__ = mutant ?? ''
  }

  handleTestEvent(
    { name, test }: { name: string; test?: Test },
    { rootDescribeBlock: root }: { rootDescribeBlock: Block },
  ): void {
    if (name === 'run_start') {
      runState.onLoad()
      this.#runInRounds(root)
    }
    if (test && test.mode !== 'skip' && name === 'test_start') {
      const fullName = fullNameOf(test)
      runState.onTest()
      if (this.#round.timeLimit) test.timeout = this.#round.timeLimit(fullName)
      this.#instrumented.currentTestId = this.#round.countsAs ?? fullName
    }
    if (test && name === 'test_done') {
      this.#instrumented.currentTestId = this.#round.countsAs ?? 'hooks'
      this.#outcome.durations[fullNameOf(test)] = test.duration ?? 0
      if (test.errors.length > 0 && !this.#round.isComplete) this.#skipAll()
    }
  }

  /** Makes the run of the root block a run of its copies, one for each round. */
  #runInRounds(root: Block): void {
    this.#tests = testsIn(root).map((test) => ({ test, fullName: fullNameOf(test), mode: test.mode }))
    const { children, hooks } = root
    const copy = { ...root, parent: root, hooks: hooks.filter(isForAll) }
    root.hooks = hooks.filter((hook) => !isForAll(hook))
    root.children = Object.assign([...children], { [Symbol.iterator]: () => this.#rounds(copy) })
  }

  *#rounds(block: Block): Generator<Block, undefined> {
    for (let next = runState.rounds?.next(); next && !next.done; next = runState.rounds?.next(this.#outcome)) {
      this.#begin(next.value)
      yield block
      this.#end()
    }
    // Jest goes through the children once more for its own result.
    runState.rounds = undefined
    runState.reached = { static: {}, perTest: {}, ...this.#instrumented.mutantCoverage }
    return
  }

  #begin(round: Round): void {
    runState.onRound()
    this.#round = round
    this.#outcome = noOutcome()
    const { mutant, tests, hitLimit, countsAs = 'hooks' } = round
    const hitCount = hitLimit === undefined ? undefined : 0
    this.#activate(mutant)
    Object.assign(this.#instrumented, { hitCount, hitLimit, currentTestId: countsAs })
    for (const { test, fullName, mode } of this.#tests) {
      test.errors = []
      test.mode = !tests || tests.has(fullName) ? mode : 'skip'
    }
  }

  // Not when a test is done: Jest notices rejections that nobody handles after that.
  #end(): void {
    const failed = this.#tests.filter(({ test }) => test.errors.length > 0)
    const ran = failed.filter(({ fullName }) => this.#outcome.durations[fullName] !== undefined)
    const [first] = ran
    const { hitCount = 0, hitLimit = Number.POSITIVE_INFINITY } = this.#instrumented
    this.#outcome.failed = ran.map(({ fullName }) => fullName)
    this.#outcome.message = first ? messageOf(first.test.errors[0]) : ''
    this.#outcome.isEndless = hitCount > hitLimit
  }

  #skipAll(): void {
    for (const { test } of this.#tests) test.mode = 'skip'
  }
}

function noOutcome(): Outcome {
  return { failed: [], message: '', isEndless: false, durations: {} }
}

function isForAll({ type }: { type: string }): boolean {
  return type.endsWith('All')
}

function testsIn({ children }: Block): Test[] {
  return children.flatMap((child) => (child.type === 'test' ? [child] : testsIn(child)))
}

function fullNameOf({ name, parent }: { name: string; parent?: Block }): string {
  return parent?.parent ? `${fullNameOf(parent)} › ${name}` : name
}

function messageOf(error: unknown): string {
  const thrown: unknown = Array.isArray(error) ? (error[0] ?? error[1]) : error
  return String((thrown as Error | undefined)?.message ?? thrown).slice(0, 500)
}
