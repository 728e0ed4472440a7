const kept = 5 * 60_000
const mostCredentials = 10_000
const mostAttempts = 16

/**
 * The attempts of this process whose outcome the store never told, each under the credential that it was to redeem.
 *
 * When the client comes again after its 503, the attempt is taken up: should the store have applied it after all, the
 * client receives its tokens instead of being told that its credential is used up.
 */
export class UndecidedAttempts {
  readonly #attempts = new Map<string, { names: string[]; until: number }>()

  /** Hands out the attempts on a credential, to one caller: two could both succeed with the same one. */
  take(credential: string): string[] {
    const found = this.#attempts.get(credential)
    this.#attempts.delete(credential)
    return found && found.until > Date.now() ? found.names : []
  }

  keep(credential: string, names: readonly string[]): void {
    this.#forgetOld()
    const all = [...new Set([...this.take(credential), ...names])].slice(-mostAttempts)
    this.#attempts.set(credential, { names: all, until: Date.now() + kept })
  }

  // The map is in the order of its expiries, as every entry is kept equally long from when it was last set.
  #forgetOld(): void {
    for (const [credential, { until }] of this.#attempts) {
      if (until > Date.now() && this.#attempts.size < mostCredentials) return
      this.#attempts.delete(credential)
    }
  }
}
