import { MemoryTokenStore } from 'customer-sign-in'
import type { Grant, TokenStore } from 'customer-sign-in/store'
import { wrapStore } from '../../support/wrap-store'

/** The methods of a broken store, which can call those of a sound one. */
export type Defect = (sound: TokenStore) => Partial<TokenStore>

/** A store that is broken in one way. */
export interface BrokenStore {
  /** What is wrong with the store, after "a store that". */
  that: string
  defect: Defect
  /** Words of the test that must find it. */
  foundBy: string
}

export function brokenStore(defect: Defect): TokenStore {
  const sound = storeWithItsOwnClock()
  const broken = defect(sound)
  return wrapStore(sound, ({ method, args, apply }) => {
    const own = broken[method]
    return own ? Reflect.apply(own, broken, args) : apply()
  })
}

/** A sound store that, unlike the one in memory, is independent of the host's `Date.now`. */
export function storeWithItsOwnClock(): TokenStore {
  return wrapStore(new MemoryTokenStore(), ({ apply }) => {
    const { now } = Date
    Date.now = ownTime
    try {
      // The store in memory reads the clock before it awaits anything.
      return apply()
    } finally {
      Date.now = now
    }
  })
}

/** The time that the clock of a broken store shows. */
export function ownTime(): number {
  return jest.now()
}

/** Overwrites members of a grant, both in the store and in its last answer. */
export function change(grant: Grant, members: Partial<Grant>): void {
  // The store in memory returns the same objects that it keeps.
  Object.assign(grant, members)
}

export const century = 100 * 365 * 86_400_000
