import { type Grant, MemoryTokenStore, type TokenStore } from 'customer-sign-in'
import { wrapStore } from '../support/wrap-store'

/** What a broken store does in place of a sound one, on which it can build. */
export type Defect = (sound: TokenStore) => Partial<TokenStore>

/** A store that is broken in one way. */
export interface BrokenStore {
  /** What is wrong with it: "a store that …". */
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

/** A sound store which, unlike the one in memory, is not misled by a host whose `Date.now` is wrong. */
export function storeWithItsOwnClock(): TokenStore {
  return wrapStore(new MemoryTokenStore(), ({ apply }) => {
    const { now } = Date
    Date.now = ownTime
    try {
      // The store in memory reads the clock before it waits for anything.
      return apply()
    } finally {
      Date.now = now
    }
  })
}

/** What the clock of a broken store shows. */
export function ownTime(): number {
  return jest.now()
}

/** Overwrites members of a grant in the store, and in the answer that has just given it. */
export function change(grant: Grant, members: Partial<Grant>): void {
  // The store in memory hands out the very records that it holds.
  Object.assign(grant, members)
}

export const century = 100 * 365 * 86_400_000
