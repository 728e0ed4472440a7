import type { Applied, ExploredStore, StoreCall } from './explored-store'
import type { Patch } from './house'

/** A small defect, and the scenario in which it breaks a rule. */
export interface Mutant {
  name: string
  patch?: Patch
  /** Gives the store a defect. */
  changed?: (store: ExploredStore) => ExploredStore
  scenario: string
}

export const mutants: readonly Mutant[] = [
  {
    name: "takes another's swap for its own",
    scenario: 'two requests',
    patch: {
      file: 'grants/swaps.ts',
      old: 'grant.credential?.hash !== to || grant.swap?.attempt !== attempt',
      by: 'grant.credential?.hash !== to',
    },
  },
  {
    name: 'forgets an attempt before its deadline',
    scenario: 'strict, at one process',
    patch: { file: 'grants/swaps.ts', old: 'if (!isOver) return', by: '' },
  },
  {
    name: 'takes an attempt for over when its client is answered',
    scenario: 'strict, at one process',
    patch: {
      file: 'grants/swaps.ts',
      old: 'this.#rememberAttempt(step, attempt, patience.giveUpAt)',
      by: 'this.#rememberAttempt(step, attempt, performance.now())',
    },
  },
  {
    name: 'gives one attempt to two requests',
    scenario: 'an attempt of two requests',
    patch: { file: 'grants/swaps.ts', old: 'undecided.attempts.delete(attempt)\n    if', by: 'if' },
  },
  {
    name: 'forgets a reversal that failed',
    scenario: 'strict, at one process',
    patch: { file: 'grants/swaps.ts', old: 'this.#rememberAttempt(step, attempt, overAt)\n    await', by: 'await' },
  },
  {
    name: 'answers the code again without keeping its refresh token',
    scenario: 'a code at two processes',
    patch: {
      file: 'grants/redemptions.ts',
      old: 'if (isCode && !(await this.#keepFirst(grant, window, now))) return undefined',
      by: '',
    },
  },
  {
    name: 'answers a repeat at the very end of its window',
    scenario: 'a repeat at the end of the window',
    patch: { file: 'grants/redemptions.ts', old: ': age < window', by: ': age <= window' },
  },
  {
    name: 'forgives the repeat of the newest used token',
    scenario: 'a repeat at the end of the window',
    patch: { file: 'grants/redemptions.ts', old: 'const ends = isOld &&', by: 'const ends = isOld && place !== 0 &&' },
  },
  {
    name: 'refuses a replay although its grant could not be ended',
    scenario: 'a repeat at the end of the window',
    patch: {
      file: 'grants/redemptions.ts',
      old: 'this.#emit({ ...replayed, ended: false })\n      throw error',
      by: 'return false',
    },
  },
  {
    name: 'takes the credential of another client for a replay',
    scenario: 'two requests',
    patch: {
      file: 'grants/redemptions.ts',
      old: 'const refusal = this.#refusal(presented, () => notRedeemable(presented, grant))\n      if (refusal) throw refusal',
      by: '',
    },
  },
  {
    name: 'follows the chain three steps only',
    scenario: 'one failover',
    patch: { file: 'grants/credential.ts', old: 'const maxGap = 4', by: 'const maxGap = 3' },
  },
  {
    name: 'answers a revocation before it is done',
    scenario: 'a revocation without faults',
    patch: {
      file: 'grants/revocations.ts',
      old: "await this.#grants.endNamed(named, tenant.key, 'client')",
      by: "void this.#grants.endNamed(named, tenant.key, 'client')",
    },
  },
  {
    name: 'sends a swap without a deadline',
    scenario: 'a slow store',
    patch: {
      file: 'host/guarded-store.ts',
      old: 'call(this.#clock.noLaterThan(giveUpAt))',
      by: 'call(Number.MAX_SAFE_INTEGER)',
    },
  },
  {
    name: 'swaps after the deadline',
    scenario: 'a slow store in memory',
    patch: {
      file: 'stores/memory-token-store.ts',
      old: "if (now >= swap.deadline) return { outcome: 'late', now }",
      by: '',
    },
  },
  {
    name: "reverses another's swap",
    scenario: 'a reversal in memory',
    patch: {
      file: 'stores/memory-token-store.ts',
      old: "grant.credential?.hash !== to || !attempts.includes(grant.swap?.attempt ?? '')",
      by: 'grant.credential?.hash !== to',
    },
  },
  {
    name: 'deletes a grant in the new store before the old one',
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
    scenario: 'a move without faults',
    patch: { file: 'postgres/imports.ts', old: 'const again = await read()', by: 'const again = found' },
  },
  {
    name: 'leaves the copy of a grant as it is while it swaps the old one',
    scenario: 'a move without faults',
    patch: {
      file: 'postgres/moving-token-store.ts',
      old: 'await this.#to.dropImport(tenantId, grantId)\n    const ofCopy = await change(this.#to)',
      by: 'const ofCopy = result',
    },
  },
  {
    name: "answers with the old store's winner although the copy has another",
    scenario: 'a move without faults',
    patch: {
      file: 'postgres/moving-token-store.ts',
      old: "ofCopy.outcome === 'missing' ? result : ofCopy",
      by: 'ofCopy && result',
    },
  },
  {
    name: 'reads the clock before it locks the grant',
    scenario: 'a slow store',
    changed: (store) => new HastyStore(store),
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
