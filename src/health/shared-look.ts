/** What a look has found: that it works, that it fails, or nothing yet. */
export interface Finding {
  outcome: 'works' | 'fails' | 'waiting'
  /** How long the look took, or has taken until now. */
  milliseconds: number
}

/** Looks whether something works. However many ask, it is looked at once at a time. */
export class SharedLook {
  readonly #work: () => Promise<unknown>
  readonly #tell: (error: unknown) => void
  #underWay: { startedAt: number; ended: Promise<Finding> } | undefined
  #hasWorked = false

  /**
   * @param work Rejects if it does not work. It must settle some time.
   * @param tell Is told what it has rejected with.
   */
  constructor(work: () => Promise<unknown>, tell: (error: unknown) => void) {
    this.#work = work
    this.#tell = tell
  }

  /** Whether a look has ever found that it works. */
  get hasWorked(): boolean {
    return this.#hasWorked
  }

  /** Looks, or joins the look that is under way, and waits for at most `timeout` milliseconds. The look then goes on. */
  async look(timeout: number): Promise<Finding> {
    this.#underWay ??= this.#begin()
    const { startedAt, ended } = this.#underWay
    const waiting = (): Finding => ({ outcome: 'waiting', milliseconds: since(startedAt) })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Finding>((resolve) => {
      timer = setTimeout(() => resolve(waiting()), timeout)
    })
    return Promise.race([ended, late]).finally(() => clearTimeout(timer))
  }

  #begin(): { startedAt: number; ended: Promise<Finding> } {
    const startedAt = performance.now()
    return { startedAt, ended: this.#finding(startedAt) }
  }

  async #finding(startedAt: number): Promise<Finding> {
    try {
      await this.#work()
      this.#hasWorked = true
      return { outcome: 'works', milliseconds: since(startedAt) }
    } catch (error) {
      this.#tell(error)
      return { outcome: 'fails', milliseconds: since(startedAt) }
    } finally {
      this.#underWay = undefined
    }
  }
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}
