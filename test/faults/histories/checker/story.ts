import type { Act, Actor, Answer, Entry, Exchange } from '../history'
import { check, type Verdict } from './check'
import type { Terms } from './grant-history'

/** How a request differs from the default: the owner sends it, and it takes 0.01 s. Times are seconds. */
type Different = Partial<Omit<Exchange, 'begun' | 'ended' | 'kind'>> & { by?: Actor; until?: number }

let ids = 0

/** A request of the grant 1. @param gives The refresh token or code that comes back. */
export function at(
  seconds: number,
  act: Act,
  presented: string | undefined,
  answer: Answer,
  gives?: string,
  { until = seconds + 0.01, ...different }: Different = {},
): Exchange {
  return {
    kind: 'exchange',
    id: ids++,
    by: 'owner',
    grant: 1,
    host: 0,
    act,
    begun: seconds * 1000,
    ended: until * 1000,
    answer,
    ...(presented !== undefined && { presented }),
    ...(gives !== undefined && { gave: { credential: gives } }),
    ...(answer === 400 && { error: 'invalid_grant: no' }),
    ...different,
  }
}

/** A customer signs in, and their client redeems the code `C` for the refresh token `R1`. */
export function signedIn(): Exchange[] {
  const who = { subject: 'ada', clientId: 'assistant-app', tenantKey: 'acme' }
  return [
    at(0, 'sign-in', undefined, 200, 'C', { gave: { credential: 'C', who } }),
    at(1, 'redeem-code', 'C', 200, 'R1'),
  ]
}

/** The verdict on a history that begins with a sign-in; the window and the tolerance are ten seconds unless told otherwise. */
export function verdictOn(entries: Entry[], terms: Partial<Terms> = {}): Verdict {
  return check([...signedIn(), ...entries], { window: 10, tolerance: 10, clocks: [], storeClockJumps: 0, ...terms })
}

/** The violated rules; admitted ones are in brackets. */
export function judged(entries: Entry[], terms: Partial<Terms> = {}): string[] {
  const { violations, admitted } = verdictOn(entries, terms)
  return [...violations.map(({ rule }) => rule), ...admitted.map(({ rule }) => `(${rule})`)]
}
