import { TestEnvironment } from 'jest-environment-node'
import { type Reached, runState } from './run-state'

/** The global that code instrumented by Stryker reads and writes. */
interface Instrumented {
  hitCount?: number
  hitLimit?: number
  currentTestId?: string
  mutantCoverage?: Reached
}

interface Test {
  name: string
  parent: { name: string; parent?: Test['parent'] }
  errors: unknown[]
  mode?: string
}

/** The Node environment, in which a file ends at its first failing test and reports which mutants each of its tests has reached. */
export default class MutationEnvironment extends TestEnvironment {
  readonly #instrumented: Instrumented = {}
  readonly #testPath: string
  #failed = false

  constructor(...[config, context]: ConstructorParameters<typeof TestEnvironment>) {
    super(config, context)
    this.#testPath = context.testPath
    const { hitLimit } = runState
    if (hitLimit !== undefined) Object.assign(this.#instrumented, { hitCount: 0, hitLimit })
    Object.assign(this.global, { __stryker__: this.#instrumented })
  }

  handleTestEvent({ name, test }: { name: string; test?: Test }): void {
    if (test && name === 'test_start') {
      const fullName = fullNameOf(test)
      this.#instrumented.currentTestId = fullName
      if (this.#failed || runState.only?.has(fullName) === false) test.mode = 'skip'
    }
    if (test && name === 'test_done') {
      delete this.#instrumented.currentTestId
      if (test.errors.length > 0) this.#failed = true
    }
  }

  override async teardown(): Promise<void> {
    const { hitCount = 0, hitLimit = Number.POSITIVE_INFINITY, mutantCoverage } = this.#instrumented
    runState.endless = hitCount > hitLimit
    runState.reached.set(this.#testPath, {
      static: { ...mutantCoverage?.static },
      perTest: { ...mutantCoverage?.perTest },
    })
    await super.teardown()
  }
}

function fullNameOf({ name, parent }: Pick<Test, 'name' | 'parent'>): string {
  return parent.parent ? `${fullNameOf({ name: parent.name, parent: parent.parent })} › ${name}` : name
}
