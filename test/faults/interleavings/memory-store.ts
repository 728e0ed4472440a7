import type { Grant, TokenStore } from '../../../src/contract/token-store'
import type { MemoryTokenStore as Real } from '../../../src/stores/memory-token-store'
import { type Applied, type ExploredStore, maxLost, type StoreCall } from './explored-store'

type Log = readonly { call: StoreCall; now: number }[]
type StoreClass = new (options: { now: () => number }) => Real

/** The real store in memory: what it was asked to write is written again, into a new one, for each call. */
export class MemoryStore implements ExploredStore {
  readonly contents: readonly Grant[]
  readonly notes: string
  readonly earlier: readonly MemoryStore[]
  readonly #log: Log
  readonly #store: StoreClass

  constructor(
    store: StoreClass,
    contents: readonly Grant[] = [],
    notes = '[[],[]]',
    log: Log = [],
    earlier: readonly MemoryStore[] = [],
  ) {
    this.#store = store
    this.contents = contents
    this.notes = notes
    this.#log = log
    this.earlier = earlier
  }

  async apply(call: StoreCall, now: number): Promise<Applied> {
    let at = 0
    const real = new this.#store({ now: () => at })
    for (const written of this.#log) {
      at = written.now
      await send(real, written.call)
    }
    at = now
    const result = await send(real, call)
    const { grants: contents, used, ended } = real.contents()
    const notes = JSON.stringify([used, ended])
    const isSame = notes === this.notes && JSON.stringify(contents) === JSON.stringify(this.contents)
    if (isSame) return { result, store: this }
    const earlier = [this, ...this.earlier].slice(0, maxLost)
    return { result, store: new MemoryStore(this.#store, contents, notes, [...this.#log, { call, now }], earlier) }
  }
}

async function send(store: TokenStore, { method, args }: StoreCall): Promise<unknown> {
  if (method !== 'deleteGrants')
    return (store[method as keyof TokenStore] as (...given: readonly unknown[]) => unknown)(...args)
  for await (const grant of store.deleteGrants(args[0] as never)) return { grant }
  return { isLast: true }
}
