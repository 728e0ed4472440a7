import type { Act, Exchange } from '../history'

export function isRedemption(act: Act): boolean {
  return act === 'redeem-code' || act === 'refresh'
}

export function isSuccess({ answer }: Exchange): boolean {
  return answer === 200 || answer === 201
}

/** Gave another credential for the one that was presented. One that comes back itself has not been redeemed by that. */
export function redeems(exchange: Exchange): boolean {
  return isRedemption(exchange.act) && isSuccess(exchange) && exchange.gave?.credential !== exchange.presented
}

/** Nobody was told what came of it, so that the store may have applied it, and a process may take it back. */
export function isOpen(exchange: Exchange): boolean {
  return isUndecided(exchange) || exchange.answer === 503
}

/** Nobody knows what came of it. */
export function isUndecided({ answer }: Exchange): boolean {
  return answer === 'timeout' || answer === 'lost'
}

/** Answered, and neither success nor "come again". */
export function isRefusal(exchange: Exchange): boolean {
  return typeof exchange.answer === 'number' && exchange.answer !== 503 && !isSuccess(exchange)
}
