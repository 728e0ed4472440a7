/** The options that decide about a grant. Seconds, as a host gives them. */
export interface Rules {
  authorizationCodeLifetime: number
  refreshTokenLifetime: number
  grantLifetime: number | undefined
  replayTolerance: number
  refreshRetryWindow: number
}

/** The answer to a presented credential. `gives` is the step of the refresh token in it. */
export type Verdict =
  | { answer: 'tokens'; gives: number; told: 'issued' | 'refreshed' | 'recovered' | 'retried' | 'kept' }
  | { answer: 'refused'; told: 'tolerated' | 'ended' | 'nothing' }

// By how many refreshes the store may be behind the client.
const maxGap = 4
// How many redeemed credentials a grant remembers.
const maxRemembered = 16
// For how many seconds a code gives the first refresh token again.
const codeWindow = 10
// For how many seconds after it was issued for another one a refresh token is given back unchanged, at least.
const shortestRest = 10

/** The relevant state of one grant. Times are milliseconds of the store's clock. */
export interface GrantState {
  /** The number of the live credential: 0 is the code, 1 the first refresh token, and so on. Exactly one is live. */
  live: number
  /** Whether the live credential replaced a refresh token, or was given for its code again. */
  isRefreshed: boolean
  /** Since when it is live, or when it was given for its code again. */
  since: number
  /** The credentials that were redeemed lately, the newest first. */
  redeemed: { step: number; at: number }[]
  expiresAt: number
  endsAt: number
  ended: boolean
}

export function newGrant(rules: Rules, now: number): GrantState {
  const endsAt = now + (rules.grantLifetime ?? Number.POSITIVE_INFINITY) * 1000
  const expiresAt = Math.min(now + rules.authorizationCodeLifetime * 1000, endsAt)
  return { live: 0, isRefreshed: false, since: now, redeemed: [], expiresAt, endsAt, ended: false }
}

export function isAlive(grant: GrantState, now: number): boolean {
  return !grant.ended && now < grant.expiresAt
}

/** Gives the answer that the library promises, and changes the grant accordingly. */
export function present(step: number, grant: GrantState, rules: Rules, now: number): Verdict {
  if (!isAlive(grant, now)) return { answer: 'refused', told: 'nothing' }
  const verdict = judge(step, grant, rules, now)
  // No access token lives for less than a second.
  const isOver = verdict.answer === 'tokens' && grant.expiresAt - now < 1000
  return isOver ? { answer: 'refused', told: 'nothing' } : verdict
}

function judge(step: number, grant: GrantState, rules: Rules, now: number): Verdict {
  const ageOf = (at: number | undefined) => (now - (at ?? Number.NEGATIVE_INFINITY)) / 1000
  if (step === grant.live) {
    const isNew = grant.isRefreshed && ageOf(grant.since) < restIn(rules)
    if (isNew) return { answer: 'tokens', gives: step, told: 'kept' }
    return redeem(step, grant, rules, now, step === 0 ? 'issued' : 'refreshed')
  }
  if (step > grant.live && step <= grant.live + maxGap) return redeem(step, grant, rules, now, 'recovered')

  const age = ageOf(grant.redeemed.find((redeemed) => redeemed.step === step)?.at)
  if (step === 0 && grant.live === 1 && age < Math.min(rules.refreshRetryWindow, codeWindow)) {
    grant.isRefreshed = true
    grant.since = now
    return { answer: 'tokens', gives: grant.live, told: 'retried' }
  }
  if (step > 0 && age < rules.refreshRetryWindow) return { answer: 'tokens', gives: grant.live, told: 'retried' }
  if (age < rules.replayTolerance) return { answer: 'refused', told: 'tolerated' }
  grant.ended = true
  return { answer: 'refused', told: 'ended' }
}

function restIn({ refreshRetryWindow: window, refreshTokenLifetime }: Rules): number {
  return Math.min(window, Math.max(shortestRest, window / maxRemembered), refreshTokenLifetime / 2)
}

function redeem(
  step: number,
  grant: GrantState,
  rules: Rules,
  now: number,
  told: 'issued' | 'refreshed' | 'recovered',
): Verdict {
  const longest = Math.max(rules.refreshRetryWindow, rules.replayTolerance) * 1000
  const steps = Array.from({ length: step - grant.live + 1 }, (_, back) => ({ step: step - back, at: now }))
  const remembered = grant.redeemed.filter(({ at }) => now - at <= longest)
  grant.redeemed = [...steps, ...remembered].slice(0, maxRemembered)
  grant.isRefreshed = grant.live > 0
  grant.live = step + 1
  grant.since = now
  grant.expiresAt = Math.min(now + rules.refreshTokenLifetime * 1000, grant.endsAt)
  return { answer: 'tokens', gives: grant.live, told }
}
