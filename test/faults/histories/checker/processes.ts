import type { Entry, Exchange } from '../history'
import { isOpen, isRedemption, redeems } from './exchanges'
import { groupBy } from './group-by'

/** How long, in milliseconds, a process may take to reverse a redemption that it has not answered, once the store answers again. */
const takingBack = 8000

/** What the history says about the processes behind the hosts. */
export class Processes {
  readonly #redemptions: ReadonlyMap<number, readonly Exchange[]>
  readonly #killed: readonly { host: number; at: number }[]

  constructor(entries: readonly Entry[]) {
    const redemptions = entries.filter(
      (entry): entry is Exchange => entry.kind === 'exchange' && isRedemption(entry.act) && !entry.forged,
    )
    this.#redemptions = groupBy(redemptions, ({ host }) => host)
    this.#killed = entries.flatMap((entry) => (entry.kind === 'told' && entry.event === 'killed' ? [entry] : []))
  }

  /**
   * Whether a redemption that got 503 was reversed before another request ended: by that request itself, if it went to the same process, or
   * because that process had the store for long enough.
   */
  hasTakenBack({ host, ended: from }: Exchange, { host: cameTo, begun: until }: Exchange): boolean {
    if (this.#killed.some((one) => one.host === host && one.at > from - takingBack && one.at < until)) return false
    if (host === cameTo) return true
    const since = (this.#redemptions.get(host) ?? []).filter((one) => one.ended >= from && one.begun < until)
    const brokenUntil = Math.max(...since.filter(isOpen).map(({ ended }) => ended))
    return since.some((one) => redeems(one) && one.ended >= brokenUntil && one.ended < until - takingBack)
  }
}
