const kept = 5 * 60_000
const mostSteps = 10_000
const mostAttempts = 16

/** The name of the step that makes `to` the live credential of a grant. */
export function stepName(tenantId: string, grantId: string, to: string): string {
  return `${tenantId}:${grantId}:${to}`
}

interface Entry {
  attempts: readonly string[]
  takenAt: number | undefined
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
    const { attempts } = entry
    this.#entries.set(step, { ...entry, attempts: [], takenAt: Date.now() })
    return attempts
  }

  /**
   * When the attempts on a step were last taken up: not before then does the client have what the store may have applied long
   * before. 0 where there were none.
   */
  takenAt(step: string): number {
    return this.#find(step)?.takenAt ?? 0
  }

  keep(step: string, attempts: readonly string[]): void {
    const entry = this.#find(step)
    this.#entries.delete(step)
    this.#forgetOld()
    const all = [...new Set([...(entry?.attempts ?? []), ...attempts])].slice(-mostAttempts)
    this.#entries.set(step, { attempts: all, takenAt: entry?.takenAt, until: Date.now() + kept })
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
