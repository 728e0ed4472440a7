import type { Act, Exchange, Fault } from '../history'
import { isOpen, isRedemption, isSuccess, redeems } from './exchanges'
import { groupBy } from './group-by'
import type { Processes } from './processes'

/** What the hosts promise in a run. Times are seconds. */
export interface Terms {
  /** `refreshRetryWindow` */
  window: number
  /** `replayTolerance` */
  tolerance: number
  /** How far the clock of each host is ahead. */
  clocks: readonly number[]
  /** How far the clock of the store is set forward or back at most. */
  storeClockJumps: number
}

/** How far apart, in seconds, the clocks of two hosts can be before one refuses an access token of the other. */
const apartAtMost = 3500

/** For how many seconds a code gets its first refresh token again, where there is a window. */
const codeWindow = 10

/** For how many seconds a used refresh token is answered that is bound to a key, where there is a window. */
const boundWindow = 86_400

/** How many redemptions a grant remembers. */
const remembered = 16

/** The history of one grant, and conclusions about each of its credentials. */
export class GrantHistory {
  readonly grant: number
  /** In the order in which they begin. */
  readonly exchanges: readonly Exchange[]
  readonly terms: Terms
  readonly processes: Processes
  /** The tolerance on each promised time, in milliseconds. */
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

  /** The latest time at which a credential can have been redeemed. */
  redeemedBy(credential: string | undefined): number {
    return Math.min(
      ...this.presentations(credential)
        .filter(redeems)
        .map(({ ended }) => ended),
    )
  }

  /**
   * The same if a process may reverse redemptions that it has not answered. After a reversal, the credential is live again, although another
   * process has answered its repeat meanwhile. It stays live until its successor is redeemed.
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
   * The earliest time at which a credential can have been redeemed, seen from another presentation of it. A presentation that got 503 does not
   * count by itself, but another process can have answered because of it.
   */
  mayBeRedeemedFrom(seen: Exchange): number {
    const earlier = this.earlier(seen).filter((one) => redeems(one) || isOpen(one))
    if (!earlier.some(({ answer }) => answer !== 503)) return Number.POSITIVE_INFINITY
    return Math.min(...earlier.map(({ begun }) => begun))
  }

  /** The other presentations of the same credential that began before. */
  earlier(seen: Exchange): Exchange[] {
    return this.presentations(seen.presented).filter((one) => one !== seen && one.begun < seen.ended)
  }

  /** The maximum age of a repeat, in milliseconds; negative if the credential was not redeemed before. */
  greatestAge(repeat: Exchange): number {
    return repeat.ended - this.mayBeRedeemedFrom(repeat)
  }

  /** The minimum age of a repeat, in milliseconds. */
  leastAge(repeat: Exchange): number {
    return repeat.begun - this.redeemedForGoodBy(repeat.presented)
  }

  /** Whether its refresh tokens are bound to a key. */
  get isBound(): boolean {
    return this.exchanges.some(({ bound }) => bound)
  }

  /** For how long a repeat of this kind gets tokens, in milliseconds. */
  windowOf(act: Act): number {
    const window = this.isBound && act === 'refresh' && this.terms.window > 0 ? boundWindow : this.terms.window
    return Math.min(window, act === 'redeem-code' ? codeWindow : Number.POSITIVE_INFINITY) * 1000
  }

  /** The age from which on a repeat ends the grant, in milliseconds. */
  endsFrom({ act }: Exchange): number {
    const { window, tolerance } = this.terms
    return (act === 'redeem-code' ? tolerance : Math.max(window, tolerance)) * 1000
  }

  /** Whether a request can rightly have ended the grant: a revocation, or a replay of a credential that is old enough or forgotten. */
  mayEnd(exchange: Exchange): boolean {
    if (exchange.forged || isSuccess(exchange)) return exchange.act === 'revoke' && !exchange.forged
    if (exchange.act === 'revoke') return true
    if (!isRedemption(exchange.act) || this.greatestAge(exchange) < 0) return false
    if (this.isBound && exchange.act === 'refresh') return false
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
