import type { Grant } from '../../../src/contract/token-store'
import { trustedIssuerClaim } from '../../../src/protocol/trusted-issuer-claim'
import type { StoreCall } from './explored-store'
import type { Outcome } from './host-process'
import type { Prepared } from './prepared'
import type { Jar, Progress } from './progress'
import { type Actor, seconds, theAssertion } from './scenario'

/** What must not happen. */
export type Rule =
  | 'one winner'
  | 'nothing is applied after 503'
  | 'ended stays ended'
  | 'an honest client stays'
  | 'a late replay ends the grant'
  | 'a used token gives nothing'
  | 'no request is a replay of itself'
  | 'a thief gets nothing'
  | 'another client gets nothing'

export interface Violation {
  rule: Rule
  told: string
  /** The credential that was presented, and how long ago it first gave tokens, in seconds. */
  presented?: string | undefined
  age?: number | undefined
  /** Whether nothing that follows is worth a look. */
  isEnd: boolean
}

/** What the referee remembers. */
export interface Facts {
  /** The credentials that were swapped for a request that was answered. */
  winners: readonly string[]
  /** When each credential first gave tokens, by the time that passed. */
  usedAt: readonly (readonly [name: string, at: number])[]
  isEnded: boolean
  /** Whether all grants of the customer have ended: whoever did that was told so. */
  isCustomerEnded: boolean
  /** Whether somebody has done what may end the grant. */
  mayEnd: boolean
  /** Whether the store has reversed a swap. */
  wasReversed: boolean
}

/** What the referee sees of the world. */
interface Watched {
  readonly prepared: Prepared
  readonly jars: ReadonlyMap<string, Jar>
  readonly now: number
  facts: Facts
  violation: Violation | undefined
  grants(): Grant[]
}

/** Watches what is answered and applied, and knows what was promised. It does not know how the code decides. */
export class Referee {
  readonly #world: Watched

  constructor(world: Watched) {
    this.#world = world
  }

  atBeginning(): Facts {
    const { scenario, tokens, nameOf } = this.#world.prepared
    let at = 0
    const usedAt = scenario.before.map((passed, place) => {
      const used = [nameOf(tokens[place] as string), at] as const
      at += passed * seconds
      return used
    })
    return {
      winners: usedAt.map(([name]) => name),
      usedAt,
      isEnded: false,
      isCustomerEnded: false,
      mayEnd: false,
      wasReversed: false,
    }
  }

