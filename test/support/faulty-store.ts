import { MemoryTokenStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import { wrapStore } from './wrap-store'

/** What happens to a call. `apply` makes the call, at most once. */
export type Fault = (apply: () => Promise<unknown>) => Promise<unknown>

/** The store is out of reach: nothing is done, and the call rejects. */
export const rejects: Fault = () => Promise.reject(new Error('The store is out of reach'))

/** The call is applied, and the connection breaks before the answer. */
export const losesItsAnswer: Fault = async (apply) => {
  await apply()
  throw new Error('The connection to the store was lost')
}

/** Nothing is done and nothing is answered. */
export const hangs: Fault = () => new Promise(() => {})

/** The call is applied and never answered. */
export const hangsOnceApplied: Fault = async (apply) => {
  await apply()
  return new Promise(() => {})
}

/** A store with faults on demand, and the healthy one behind it. */
export interface FaultyStore {
  store: TokenStore
  healthy: TokenStore
  /** The next calls of a method have these faults, one each. */
  next(method: keyof TokenStore, ...faults: Fault[]): void
  /** All calls of a method have this fault until `recover`. */
  always(method: keyof TokenStore, fault: Fault): void
  recover(): void
}

export function faultyStore(healthy: TokenStore = new MemoryTokenStore()): FaultyStore {
  const coming = new Map<keyof TokenStore, Fault[]>()
  const lasting = new Map<keyof TokenStore, Fault>()
  const store = wrapStore(healthy, ({ method, apply }) => {
    const fault = coming.get(method)?.shift() ?? lasting.get(method)
    return fault ? fault(apply) : apply()
  })
  return {
    store,
    healthy,
    next: (method, ...faults) => coming.set(method, [...(coming.get(method) ?? []), ...faults]),
    always: (method, fault) => lasting.set(method, fault),
    recover: () => {
      coming.clear()
      lasting.clear()
    },
  }
}
