import type { Attributes, Meter, MetricOptions, ObservableResult } from '@opentelemetry/api'

/** A counter that costs little to add to: OpenTelemetry asks for the counts only when it exports them. */
export class Tally {
  readonly #counts = new Map<string, { attributes: Attributes; count: number }>()
  readonly #stop: () => void

  constructor(meter: Meter, name: string, options: MetricOptions) {
    const counter = meter.createObservableCounter(name, options)
    const observe = (result: ObservableResult) => {
      for (const { count, attributes } of this.#counts.values()) result.observe(count, attributes)
    }
    counter.addCallback(observe)
    this.#stop = () => counter.removeCallback(observe)
  }

  /**
   * Counts one more of a kind.
   *
   * @param values The values of the attributes, in the order of `names`. Undefined stands for none.
   */
  add(names: readonly string[], values: readonly (string | undefined)[], count = 1): void {
    const key = values.join('\n')
    const known = this.#counts.get(key)
    if (known) known.count += count
    else this.#counts.set(key, { attributes: attributesOf(names, values), count })
  }

  stop(): void {
    this.#stop()
  }
}

function attributesOf(names: readonly string[], values: readonly (string | undefined)[]): Attributes {
  const pairs = names.map((name, index): [string, string | undefined] => [name, values[index]])
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}
