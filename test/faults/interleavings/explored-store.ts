import type { Grant, TokenStore } from '../../../src/contract/token-store'

/** What redemptions, revocations and sign-ins call. */
export type CalledStore = Pick<
  TokenStore,
  | 'createGrant'
  | 'findGrant'
  | 'swapCredential'
  | 'reverseSwap'
  | 'deleteGrant'
  | 'listGrants'
  | 'deleteGrants'
  | 'useOnce'
>

/** A statement by which `MovingTokenStore` copies a grant. */
export type ImportStep = 'readClock' | 'beginImport' | 'finishImport' | 'findImport' | 'dropImport'

/** A call of the store. `deleteGrants` deletes one grant, and says when there is none left. */
export interface StoreCall {
  method: keyof CalledStore | ImportStep
  /** Of which store, while one is moved to another. */
  of?: 'from' | 'to'
  args: readonly unknown[]
}

/** A store at one moment. It never changes: a call makes another one of it. */
export interface ExploredStore {
  readonly contents: readonly Grant[]
  /** What it has besides: the ids that were used, and whose grants were ended when. */
  readonly notes?: string
  /** The stores that it consists of, if there are several. */
  readonly parts?: readonly ExploredStore[]
  /** What it had before each of its last four writes, the newest first. */
  readonly earlier: readonly ExploredStore[]
  /** @param sentAt What its clock showed when the call was sent. */
  apply(call: StoreCall, now: number, sentAt: number): Applied | Promise<Applied>
}

export interface Applied {
  result: unknown
  store: ExploredStore
}

/** How many of its last writes a failover can lose. */
export const maxLost = 4
