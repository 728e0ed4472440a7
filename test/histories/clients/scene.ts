import type { SeededRandom } from '../../support/seeded-random'
import type { Requests } from './requests'

/** Where the actors of a run meet. */
export interface Scene {
  requests: Requests
  random: SeededRandom
  hosts: number
  /** Whether the nemesis is over, and everybody comes once more. */
  isFinale(): boolean
  /** Waits, at most until the finale. */
  sleep(ms: number): Promise<void>
  nextGrant(): number
  now(): number
  terms: { window: number; tolerance: number }
}

export function between(random: SeededRandom, [from, to]: readonly [number, number]): number {
  return from + random.next() * (to - from)
}
