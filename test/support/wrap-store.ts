import type { Grant, TokenStore } from 'customer-sign-in/store'

/** One call of a store; `apply` makes it. */
export interface StoreCall {
  method: keyof TokenStore
  args: readonly unknown[]
  apply(): Promise<unknown>
}

/** A store whose calls all go through `around`. */
export function wrapStore(store: TokenStore, around: (call: StoreCall) => Promise<unknown>): TokenStore {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      if (name === 'deleteGrants') {
        return async function* (...args: unknown[]) {
          const apply = async () => Reflect.apply(method, target, args)
          yield* (await around({ method: name, args, apply })) as AsyncIterable<Grant>
        }
      }
      return (...args: unknown[]) =>
        around({ method: name as keyof TokenStore, args, apply: () => Reflect.apply(method, target, args) })
    },
  })
}
