import { must, objectWith, record } from '../configuration/checks'
import {
  type CreateResult,
  type CredentialSwap,
  type Grant,
  type GrantOwner,
  type GrantPage,
  type GrantPageRequest,
  type NewGrant,
  noSwap,
  type ReversalResult,
  type SwapResult,
  type SwapReversal,
  type TokenStore,
  tokenStoreMethods,
} from '../contract/token-store'
import { dropImport, importGrant } from './imports'
import { PostgresTokenStore } from './postgres-token-store'

/** The options of {@link MovingTokenStore}. */
export interface MovingTokenStoreOptions {
  /** The store that has had all records until now. */
  from: TokenStore
  /** The store that is to have all records. */
  to: PostgresTokenStore
  /**
   * - `prepare`: new records are written to `from`, and nothing is moved. Records that other processes have moved are found.
   * - `move`: new records are written to `to`, and each grant of `from` is copied to `to` when it is asked for.
   *
   * No process may have the step `move` while there is one that uses `from` alone.
   */
  step: 'prepare' | 'move'
}

const isStep = (given: unknown) => given === 'prepare' || given === 'move'

const checks = {
  from: objectWith<TokenStore>(...tokenStoreMethods),
  to: must<PostgresTokenStore>('a PostgresTokenStore', (given) => given instanceof PostgresTokenStore),
  step: must<'prepare' | 'move'>("'prepare' or 'move'", isStep, { quotes: true }),
}

// What a place among the pages begins with: the store that it is in.
const [inOld, inNew] = ['from ', 'to   ']

/**
 * A {@link TokenStore} for the time in which a host changes from another store to PostgreSQL, so that no customer has to sign in again. What
 * is in `to` counts. What is only in `from` is read there.
 *
 * Whatever is deleted is deleted in `from` first and then in `to`, so that nothing that was deleted is moved afterwards.
 *
 * @example
 * new MovingTokenStore({ from: new RedisTokenStore(redis), to: new PostgresTokenStore(pool), step: 'prepare' })
 */
export class MovingTokenStore implements TokenStore {
  readonly #from: TokenStore
  readonly #to: PostgresTokenStore
  readonly #moves: boolean

  /** @throws {ConfigurationError} for a wrong option. */
  constructor(options: MovingTokenStoreOptions) {
    const { from, to, step } = record(checks)(options, 'MovingTokenStore')
    this.#from = from
    this.#to = to
    this.#moves = step === 'move'
  }

