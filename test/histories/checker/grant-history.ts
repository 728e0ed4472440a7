import type { Exchange, Fault } from '../history'
import { isOpen, isRedemption, isSuccess, redeems } from './exchanges'
import { groupBy } from './group-by'
import type { Processes } from './processes'

/** What the hosts promise in a run. Times are seconds. */
export interface Terms {
  /** `refreshRetryWindow` */
  window: number
  /** `replayTolerance` */
  tolerance: number
  /** By how much the clock of each host is ahead. */
  clocks: readonly number[]
  /** By how much the clock of the store is set forth or back at the most. */
  storeClockJumps: number
}

/** So far apart, in seconds, two hosts can be before an access token of one is none for the other. */
const apartAtMost = 3500

/** How many redemptions a grant remembers. */
const remembered = 16

/** The history of one grant, with what can be concluded from it about each of its credentials. */
export class GrantHistory {
  readonly grant: number
  /** By their begin. */
  readonly exchanges: readonly Exchange[]
  readonly terms: Terms
  readonly processes: Processes
  /** What is allowed on top of each promised time, in milliseconds. */
  readonly slack: number
  readonly #lost: readonly NonNullable<Fault['lost']>[]
  readonly #presentations: ReadonlyMap<string, readonly Exchange[]>

  constructor(
    grant: number,
    exchanges: readonly Exchange[],
    terms: Terms,
    lost: readonly NonNullable<Fault['lost']>[],
    processes: Processes,
  ) {
    this.grant = grant
    this.exchanges = exchanges.toSorted((one, other) => one.begun - other.begun)
    this.terms = terms
    this.#lost = lost
    this.processes = processes
    this.slack = (1 + terms.storeClockJumps) * 1000
    const redemptions = this.exchanges.filter(({ act, forged }) => isRedemption(act) && !forged)
    this.#presentations = groupBy(redemptions, ({ presented }) => presented ?? '')
  }

  /** The codes and refresh tokens that were presented. */
  get credentials(): string[] {
    return [...this.#presentations.keys()]
  }

  get clocksAreApart(): boolean {
    const { clocks } = this.terms
    return Math.max(...clocks) - Math.min(...clocks) > apartAtMost
  }

  presentations(credential: string | undefined): readonly Exchange[] {
    return this.#presentations.get(credential ?? '') ?? []
  }

  /** When a credential had been redeemed at the latest. */
  redeemedBy(credential: string | undefined): number {
    return Math.min(
      ...this.presentations(credential)
        .filter(redeems)
        .map(({ ended }) => ended),
    )
  }

  /**
   * The same, however often a process takes back what it has not answered: then the credential is live again, although another process has
   * answered its repeat meanwhile. It is until the one that came of it is redeemed.
   */
  redeemedForGoodBy(credential: string | undefined): number {
    let earliest = Number.POSITIVE_INFINITY
    const reached = new Set([credential])
    for (const one of reached) {
      const by = this.redeemedBy(one)
      const presentations = this.presentations(one)
      if (!presentations.some((attempt) => isOpen(attempt) && attempt.begun < by)) earliest = Math.min(earliest, by)
      else for (const { gave } of presentations.filter(redeems)) reached.add(gave?.credential)
    }
    return earliest
  }

  /**
   * When a credential can have been redeemed at the earliest, seen from another presentation of it. What was answered 503 alone is not; but
   * it can be what another process has answered by.
   */
  mayBeRedeemedFrom(seen: Exchange): number {
    const earlier = this.earlier(seen).filter((one) => redeems(one) || isOpen(one))
    if (!earlier.some(({ answer }) => answer !== 503)) return Number.POSITIVE_INFINITY
    return Math.min(...earlier.map(({ begun }) => begun))
  }

  /** The other presentations of the same credential that had begun before. */
  earlier(seen: Exchange): Exchange[] {
    return this.presentations(seen.presented).filter((one) => one !== seen && one.begun < seen.ended)
  }

  /** How old, in milliseconds, a repeat can be at the most; negative where the credential was not redeemed before. */
  greatestAge(repeat: Exchange): number {
    return repeat.ended - this.mayBeRedeemedFrom(repeat)
  }

  /** How old a repeat is at the least. */
  leastAge(repeat: Exchange): number {
    return repeat.begun - this.redeemedForGoodBy(repeat.presented)
  }

  /** From which age on a repeat ends the grant, in milliseconds. */
  endsFrom({ act }: Exchange): number {
    const { window, tolerance } = this.terms
    return (act === 'redeem-code' ? tolerance : Math.max(window, tolerance)) * 1000
  }

  /** Whether a request can rightly have ended the grant: a revocation, or a replay that is late enough or forgotten. */
  mayEnd(exchange: Exchange): boolean {
    if (exchange.forged || isSuccess(exchange)) return exchange.act === 'revoke' && !exchange.forged
    if (exchange.act === 'revoke') return true
    if (!isRedemption(exchange.act) || this.greatestAge(exchange) < 0) return false
    return this.greatestAge(exchange) + this.slack >= this.endsFrom(exchange) || this.#mayBeForgotten(exchange)
  }

  /** Whether the grant can rightly have ended before an exchange was answered. */
  mayHaveEndedBefore(exchange: Exchange): boolean {
    return this.exchanges.some((one) => one !== exchange && one.begun < exchange.ended && this.mayEnd(one))
  }

  /** Whether an exchange wrote something that a nemesis has lost. */
  isLost({ begun, ended }: Exchange): boolean {
    return this.#lost.some(({ from, to }) => begun < to && ended > from)
  }

  #mayBeForgotten(repeat: Exchange): boolean {
    const from = this.mayBeRedeemedFrom(repeat)
    const since = this.exchanges.filter(
      (one) => isRedemption(one.act) && (redeems(one) || isOpen(one)) && one.ended > from && one.begun < repeat.ended,
    )
    return new Set(since.map(({ presented }) => presented)).size >= remembered
  }
}