  begins({ jar, does }: Actor): void {
    const { isHonest, token = '' } = this.#world.jars.get(jar) ?? {}
    if (isHonest || ['redeem as another client', 'mint', 'move'].includes(does)) return
    // Nobody who has stolen a bound token can do anything with it.
    if (does !== 'redeem' || !this.#world.prepared.rooms.isBound(token)) this.#note({ mayEnd: true })
  }

  heard({ type, grantId, ended }: { type: string; grantId?: string; ended?: boolean }): void {
    if (grantId !== this.#world.prepared.grantId) return
    if (type === 'revoked' || (type === 'replayed' && ended)) this.#note({ isEnded: true })
  }

  applied({ method }: StoreCall, result: unknown): void {
    if (method === 'reverseSwap' && outcomeOf(result) === 'reversed') this.#note({ wasReversed: true })
  }

  /** The store has applied a call that its process no longer waits for. */
  appliedLate({ method }: StoreCall, result: unknown, overAt: number, isUnavailable: boolean): void {
    const isApplied = method === 'swapCredential' && outcomeOf(result) === 'swapped'
    if (!isApplied || !isUnavailable) return
    const when = this.#world.now >= overAt ? 'after' : 'before'
    this.#found(
      'nothing is applied after 503',
      `a swap is applied ${when} its deadline, and its client was answered with 503`,
    )
  }

  /** A request has been decided. Its client may not have the response yet. */
  decided({ name: who, does, jar }: Actor, progress: Progress, outcome: Outcome): void {
    const { presents = '', beganAfterEnd, age, hasSwapped } = progress
    if (does === 'revoke' || does === 'end all grants') {
      if (outcome.kind === 'done')
        this.#note({ isEnded: true, ...(does === 'end all grants' && { isCustomerEnded: true }) })
      return
    }
    if (does === 'mint' && outcome.kind === 'tokens') this.#minted(who, beganAfterEnd)
    if (does === 'sign in again' || does === 'move' || does === 'mint' || does === 'end the grant') return
    const { scenario, grantId, nameOf, windowOf, rooms } = this.#world.prepared
    const name = nameOf(presents)
    const window = windowOf(presents)
    const isHonest = this.#world.jars.get(jar)?.isHonest === true
    const found = (rule: Rule, told: string) => this.#found(rule, told, presents, age)
    if (outcome.kind === 'tokens') {
      if (does === 'redeem as another client') found('another client gets nothing', `${who} gets tokens for ${name}`)
      if (beganAfterEnd) found('ended stays ended', `${name} gives tokens after its grant has ended`)
      if (age !== undefined && age >= window)
        found('a used token gives nothing', `${name} gives tokens ${age} s after it first did`)
      if (outcome.by === 'swap' || outcome.by === 'recovery') {
        const { winners } = this.#world.facts
        if (winners.includes(name)) found('one winner', `${name} is swapped for two requests`)
        else this.#note({ winners: [...winners, name].sort() })
      }
      if (!isHonest) found('a thief gets nothing', `${who} gets tokens for ${name}`)
      const { usedAt } = this.#world.facts
      const isFirst = outcome.by !== 'fresh' && !usedAt.some(([used]) => used === name)
      if (isFirst) this.#note({ usedAt: [...usedAt, [name, this.#world.now] as const].sort() })
    }
    if (outcome.kind === 'refused' && does === 'redeem') {
      if (outcome.reason === 'replayed' && hasSwapped)
        found('no request is a replay of itself', `${who} is refused with ${name}, which it has redeemed itself`)
      if (isHonest && !this.#world.facts.mayEnd)
        found('an honest client stays', `${who} is refused with ${name}: ${outcome.reason}`)
      const isThere = this.#world.grants().some((grant) => grant.grantId === grantId)
      if (!isThere) this.#note({ isEnded: true })
      else if (age !== undefined && age >= Math.max(window, scenario.tolerance) && !rooms.isBound(presents)) {
        found('a late replay ends the grant', `${name} is refused ${age} s after it gave tokens, and its grant lives`)
      }
    }
  }

  #minted(who: string, beganAfterEnd: boolean): void {
    const { winners } = this.#world.facts
    if (beganAfterEnd)
      this.#found('ended stays ended', `${who} gets a token for an assertion after its customer was ended`)
    if (winners.includes(theAssertion)) this.#found('one winner', 'the assertion gives two tokens')
    else this.#note({ winners: [...winners, theAssertion].sort() })
  }

  /** Nobody does anything any more. */
  atVeryEnd(): void {
    const { winners, isCustomerEnded, mayEnd } = this.#world.facts
    const isThere = this.#world.grants().some(({ claims }) => claims?.[trustedIssuerClaim] !== undefined)
    if (isThere && isCustomerEnded)
      this.#found('ended stays ended', 'in the end, there is a grant of the assertion, although its customer was ended')
    if (winners.includes(theAssertion) && !isThere && !mayEnd)
      this.#found('an honest client stays', 'in the end, the grant of the assertion that gave a token is gone')
  }

  /** A process that knows nothing has answered a token that somebody has. */
  atEnd({ token, isHonest, isSignedOut }: Jar, outcome: Outcome): void {
    const { isEnded, mayEnd } = this.#world.facts
    const name = this.#world.prepared.nameOf(token)
    const found = (rule: Rule, told: string) =>
      this.#found(rule, `in the end, ${name} ${told}`, token, this.ageOf(token))
    if (isEnded && outcome.kind === 'tokens') found('ended stays ended', 'gives tokens, although its grant has ended')
    if (!isHonest || isEnded || mayEnd || isSignedOut || outcome.kind === 'tokens') return
    found('an honest client stays', outcome.kind === 'unavailable' ? 'is answered with 503' : 'is refused')
  }

  /** How long ago a credential first gave tokens, in seconds. */
  ageOf(token: string): number | undefined {
    const name = this.#world.prepared.nameOf(token)
    const [, at] = this.#world.facts.usedAt.find(([used]) => used === name) ?? []
    return at === undefined ? undefined : (this.#world.now - at) / seconds
  }

  #note(facts: Partial<Facts>): void {
    this.#world.facts = { ...this.#world.facts, ...facts }
  }

  #found(rule: Rule, told: string, token?: string, age?: number): void {
    const isEnd = rule !== 'a thief gets nothing' && !told.includes('before its deadline')
    const presented = token === undefined ? undefined : this.#world.prepared.nameOf(token)
    if (!this.#world.violation?.isEnd) this.#world.violation = { rule, told, presented, age, isEnd }
  }
}

/** The outcome of a call of the store, if it has one. */
export function outcomeOf(result: unknown): string | undefined {
  return (result as { outcome?: string } | undefined)?.outcome
}
