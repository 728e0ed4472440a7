import type { Exchange } from '../history'
import { isOpen, isRedemption, isSuccess, redeems } from './exchanges'
import { type Finding, finding } from './finding'
import type { GrantHistory } from './grant-history'

const takenBack = 'a process took back what it had not answered'

/** Rule (a): one successor for each credential, and for a code always the same, and tokens for a repeat only inside the window. */
export function oneSuccessor(history: GrantHistory): Finding[] {
  const stolen =
    history.isBound && history.exchanges.find((one) => one.by === 'thief' && one.act === 'refresh' && isSuccess(one))
  if (stolen) {
    const basis = { exchanges: [stolen], isLost: () => false }
    return [finding('a', 'a thief used a refresh token that is bound to a key', [stolen], basis)]
  }
  return history.credentials.flatMap((credential) => {
    const successes = history.presentations(credential).filter(isSuccess)
    return [
      ...redeemedTwice(successes, history),
      ...afterTheWindow(successes, history),
      ...apart(successes, history),
      ...usedUp(successes, history),
    ].slice(0, 1)
  })
}

function redeemedTwice(successes: readonly Exchange[], history: GrantHistory): Finding[] {
  const [first, second] = successes.filter(redeems)
  if (!first || !second) return []
  const basis = { exchanges: successes, isLost: history.isLost.bind(history) }
  const isCode = first.act === 'redeem-code'
  const what = isCode ? 'a code' : 'a refresh token'
  if (history.terms.window === 0)
    return [finding('a', `${what} was redeemed twice, without a window`, [first, second], basis)]
  const other = successes.find((one) => one.gave?.credential !== first.gave?.credential)
  return isCode && other ? [finding('a', 'a code gave two refresh tokens', [first, other], basis)] : []
}

function afterTheWindow(successes: readonly Exchange[], history: GrantHistory): Finding[] {
  const [{ act } = { act: 'refresh' as const }] = successes
  const mayBeOld = history.windowOf(act) + history.slack
  const ageOf = (one: Exchange) => one.begun - history.redeemedBy(one.presented)
  const late = successes.find((one) => ageOf(one) > mayBeOld)
  if (!late) return []
  const basis = { exchanges: successes, isLost: history.isLost.bind(history) }
  const why = `a token was good ${Math.round(ageOf(late) / 1000)} s after its redemption`
  const found = finding('a', why, [...successes.filter(redeems).slice(0, 1), late], basis)
  const isOldForGood = successes.some((one) => history.leastAge(one) > mayBeOld)
  return [isOldForGood ? found : { ...found, admitted: takenBack }]
}

/** Different answers to one credential must be on one chain, because a repeat gets the token that is live by then. */
function apart(successes: readonly Exchange[], history: GrantHistory): Finding[] {
  const [first, ...others] = successes
  for (const other of others) {
    const [one, two] = [first?.gave?.credential, other.gave?.credential]
    if (!first || one === undefined || two === undefined || one === two) continue
    if (leadsTo(one, two, other, history) || leadsTo(two, one, other, history)) continue
    const basis = { exchanges: successes, isLost: history.isLost.bind(history) }
    return [finding('a', 'a credential has two successors', [first, other], basis)]
  }
  return []
}

/** Whether one credential can be a later one of another's chain. A redemption whose answer nobody saw can have led anywhere. */
function leadsTo(from: string, to: string, until: Exchange, history: GrantHistory): boolean {
  const reached = new Set([from])
  for (const credential of reached) {
    if (credential === to) return true
    for (const one of history.presentations(credential)) {
      if (one.begun > until.ended) continue
      if (isOpen(one)) return true
      if (isSuccess(one) && one.gave?.credential !== undefined) reached.add(one.gave.credential)
    }
  }
  return false
}

/** A token in a response must be live: nobody may be left with a used one. */
function usedUp(successes: readonly Exchange[], history: GrantHistory): Finding[] {
  const used = successes.find((one) => isRedemption(one.act) && history.redeemedBy(one.gave?.credential) < one.begun)
  if (!used) return []
  const redemptions = history.presentations(used.gave?.credential).filter(redeems)
  const basis = { exchanges: [...redemptions, ...successes], isLost: history.isLost.bind(history) }
  const found = finding('a', 'the answer to a repeat was a used token', [used, ...redemptions.slice(0, 1)], basis)
  const isUsedForGood = successes.some((one) => history.redeemedForGoodBy(one.gave?.credential) < one.begun)
  return [isUsedForGood ? found : { ...found, admitted: takenBack }]
}
