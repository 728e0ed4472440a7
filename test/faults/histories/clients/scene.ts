import type { SeededRandom } from '../../../support/seeded-random'
import type { Requests } from './requests'

/** What the actors of a run share. */
export interface Scene {
  requests: Requests
  random: SeededRandom
  hosts: number
  /** Whether the nemesis is over, and every owner sends one last request. */
  isFinale(): boolean
  /** Waits, but not beyond the beginning of the finale. */
  sleep(ms: number): Promise<void>
  nextGrant(): number
  now(): number
  terms: { window: number; tolerance: number }
}

export function between(random: SeededRandom, [from, to]: readonly [number, number]): number {
  return from + random.next() * (to - from)
}
