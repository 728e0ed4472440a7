import type { Outcome } from './host-process'

/** How far an actor has come. */
export interface Progress {
  requests: number
  /** Where its request is, and what it presents. */
  at?: string | undefined
  presents?: string | undefined
  beganAfterEnd: boolean
  /** How long ago that had given tokens when it was presented, in seconds. */
  age?: number | undefined
  /** Whether the store has applied a swap of this request. */
  hasSwapped?: boolean | undefined
  /** Which of its requests were answered with 503. */
  unavailable: readonly number[]
  /** A response on its way. */
  response?: Outcome | undefined
}

export interface Jar {
  token: string
  isHonest: boolean
  isSignedOut: boolean
}
