import { errorOfHost } from '../protocol/oauth-error'
import { callHostWithin } from './call-host'
import { StoreClock } from './store-clock'
import type {
  ClientUse,
  CreateResult,
  CredentialSwap,
  Grant,
  GrantOwner,
  Late,
  NewClient,
  NewGrant,
  RegisteredClient,
  RegistrationLimits,
  ReversalResult,
  SwapResult,
  SwapReversal,
  TokenStore,
} from './token-store'

// The first answer of a store tells its clock; a second one is enough where that has been set meanwhile.
const maxSendings = 3

/** When a caller gives up, by this process's monotonic clock, and how long it waits for this sending. */
export interface Patience {
  giveUpAt: number
  timeout: number
}

/** A call before it has a deadline. */
type Undated<Call> = Call extends unknown ? Omit<Call, 'deadline'> : never

/** An answer to a call that came in time. */
type Timely<Result> = Exclude<Result, Late>

/**
 * The host's store, none of whose calls takes longer than `timeout` milliseconds. Whatever it rejects with becomes
 * `temporarily_unavailable`, with the store's own error as the cause.
 *
 * Calls that change a grant carry a deadline. Once this process has given such a call up, the store no longer applies it, however long it
 * waits in a queue, at a server that hangs, or to be sent again.
 */
export class GuardedStore {
  /** Milliseconds. */
  readonly timeout: number
  readonly #store: TokenStore
  readonly #clock = new StoreClock()

  constructor(store: TokenStore, timeout: number) {
    this.#store = store
    this.timeout = timeout
  }

  createGrant(grant: Omit<NewGrant, 'deadline'>, patience: Patience): Promise<Timely<CreateResult>> {
    return this.#send('createGrant', patience, (deadline) => this.#store.createGrant({ ...grant, deadline }))
  }

  findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    return this.#within('findGrant', () => this.#store.findGrant(tenantId, grantId))
  }

  swapCredential(swap: Omit<CredentialSwap, 'deadline'>, patience: Patience): Promise<Timely<SwapResult>> {
    return this.#send('swapCredential', patience, (deadline) => this.#store.swapCredential({ ...swap, deadline }))
  }

  reverseSwap(reversal: Undated<SwapReversal>): Promise<Timely<ReversalResult>> {
    const patience = { giveUpAt: performance.now() + this.timeout, timeout: this.timeout }
    return this.#send('reverseSwap', patience, (deadline) => this.#store.reverseSwap({ ...reversal, deadline }))
  }

  deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    return this.#within('deleteGrant', async () => (await this.#store.deleteGrant(tenantId, grantId)) === true)
  }

  listGrants(tenantId: string, subject: string): Promise<Grant[]> {
    return this.#within('listGrants', () => this.#store.listGrants(tenantId, subject))
  }

  /** Without a time limit: it may go through the whole store, and only hosts ask for it. */
  async *deleteGrants(owner: GrantOwner): AsyncIterable<Grant> {
    try {
      // A store in JavaScript may reject in place of giving something to go through.
      yield* await Promise.resolve(this.#store.deleteGrants(owner))
    } catch (error) {
      throw errorOfHost(error, 'tokenStore')
    }
  }

  saveClient(client: NewClient, limits: RegistrationLimits): Promise<RegisteredClient> {
    return this.#within('saveClient', () => this.#store.saveClient(client, limits))
  }

  findClient(tenantId: string, clientId: string): Promise<RegisteredClient | undefined> {
    return this.#within('findClient', () => this.#store.findClient(tenantId, clientId))
  }

  touchClient(tenantId: string, clientId: string, use: ClientUse): Promise<void> {
    return this.#within('touchClient', () => this.#store.touchClient(tenantId, clientId, use))
  }

  deleteClient(tenantId: string, clientId: string): Promise<boolean> {
    return this.#within('deleteClient', async () => (await this.#store.deleteClient(tenantId, clientId)) === true)
  }

  #within<T>(method: string, work: () => Promise<T>): Promise<T> {
    return callHostWithin(`tokenStore.${method}`, this.timeout, work)
  }

  #send<Result extends { outcome: string; now: number }>(
    method: string,
    { giveUpAt, timeout }: Patience,
    call: (deadline: number) => Promise<Result>,
  ): Promise<Timely<Result>> {
    return callHostWithin(`tokenStore.${method}`, timeout, async () => {
      for (let sendings = 0; sendings < maxSendings; sendings++) {
        const sentAt = performance.now()
        const result = await call(this.#clock.noLaterThan(giveUpAt))
        this.#clock.learn(result.now, sentAt)
        if (result.outcome !== 'late') return result as Timely<Result>
      }
      throw new Error(
        `tokenStore.${method} came too late by the store's clock, again and again: is that clock being set?`,
      )
    })
  }
}
