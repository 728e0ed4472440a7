import type { Act, Exchange } from '../history'

export function isRedemption(act: Act): boolean {
  return act === 'redeem-code' || act === 'refresh'
}

export function isSuccess({ answer }: Exchange): boolean {
  return answer === 200 || answer === 201
}

/** Whether an exchange gave another credential for the presented one. If the same credential came back, it was not redeemed. */
export function redeems(exchange: Exchange): boolean {
  return isRedemption(exchange.act) && isSuccess(exchange) && exchange.gave?.credential !== exchange.presented
}

/** Whether nobody got the result. The store may have applied it, and a process may reverse it. */
export function isOpen(exchange: Exchange): boolean {
  return isUndecided(exchange) || exchange.answer === 503
}

/** Whether nobody knows the result. */
export function isUndecided({ answer }: Exchange): boolean {
  return answer === 'timeout' || answer === 'lost'
}

/** Whether the answer was neither a success nor 503. */
export function isRefusal(exchange: Exchange): boolean {
  return typeof exchange.answer === 'number' && exchange.answer !== 503 && !isSuccess(exchange)
}
