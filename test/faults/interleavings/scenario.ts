/** What an actor asks for. */
export type Deed =
  /** Redeems the credential that its jar holds. */
  | 'redeem'
  /** The same, as another client. */
  | 'redeem as another client'
  /** Revokes the credential that its jar holds (RFC 7009). */
  | 'revoke'
  /** Ends all grants of the customer. */
  | 'end all grants'
  /** Presents the assertion of the scenario, for a grant of its own. */
  | 'mint'
  /** Ends that grant alone. */
  | 'end the grant'
  /** Moves all grants of the customer to the new store. */
  | 'move'
  /** Redeems the code of a later sign-in, which replaces the grant. */
  | 'sign in again'

/** One who sends requests, one after the other. Actors with one jar share their tokens, as the parallel requests of a client do. */
export interface Actor {
  name: string
  does: Deed
  /** Whose tokens these are. The customer's client is honest: it presents the newest token that it was given. */
  jar: string
  isHonest?: boolean
  /** The credential that the jar holds at the beginning: 0 is the code, 1 the first refresh token. By default the live one. */
  holds?: number
  /** The process that each of its requests goes to. */
  at: readonly string[]
  /** The key that it proves (RFC 9449). By default none. */
  key?: string
}

/** What can go wrong. Each counts as one fault. */
export type Fault =
  /** The store applies a call, and its answer is lost. */
  | 'answer'
  /** The store applies a call, and its process waits for the answer until it gives up. */
  | 'silence'
  /** A call fails for its process, and the store may apply it at any later time. */
  | 'late'
  /** The response to the client is lost. */
  | 'response'
  /** The signer of access tokens fails. */
  | 'signer'
  /** A process is killed. Its calls may still be applied. */
  | 'kill'
  /** The store loses its last 1 to 4 writes. */
  | 'failover'

export interface Scenario {
  name: string
  store: 'contract' | 'memory'
  /** The steps of the processes, if a store is moved to another. Then the first one is where all grants are. */
  moving?: Readonly<Record<string, 'prepare' | 'move'>>
  /** `refreshRetryWindow` and `replayTolerance`, in seconds. */
  window: number
  tolerance: number
  /** The seconds that have passed after each redemption before the beginning. If there is none, the code is live. */
  before: readonly number[]
  /** From which of these redemptions on the client has proven {@link theKey}. By default it has not. */
  keyFrom?: number
  actors: readonly Actor[]
  faults: readonly Fault[]
  /** How many of them happen at most. */
  maxFaults: number
  /** The seconds that pass, one after the other, at any time between two steps. */
  passes: readonly number[]
  /** By how many seconds the store's clock may be set, once and at any time. */
  clock: readonly number[]
  /** After how many states the exploration ends. Default 250,000. */
  maxStates?: number
  /** Whether a request looks at its grant first, as one that narrows `scope` does. */
  readsFirst?: boolean
  /** Whether access tokens are signed by a signer that takes its time. */
  hasSigner?: boolean
}

export const seconds = 1000
/** The time at which everything begins, in milliseconds since 1970. */
export const epoch = 1_700_000_000_000
/** What stands for the one assertion of a scenario, which was issued at the beginning. */
export const theAssertion = 'the assertion'
/** The key of the customer's client, where it has one. */
export const theKey = 'the key'
/** How long a process waits for the store, in milliseconds. No timer of the code but those of its calls takes this long, or half of it. */
export const hostTimeout = 1600