  /** Asks the other store too, which writes nothing after the deadline: it may have such a grant, or a mark that its owner was ended. */
  async createGrant(grant: NewGrant): Promise<CreateResult> {
    const [own, other] = this.#moves ? [this.#to, this.#from] : [this.#from, this.#to]
    // A consent form that is submitted twice has the same grant, which another process may have created before.
    if (this.#moves) await this.#moveGrant(grant.tenantId, grant.grantId)
    if (this.#moves && grant.assertedAt === undefined) return own.createGrant(grant)
    const there = await other.createGrant({ ...grant, deadline: 0 })
    if (there.outcome === 'taken' && !this.#moves) return there
    if (there.outcome !== 'ended') return own.createGrant(grant)
    const here = await own.createGrant({ ...grant, deadline: 0 })
    return here.outcome === 'taken' ? here : there
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    const grant = await this.#to.findGrant(tenantId, grantId)
    if (grant) return grant
    if (!this.#moves) return this.#from.findGrant(tenantId, grantId)
    await this.#moveGrant(tenantId, grantId)
    return this.#to.findGrant(tenantId, grantId)
  }

  swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    return this.#change(swap, (store) => store.swapCredential(swap))
  }

  reverseSwap(reversal: SwapReversal): Promise<ReversalResult> {
    return this.#change(reversal, (store) => store.reverseSwap(reversal))
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    const wasThere = await this.#from.deleteGrant(tenantId, grantId)
    return (await this.#to.deleteGrant(tenantId, grantId)) || wasThere
  }

  /**
   * First the pages of the old store, with each grant as the new one has it if it was moved, and then what only the new one has. A grant that
   * is moved meanwhile stays in the old one.
   */
  async listGrants({ after = inOld, ...of }: GrantPageRequest): Promise<GrantPage> {
    const isInOld = !after.startsWith(inNew)
    const store = isInOld ? this.#from : this.#to
    const page = await store.listGrants({ ...of, after: after.slice(inOld.length) || undefined })
    const grants: Grant[] = []
    for (const grant of page.grants) {
      const { tenantId, grantId } = grant
      if (isInOld) grants.push((await this.#to.findGrant(tenantId, grantId)) ?? grant)
      else if (!(await this.#from.findGrant(tenantId, grantId))) grants.push(grant)
    }
    if (page.next !== undefined) return { grants, next: (isInOld ? inOld : inNew) + page.next }
    if (!isInOld) return { grants }
    const left = of.limit - grants.length
    if (left === 0) return { grants, next: inNew }
    const others = await this.listGrants({ ...of, after: inNew, limit: left })
    return { ...others, grants: [...grants, ...others.grants] }
  }

  async *deleteGrants(owner: GrantOwner): AsyncIterable<Grant> {
    // If the old store fails, nothing more is deleted in the new one: what the old one still has would be moved again, as it was.
    for await (const old of this.#from.deleteGrants(owner)) {
      const moved = await this.#to.findGrant(old.tenantId, old.grantId)
      await this.#to.deleteGrant(old.tenantId, old.grantId)
      yield moved ?? old
    }
    yield* this.#to.deleteGrants(owner)
  }

  async useOnce(tenantId: string, id: string, lifetime: number): Promise<boolean> {
    // In both and in this order, so that one call is the first also while other processes have one of the stores alone.
    return (await this.#from.useOnce(tenantId, id, lifetime)) && (await this.#to.useOnce(tenantId, id, lifetime))
  }

  /**
   * Moves all grants of a customer now, in place of when they are asked for.
   *
   * @returns How many grants of the customer `from` has. They stay there, so another call returns the same number.
   * @throws {TypeError} with the step `prepare`, which moves nothing.
   */
  async moveCustomer(tenantId: string, subject: string): Promise<number> {
    if (!this.#moves) throw new TypeError('moveCustomer needs a MovingTokenStore with the step move')
    let moved = 0
    for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
      const page = await this.#from.listGrants({ tenantId, subject, after, limit: 500 })
      for (const { grantId } of page.grants) await this.findGrant(tenantId, grantId)
      moved += page.grants.length
      after = page.next
    }
    return moved
  }

  /** Changes a grant where it is. */
  async #change<Result extends { outcome: string }>(
    { tenantId, grantId }: { tenantId: string; grantId: string },
    change: (store: TokenStore) => Promise<Result>,
  ): Promise<Result> {
    const result = await change(this.#to)
    if (result.outcome !== 'missing') return result
    if (this.#moves) return (await this.#moveGrant(tenantId, grantId)) ? change(this.#to) : result
    const ofOld = await change(this.#from)
    if (ofOld.outcome === 'missing') return ofOld
    // Another process may be moving the grant as it was before. So an import that is not finished begins again, and if one is finished, its
    // copy is changed in the same way: of two processes that redeem a credential, the copy has one winner.
    await dropImport(this.#to.calls, tenantId, grantId)
    const ofCopy = await change(this.#to)
    return ofCopy.outcome === 'missing' ? ofOld : ofCopy
  }

  /** @returns Whether the old store has such a grant. */
  #moveGrant(tenantId: string, grantId: string): Promise<boolean> {
    return importGrant(this.#to.calls, async () => {
      // Only a swap tells the time of that store.
      const result = await this.#from.swapCredential({ ...noSwap, tenantId, grantId })
      if (result.outcome === 'missing') return undefined
      if (result.outcome === 'mismatch') return result
      throw new Error(
        `MovingTokenStore: the store \`from\` answers a swap of another credential with ${result.outcome}`,
      )
    })
  }
}
