import type { Exchange } from '../history'
import { isRedemption, isRefusal, isSuccess, redeems } from './exchanges'
import { type Finding, finding } from './finding'
import type { GrantHistory } from './grant-history'

/** Rule (b): an owner who behaves correctly gets 503 at worst. */
export function ownerRefused(history: GrantHistory): Finding[] {
  for (const refused of history.exchanges) {
    if (refused.by !== 'owner' || !isRefusal(refused) || serverFailed(refused)) continue
    if (history.mayHaveEndedBefore(refused) || wasAnswered(refused, history)) continue
    const admitted = admission(refused, history)
    const why = `the owner was refused: ${refused.act}, ${refused.answer} ${refused.error ?? ''}`.trim()
    const found = finding('b', why, shown(refused, history), writesBefore(refused, history))
    return [{ ...found, ...(admitted !== undefined && { admitted }) }]
  }
  return []
}

function serverFailed({ answer }: Exchange): boolean {
  return Number(answer) >= 500
}

/** A repeat after the window, of a credential for which its owner has the tokens already. */
function wasAnswered(refused: Exchange, history: GrantHistory): boolean {
  const answered = others(refused, history).some((one) => one.by === 'owner' && redeems(one))
  return answered && mayBeBeyondTheWindow(refused, history)
}

function admission(refused: Exchange, history: GrantHistory): string | undefined {
  if (isRedemption(refused.act) && mayBeBeyondTheWindow(refused, history)) {
    return refused.act === 'redeem-code' ? 'the answer to a code was lost' : 'the owner came after the window'
  }
  if (isRedemption(refused.act) && mayNotBeTakenBackYet(refused, history)) {
    return 'a process had not yet taken back what it answered with 503'
  }
  if (isOneOfSeveral(refused, history)) return 'of several requests at once, another one had been redeemed'
  return refused.act === 'api' && history.clocksAreApart ? "the hosts' clocks are far apart" : undefined
}

function mayBeBeyondTheWindow(refused: Exchange, history: GrantHistory): boolean {
  const age = history.greatestAge(refused)
  return age >= 0 && age + history.slack >= history.windowOf(refused.act)
}

/** A process may have applied a redemption and answered 503, longer ago than the window, and have had no time to reverse it since. */
function mayNotBeTakenBackYet(refused: Exchange, history: GrantHistory): boolean {
  return others(refused, history).some(
    (one) =>
      one.answer === 503 &&
      refused.ended - one.begun + history.slack >= history.windowOf(refused.act) &&
      !history.processes.hasTakenBack(one, refused),
  )
}

/** Without a window, a request can end the grant while the store has redeemed for a parallel request whose answer was lost. */
function isOneOfSeveral(refused: Exchange, history: GrantHistory): boolean {
  if (refused.act !== 'refresh') return false
  return others(refused, history).some(
    (one) =>
      one.by === 'owner' &&
      isRefusal(one) &&
      one.ended > refused.begun &&
      refused.ended - one.begun + history.slack >= history.windowOf(refused.act),
  )
}

/** The writes whose loss explains a refusal, as the docs say: the sign-in, or more than four refreshes at once. */
function writesBefore(refused: Exchange, history: GrantHistory) {
  const isLost = history.isLost.bind(history)
  const before = history.exchanges.filter((one) => one.begun < refused.begun)
  const refreshes = before.filter((one) => one.act === 'refresh' && isSuccess(one) && isLost(one))
  const signIn = before.filter(({ act }) => act === 'sign-in' || act === 'register')
  return { exchanges: [...signIn, ...(refreshes.length > 4 ? refreshes : [])], isLost }
}

function others(refused: Exchange, history: GrantHistory): Exchange[] {
  return history.earlier(refused)
}

function shown(refused: Exchange, history: GrantHistory): Exchange[] {
  return [refused, ...others(refused, history)]
}
