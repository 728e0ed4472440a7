const kept = 5 * 60_000
const mostSteps = 10_000
const mostAttempts = 16

/** The name of the step that makes `to` the live credential of a grant. */
export function stepName(tenantId: string, grantId: string, to: string): string {
  return `${tenantId}:${grantId}:${to}`
}

interface Entry {
  attempts: readonly string[]
  /** Those that have been handed out, and when last. */
  taken: readonly string[]
  takenAt: number
  until: number
}

/**
 * The attempts of this process whose outcome the store never told, each under the step that it was to take: the credential that
 * was to become the live one.
 *
 * When the client comes again after its 503, the attempts are taken up: should the store have applied one after all, the client
 * receives its tokens instead of being told that its credential is used up.
 */
export class UndecidedAttempts {
  readonly #entries = new Map<string, Entry>()

  /** Hands out the attempts on a step, to one caller: two could both succeed with the same one. */
  take(step: string): readonly string[] {
    const entry = this.#find(step)
    if (!entry) return []
    const { attempts, taken, until } = entry
    this.#entries.set(step, { attempts: [], taken: [...taken, ...attempts], takenAt: Date.now(), until })
    return attempts
  }

  /**
   * When an attempt was last taken up, 0 where it was not: not before then does the client have what the store applied long before.
   */
  takenAt(step: string, attempt: string): number {
    const entry = this.#find(step)
    return entry?.taken.includes(attempt) ? entry.takenAt : 0
  }

  keep(step: string, attempts: readonly string[]): void {
    const entry = this.#find(step)
    this.#entries.delete(step)
    this.#forgetOld()
    const { taken = [], takenAt = 0 } = entry ?? {}
    const all = [...new Set([...(entry?.attempts ?? []), ...attempts])].slice(-mostAttempts)
    this.#entries.set(step, { attempts: all, taken: taken.slice(-mostAttempts), takenAt, until: Date.now() + kept })
  }

  #find(step: string): Entry | undefined {
    const entry = this.#entries.get(step)
    return entry && entry.until > Date.now() ? entry : undefined
  }

  // The map is in the order of its expiries, as every entry is kept equally long from when it was last kept.
  #forgetOld(): void {
    for (const [step, { until }] of this.#entries) {
      if (until > Date.now() && this.#entries.size < mostSteps) return
      this.#entries.delete(step)
    }
  }
}
