import type { Exchange } from '../history'
import { type Finding, finding } from './finding'
import { type GrantHistory, isRedemption, isRefusal, isSuccess, slack } from './grant-history'

/** Rule (b): an owner who behaved is told to come again at the worst. */
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

/** A repeat beyond the window, of a credential for which its owner has the tokens already. */
function wasAnswered(refused: Exchange, history: GrantHistory): boolean {
  const answered = others(refused, history).some((one) => one.by === 'owner' && isSuccess(one))
  return answered && mayBeBeyondTheWindow(refused, history)
}

function admission(refused: Exchange, history: GrantHistory): string | undefined {
  if (isRedemption(refused.act) && mayBeBeyondTheWindow(refused, history)) {
    return refused.act === 'redeem-code' ? 'the answer to a code was lost' : 'the owner came after the window'
  }
  const byAnotherClock = refused.act === 'redeem-code' || refused.act === 'api'
  return byAnotherClock && history.clocksAreApart ? "the hosts' clocks are far apart" : undefined
}

function mayBeBeyondTheWindow(refused: Exchange, history: GrantHistory): boolean {
  const window = refused.act === 'redeem-code' ? 0 : history.terms.window * 1000
  const age = history.greatestAge(refused)
  return age >= 0 && age + slack >= window
}

/** Where these are lost, a refusal is what the docs say: the sign-in, or more than four refreshes at once. */
function writesBefore(refused: Exchange, history: GrantHistory) {
  const isLost = history.isLost.bind(history)
  const before = history.exchanges.filter((one) => one.begun < refused.begun)
  const refreshes = before.filter((one) => one.act === 'refresh' && isSuccess(one) && isLost(one))
  const signIn = before.filter(({ act }) => act === 'sign-in' || act === 'register')
  return { exchanges: [...signIn, ...(refreshes.length > 4 ? refreshes : [])], isLost }
}

function others(refused: Exchange, history: GrantHistory): Exchange[] {
  return history.presentations(refused.presented).filter((one) => one !== refused && one.begun < refused.ended)
}

function shown(refused: Exchange, history: GrantHistory): Exchange[] {
  return [refused, ...others(refused, history)]
}
