import type { Entry, Exchange, Fault } from '../history'
import { replayEnds, revocationEnds } from './ended-grants'
import { isSuccess, redeems } from './exchanges'
import type { Finding } from './finding'
import { GrantHistory, type Terms } from './grant-history'
import { groupBy } from './group-by'
import { mixedUp } from './mixed-up'
import { oneSuccessor } from './one-successor'
import { ownerRefused } from './owner-refused'
import { Processes } from './processes'
import { serverFaults } from './server-faults'

/** The verdict on one run. */
export interface Verdict {
  histories: number
  requests: number
  /** Refreshes that were answered 200, and those among them that gave another refresh token. */
  refreshed: number
  rotated: number
  /** Answers with 503. */
  unavailable: number
  violations: Finding[]
  /** Findings that the docs admit. */
  admitted: Finding[]
}

const rulesOfAGrant = [oneSuccessor, ownerRefused, replayEnds, revocationEnds]

/** Decides from the history alone whether the library kept all its promises. */
export function check(entries: readonly Entry[], terms: Terms): Verdict {
  const exchanges = entries.filter((entry): entry is Exchange => entry.kind === 'exchange')
  const faults = entries.filter((entry): entry is Fault => entry.kind === 'fault')
  const processes = new Processes(entries)
  const lost = faults.flatMap((fault) => fault.lost ?? [])
  const grants = [...groupBy(exchanges, ({ grant }) => grant)].map(
    ([grant, own]) => new GrantHistory(grant, own, terms, lost, processes),
  )
  const found = [
    ...grants.flatMap((grant) => rulesOfAGrant.flatMap((rule) => rule(grant))),
    ...mixedUp(exchanges),
    ...serverFaults(entries),
  ]
  return {
    histories: exchanges.filter((one) => one.by === 'owner' && isSuccess(one) && one.act === 'redeem-code').length,
    requests: exchanges.length,
    refreshed: exchanges.filter((one) => one.act === 'refresh' && isSuccess(one)).length,
    rotated: exchanges.filter((one) => one.act === 'refresh' && redeems(one)).length,
    unavailable: exchanges.filter(({ answer }) => answer === 503).length,
    violations: found.filter(({ admitted }) => admitted === undefined),
    admitted: found.filter(({ admitted }) => admitted !== undefined),
  }
}
