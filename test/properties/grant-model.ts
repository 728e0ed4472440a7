/** The options that decide about a grant. Seconds, as a host gives them. */
export interface Rules {
  authorizationCodeLifetime: number
  refreshTokenLifetime: number
  grantLifetime: number | undefined
  replayTolerance: number
  refreshRetryWindow: number
}

/** What becomes of a credential that is presented. `gives` is the step of the refresh token in the answer. */
export type Verdict =
  | { answer: 'tokens'; gives: number; told: 'issued' | 'refreshed' | 'recovered' | 'retried' }
  | { answer: 'refused'; told: 'tolerated' | 'ended' | 'nothing' }

// How many refreshes the store may be behind the client.
const longestGap = 4

/** One grant, as far as anything depends on it. Times are milliseconds. */
export interface GrantState {
  /** Its credentials are numbered: 0 is the code, 1 the first refresh token, and so on. Exactly one of them is live. */
  live: number
  swappedAt: number
  expiresAt: number
  endsAt: number
  ended: boolean
}

export function newGrant(rules: Rules, now: number): GrantState {
  const endsAt = now + (rules.grantLifetime ?? Number.POSITIVE_INFINITY) * 1000
  return {
    live: 0,
    swappedAt: Number.NEGATIVE_INFINITY,
    expiresAt: Math.min(now + rules.authorizationCodeLifetime * 1000, endsAt),
    endsAt,
    ended: false,
  }
}

export function isAlive(grant: GrantState, now: number): boolean {
  return !grant.ended && now < grant.expiresAt
}

/** What the library promises to answer, and what it makes of the grant by that. */
export function present(step: number, grant: GrantState, rules: Rules, now: number): Verdict {
  if (!isAlive(grant, now)) return { answer: 'refused', told: 'nothing' }
  if (step === grant.live) return redeem(step, grant, rules, now, step === 0 ? 'issued' : 'refreshed')
  if (step > grant.live && step <= grant.live + longestGap) return redeem(step, grant, rules, now, 'recovered')

  const age = step === grant.live - 1 ? (now - grant.swappedAt) / 1000 : Number.POSITIVE_INFINITY
  if (step > 0 && age < rules.refreshRetryWindow) return { answer: 'tokens', gives: grant.live, told: 'retried' }
  if (age < rules.replayTolerance) return { answer: 'refused', told: 'tolerated' }
  grant.ended = true
  return { answer: 'refused', told: 'ended' }
}

function redeem(
  step: number,
  grant: GrantState,
  rules: Rules,
  now: number,
  told: 'issued' | 'refreshed' | 'recovered',
): Verdict {
  grant.live = step + 1
  grant.swappedAt = now
  grant.expiresAt = Math.min(now + rules.refreshTokenLifetime * 1000, grant.endsAt)
  return { answer: 'tokens', gives: grant.live, told }
}
