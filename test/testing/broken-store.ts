import { MemoryTokenStore, type TokenStore } from 'customer-sign-in'
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
  const sound = new MemoryTokenStore()
  const broken = defect(sound)
  return wrapStore(sound, ({ method, args, apply }) => {
    const own = broken[method]
    return own ? Reflect.apply(own, broken, args) : apply()
  })
}

export const century = 100 * 365 * 86_400_000
