import type { Exchange } from '../history'
import { isOpen, isRedemption, isSuccess, redeems } from './exchanges'
import { type Finding, finding } from './finding'
import type { GrantHistory } from './grant-history'

/** Rule (c): a late replay ends the grant, and a grant that has ended never comes back. */
export function replayEnds(history: GrantHistory): Finding[] {
  const replay = first(history.exchanges.filter((one) => mustEnd(one, history)))
  const refusal = first(history.exchanges.filter((one) => showsTheEnd(one, history)))
  return [
    ...worksAfter(replay, 'c', 'a replay did not end the grant', history),
    ...worksAfter(refusal, 'c', 'the grant had ended and came back', history),
  ].slice(0, 1)
}

/** Rule (d): nothing works after a revocation that was acknowledged. */
export function revocationEnds(history: GrantHistory): Finding[] {
  const revoked = first(history.exchanges.filter((one) => one.act === 'revoke' && !one.forged && isSuccess(one)))
  return worksAfter(revoked, 'd', `the grant was revoked (${revoked?.way ?? 'by its client'})`, history)
}

/** The exchange that ended first. */
function first(ending: readonly Exchange[]): Exchange | undefined {
  return ending.toSorted((one, other) => one.ended - other.ended)[0]
}

function mustEnd(exchange: Exchange, history: GrantHistory): boolean {
  if (!isRedemption(exchange.act) || exchange.forged || !isInvalidGrant(exchange)) return false
  if (history.isBound && exchange.act === 'refresh') return false
  const age = history.leastAge(exchange)
  return Number.isFinite(age) && age > history.endsFrom(exchange) + history.slack
}

/** Whether the owner learned the end: from the API, or by a refusal of the newest credential, which nobody can have redeemed. */
function showsTheEnd(exchange: Exchange, history: GrantHistory): boolean {
  if (exchange.by === 'owner' && exchange.act === 'api') return exchange.answer === 401 && !history.clocksAreApart
  if (exchange.by !== 'owner' || exchange.act !== 'refresh' || !isInvalidGrant(exchange)) return false
  return !history.presentations(exchange.presented).some((one) => redeems(one) || isOpen(one))
}

function isInvalidGrant({ answer, error = '' }: Exchange): boolean {
  return answer === 400 && error.startsWith('invalid_grant')
}

function worksAfter(ending: Exchange | undefined, rule: 'c' | 'd', what: string, history: GrantHistory): Finding[] {
  if (!ending) return []
  const works = history.exchanges.find(
    (one) => (isRedemption(one.act) || one.act === 'api') && isSuccess(one) && one.begun > ending.ended,
  )
  if (!works) return []
  const isLost = history.isLost.bind(history)
  return [finding(rule, `${what}: ${works.act} works`, [ending, works], { exchanges: [ending], isLost })]
}
