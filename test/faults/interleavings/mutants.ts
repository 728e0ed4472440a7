import type { Applied, ExploredStore, StoreCall } from './explored-store'
import type { Patch } from './house'
import type { Rule } from './referee'

/** A small defect, and the scenario in which it breaks a rule. */
export interface Mutant {
  name: string
  rule: Rule
  patch?: Patch
  /** Gives the store a defect. */
  changed?: (store: ExploredStore) => ExploredStore
  scenario: string
}

export const mutants: readonly Mutant[] = [
  {
    name: 'takes all refresh tokens of a client that proves a key for bound',
    rule: 'an honest client stays',
    scenario: 'a failover to before the key',
    patch: {
      file: 'grants/redemptions.ts',
      old: 'next.key === undefined ? [next] : [next, { ...next, key: undefined }]',
      by: '[next]',
    },
  },
  {
    name: "takes another's swap for its own",
    rule: 'one winner',
    scenario: 'two requests',
    patch: {
      file: 'grants/swaps.ts',
      old: 'grant.credential?.hash !== to || grant.swap?.attempt !== attempt',
      by: 'grant.credential?.hash !== to',
    },
  },
  {
    name: 'forgets an attempt before its deadline',
    rule: 'an honest client stays',
    scenario: 'strict, at one process',
    patch: { file: 'grants/swaps.ts', old: 'if (overAt <= now) remembered', by: 'remembered' },
  },
  {
    name: 'takes an attempt for over when its client is answered',
    rule: 'an honest client stays',
    scenario: 'strict, at one process',
    patch: {
      file: 'grants/swaps.ts',
      old: 'this.#rememberAttempt(step, swap.attempt, patience.giveUpAt)',
      by: 'this.#rememberAttempt(step, swap.attempt, performance.now())',
    },
  },
  {
    name: 'takes an undecided attempt up again',
    rule: 'one winner',
    scenario: 'a reversal that is late',
    patch: {
      file: 'grants/swaps.ts',
      old: 'const attempt = newAttempt()',
      by: 'const attempt = [...(this.#undecided.get(nameOf(step))?.attempts.keys() ?? [])][0] ?? newAttempt()',
    },
  },
  {
    name: 'judges what the store has applied by an undecided attempt as by another',
    rule: 'an honest client stays',
    scenario: 'strict, at one process',
    patch: { file: 'grants/swaps.ts', old: 'if (!this.#isByUndecided(result, step)) return', by: 'return' },
  },
  {
    name: 'takes a mismatch for decided although the swap was sent before',
    rule: 'no request is a replay of itself',
    scenario: 'a window as short as a call',
    patch: {
      file: 'grants/swaps.ts',
      old: "if (again?.outcome === 'swapped' || again",
      by: "if (again?.outcome === 'mismatch' || again?.outcome === 'swapped' || again",
    },
  },
  {
    name: 'keeps the first refresh token by the attempt that has made it',
    rule: 'an honest client stays',
    scenario: 'a code at two processes',
    patch: {
      file: 'grants/swaps.ts',
      old: 'attempt: newAttempt(), redeems: []',
      by: 'attempt: arguments[0].swap.attempt, redeems: []',
    },
  },
  {
    name: 'forgets a reversal that failed',
    rule: 'an honest client stays',
    scenario: 'strict, at one process',
    patch: { file: 'grants/swaps.ts', old: 'this.#rememberAttempt(step, attempt, overAt)\n    await', by: 'await' },
  },
  {
    name: 'answers the code again without keeping its refresh token',
    rule: 'an honest client stays',
    scenario: 'a code at two processes',
    patch: {
      file: 'grants/redemptions.ts',
      old: 'if (isCode && !(await this.#swaps.keep(grant, times))) return undefined',
      by: '',
    },
  },
  {
    name: 'answers a repeat at the very end of its window',
    rule: 'a used token gives nothing',
    scenario: 'a repeat at the end of the window',
    patch: { file: 'grants/redemptions.ts', old: ': age < window', by: ': age <= window' },
  },
  {
    name: 'forgives the repeat of the newest used token',
    rule: 'a late replay ends the grant',
    scenario: 'a repeat at the end of the window',
    patch: { file: 'grants/redemptions.ts', old: 'const ends = isOld &&', by: 'const ends = isOld && place !== 0 &&' },
  },
  {
    name: 'refuses a replay although its grant could not be ended',
    rule: 'a late replay ends the grant',
    scenario: 'a repeat at the end of the window',
    patch: {
      file: 'grants/redemptions.ts',
      old: 'this.#emit({ ...replayed, ended: false })\n      throw error',
      by: 'return false',
    },
  },
  {
    name: 'takes the credential of another client for a replay',
    rule: 'an honest client stays',
    scenario: 'two requests',
    patch: {
      file: 'grants/redemptions.ts',
      old: 'this.#checkIssued(presented, grant)\n      const live',
      by: 'const live',
    },
  },
  {
    name: 'lets another client redeem a credential',
    rule: 'another client gets nothing',
    scenario: 'two requests',
    patch: {
      file: 'grants/credential.ts',
      old: "boundTo.map((name) => binding[name] ?? '')",
      by: "boundTo.map(() => '')",
    },
  },
  {
    name: 'follows the chain three steps only',
    rule: 'an honest client stays',
    scenario: 'one failover',
    patch: { file: 'grants/credential.ts', old: 'const maxGap = 4', by: 'const maxGap = 3' },
  },
  {
    name: 'answers a revocation before it is done',
    rule: 'ended stays ended',
    scenario: 'a revocation without faults',
    patch: {
      file: 'grants/revocations.ts',
      old: 'await this.#grants.endNamed(',
      by: 'void this.#grants.endNamed(',
    },
  },
  {
    name: 'sends a swap without a deadline',
    rule: 'nothing is applied after 503',
    scenario: 'a slow store',
    patch: {
      file: 'host/guarded-store.ts',
      old: 'call(this.#clock.noLaterThan(giveUpAt))',
      by: 'call(Number.MAX_SAFE_INTEGER)',
    },
  },
  {
    name: 'swaps after the deadline',
    rule: 'nothing is applied after 503',
    scenario: 'a slow store in memory',
    patch: {
      file: 'stores/memory-token-store.ts',
      old: "if (now >= swap.deadline) return { outcome: 'late', now }",
      by: '',
    },
  },
  {
    name: "reverses another's swap",
    rule: 'one winner',
    scenario: 'a reversal in memory',
    patch: {
      file: 'stores/memory-token-store.ts',
      old: "grant.credential?.hash !== to || !attempts.includes(grant.swap?.attempt ?? '')",
      by: 'grant.credential?.hash !== to',
    },
  },
  {
    name: 'deletes a grant in the new store before the old one',
    rule: 'ended stays ended',
    scenario: 'a move and a revocation without faults',
    patch: {
      file: 'postgres/moving-token-store.ts',
      old: `const wasThere = await this.#from.deleteGrant(tenantId, grantId)
    return (await this.#to.deleteGrant(tenantId, grantId)) || wasThere`,
      by: `const wasThere = await this.#to.deleteGrant(tenantId, grantId)
    return (await this.#from.deleteGrant(tenantId, grantId)) || wasThere`,
    },
  },
  {
    name: 'ends all grants in the old store, and leaves their copies',
    rule: 'ended stays ended',
    scenario: 'a move and the end of all grants without faults',
    patch: {
      file: 'postgres/moving-token-store.ts',
      old: `const moved = await this.#to.findGrant(old.tenantId, old.grantId)
      await this.#to.deleteGrant(old.tenantId, old.grantId)
      yield moved ?? old
    }
    yield* this.#to.deleteGrants(owner)`,
      by: 'yield old\n    }',
    },
  },
  {
    name: 'makes a copy live without asking the old store again',
    rule: 'one winner',
    scenario: 'a move without faults',
    patch: { file: 'postgres/imports.ts', old: 'const again = await read()', by: 'const again = found' },
  },
  {
    name: 'leaves the copy of a grant as it is while it swaps the old one',
    rule: 'one winner',
    scenario: 'a move without faults',
    patch: {
      file: 'postgres/moving-token-store.ts',
      old: 'await dropImport(this.#to.calls, tenantId, grantId)\n    const ofCopy = await change(this.#to)',
      by: 'const ofCopy = ofOld',
    },
  },
  {
    name: "answers with the old store's winner although the copy has another",
    rule: 'one winner',
    scenario: 'a move without faults',
    patch: {
      file: 'postgres/moving-token-store.ts',
      old: "ofCopy.outcome === 'missing' ? ofOld : ofCopy",
      by: 'ofCopy && ofOld',
    },
  },
  {
    name: 'reads the clock before it locks the grant',
    rule: 'nothing is applied after 503',
    scenario: 'a slow store',
    changed: (store) => new HastyStore(store),
  },
  {
    name: 'takes the grant of another presentation for its own',
    rule: 'an honest client stays',
    scenario: 'an assertion',
    patch: { file: 'grants/grants.ts', old: 'isSameAttempt(result.grant, grant)', by: 'true' },
  },
  {
    name: 'goes on from an undecided attempt at an assertion in two requests',
    rule: 'an honest client stays',
    scenario: 'an assertion at one process',
    patch: { file: 'trusted-issuers/asserted-grants.ts', old: 'this.#undecided.delete(name)\n', by: '\n' },
  },
  {
    name: 'does not note that an assertion was used',
    rule: 'one winner',
    scenario: 'an assertion that was ended',
    patch: {
      file: 'trusted-issuers/asserted-grants.ts',
      old: "if (await this.#store.useOnce(grant.tenantId, id, goneAt - Math.min(now, issuedAt))) return 'created'",
      by: "return 'created'",
    },
  },
  {
    name: 'does not look whether the customer of an assertion was ended',
    rule: 'ended stays ended',
    scenario: 'an assertion of an ended customer',
    patch: {
      file: 'grants/grants.ts',
      old: 'this.#store.createGrant({ ...grant, assertedAt }, patience)',
      by: 'this.#store.createGrant(grant, patience)',
    },
  },
  {
    name: 'stores a grant again that may still be deleted',
    rule: 'an honest client stays',
    scenario: 'an assertion',
    patch: {
      file: 'trusted-issuers/asserted-grants.ts',
      old: '&& !(cause instanceof DeletionInDoubt)',
      by: '',
    },
  },
]

/** A store that compares a deadline with the time at which a call came, and not with that at which it is applied. */
class HastyStore implements ExploredStore {
  readonly #store: ExploredStore

  constructor(store: ExploredStore) {
    this.#store = store
  }

  get contents() {
    return this.#store.contents
  }

  get earlier() {
    return this.#store.earlier.map((store) => new HastyStore(store))
  }

  async apply({ method, args }: StoreCall, now: number, sentAt: number): Promise<Applied> {
    const [given, ...others] = args as [{ deadline?: number }]
    const isInTime = given.deadline !== undefined && sentAt < given.deadline
    const hasty = isInTime ? [{ ...given, deadline: Number.MAX_SAFE_INTEGER }] : [given, ...others]
    const { result, store } = await this.#store.apply({ method, args: hasty }, now, sentAt)
    return { result, store: new HastyStore(store) }
  }
}
