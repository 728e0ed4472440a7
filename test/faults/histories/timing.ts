/** A time that ends. Waits on it end with it. */
export class Timing {
  isOver = false
  readonly #waiting = new Set<() => void>()

  /** Waits this long, but not beyond the end. */
  sleep(ms: number): Promise<void> {
    if (this.isOver) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = Number.isFinite(ms) ? setTimeout(done, ms) : undefined
      this.#waiting.add(done)
    })
  }

  end(): void {
    this.isOver = true
    for (const done of this.#waiting) done()
  }
}
