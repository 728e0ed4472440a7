import { findings } from './findings'
import { printable, type Secrets } from './printable'
import {
  Fault,
  type Finding,
  Notes,
  type Report,
  type Seen,
  Skipped,
  type Step,
  type StepName,
  stepTitles,
} from './report'

/** What a step has found out for those after it. No value if it failed or was skipped. */
export interface Outcome<Value> {
  step: StepName
  value?: Value | undefined
}

type ValuesOf<Before extends readonly Outcome<unknown>[]> = {
  [Index in keyof Before]: Before[Index] extends Outcome<infer Value> ? Value : never
}

/** Goes from step to step, and writes down what became of each. */
export class Walk {
  readonly #steps: Step[] = []
  readonly #secrets: Secrets
  readonly #onStep: (step: Step) => void

  /** @param onStep Is told of each step as soon as it is over. */
  constructor(secrets: Secrets, onStep: (step: Step) => void) {
    this.#secrets = secrets
    this.#onStep = onStep
  }

  /**
   * Takes a step, if those that it needs have led somewhere. What it throws becomes its last finding.
   *
   * @param before The outcomes that it needs.
   */
  async step<Before extends readonly Outcome<unknown>[], Value>(
    name: StepName,
    before: readonly [...Before],
    take: (notes: Notes, ...values: ValuesOf<Before>) => Promise<Value>,
  ): Promise<Outcome<Value>> {
    const notes = new Notes()
    const missing = before.find((outcome) => !('value' in outcome))
    if (missing) {
      notes.note(`Skipped, because it needs the result of the step “${missing.step}”`)
      return this.#over(name, notes, true)
    }
    try {
      const values = before.map(({ value }) => value) as ValuesOf<Before>
      const value = await take(notes, ...values)
      return { ...this.#over(name, notes), value }
    } catch (thrown) {
      if (thrown instanceof Fault) notes.seen.push(thrown.seen)
      else if (thrown instanceof Skipped) notes.note(`Skipped: ${thrown.message}`)
      else throw thrown
      return this.#over(name, notes, thrown instanceof Skipped)
    }
  }

  report(address: string): Report {
    const good = this.#steps.every(({ status }) => status !== 'wrong')
    return { version: 1, address, good, steps: this.#steps }
  }

  #over(name: StepName, { seen, texts }: Notes, isSkipped = false): { step: StepName } {
    const found = withoutRepeats(seen.map((each) => this.#inWords(each)))
    const levels = found.map(({ level }) => level)
    const worst = levels.includes('wrong') ? 'wrong' : levels[0]
    const status = worst ?? (isSkipped ? 'skipped' : 'good')
    const notes = texts.map((text) => this.#shown(text))
    const step: Step = { step: name, title: stepTitles[name], status, findings: found, notes }
    this.#steps.push(step)
    this.#onStep(step)
    return { step: name }
  }

  #inWords({ code, values }: Seen): Finding {
    const { level, says, remedy } = findings[code]
    const filled = (text: string) =>
      text
        .replace(/\{(\w+)\}/g, (_, name: string) => this.#shown(values[name] ?? ''))
        .replace(/ {2,}/g, ' ')
        .replace(/[ .]+$/, '')
    return { code, level, says: filled(says), remedy: filled(remedy) }
  }

  // Secrets first: one that has been cut could not be recognised.
  #shown(text: string): string {
    return printable(this.#secrets.hide(text))
  }
}

function withoutRepeats(found: Finding[]): Finding[] {
  return found.filter(({ says }, index) => found.findIndex((other) => other.says === says) === index)
}
