import type { CredentialSwap, NewGrant } from '../../../src/contract/token-store'
import { ContractStore } from './contract-store'
import type { CalledStore, ExploredStore } from './explored-store'
import type { ProcessKind } from './host-process'
import type { House } from './house'
import { MemoryStore } from './memory-store'
import { type Actor, epoch, type Scenario, seconds, theAssertion, theKey } from './scenario'
import { clientId, roomsOf } from './server'
import { TwoStores } from './two-stores'

// More than any scenario redeems.
const chainLength = 26

/** A scenario with its credentials, and what its store has at the beginning. */
export interface Prepared extends ProcessKind {
  /** The credentials of the grant: its code, its first refresh token, and so on. */
  tokens: readonly string[]
  /** The codes of the grant and of the later sign-in. */
  codes: readonly [string, string]
  grantId: string
  /** @returns The store at the beginning, and the milliseconds that have passed by then. */
  begin(): Promise<{ store: ExploredStore; now: number }>
  /** Of each actor, the last one before it that differs from it by nothing but its name. */
  equals: readonly (number | undefined)[]
  nameOf(token: string): string
  nameOfHash(hash: string): string
  /** For how long a used credential is answered, in seconds. */
  windowOf(token: string): number
}

/**
 * Finds the credentials of a scenario by redeeming them once, in a store of its own.
 *
 * @param changed Gives the store a defect.
 */
export async function prepare(
  scenario: Scenario,
  house: House,
  changed = (store: ExploredStore) => store,
): Promise<Prepared> {
  const rooms = roomsOf(house)
  let now = 0
  let count = 0
  house.runOn({
    performance: { now: () => now },
    setTimeout: () => undefined,
    clearTimeout: () => {},
    randomUUID: () => `${count++}`.padStart(36, '-'),
    randomInt: () => ++count,
  })
  const creations: NewGrant[] = []
  const swaps: CredentialSwap[] = []
  let own: ExploredStore = new ContractStore()
  const recording = new Proxy({} as CalledStore, {
    get:
      (_, method: keyof CalledStore) =>
      async (...args: unknown[]) => {
        const { result, store } = await own.apply({ method, args }, epoch + now, epoch + now)
        const { outcome } = (result ?? {}) as { outcome?: string }
        if (outcome === 'created') creations.push(args[0] as NewGrant)
        if (outcome === 'swapped') swaps.push(args[0] as CredentialSwap)
        own = store
        return result
      },
  })
  const server = rooms.start(
    recording,
    { window: 0, tolerance: 0 },
    undefined,
    () => {},
    () => epoch + now,
  )
  const create = (seed: number) => server.createCode(Buffer.alloc(32, seed))
  const codes = [await create(1), await create(2)] as const
  const tokens: string[] = [codes[0]]
  while (tokens.length < chainLength) {
    now += 1 * seconds
    const key = tokens.length > (scenario.keyFrom ?? Number.POSITIVE_INFINITY) ? theKey : undefined
    tokens.push((await server.redeem(tokens.at(-1) as string, clientId, key)).token)
  }
  const names = new Map(
    tokens.map((token, place) => [rooms.hashOf(token), place === 0 ? 'the code' : `token ${place}`]),
  )
  names.set(rooms.hashOf(codes[1]), 'the new code')
  const nameOfHash = (hash: string) => names.get(hash) ?? 'another token'
  const nameOf = (token: string) => (token === theAssertion ? token : nameOfHash(rooms.hashOf(token)))
  const grantId = creations[0]?.grantId as string
  const windowOf = (token: string) => {
    if (token.startsWith('csic_')) return Math.min(scenario.window, 10)
    return rooms.isBound(token) && scenario.window > 0 ? 86_400 : scenario.window
  }
  return {
    scenario,
    house,
    rooms,
    tokens,
    codes,
    grantId,
    equals: equalsOf(scenario.actors),
    nameOf,
    nameOfHash,
    windowOf,
    begin: async () => {
      const { store, now: at } = await begin({ scenario, house, tokens, windowOf }, creations, swaps)
      return { store: changed(store), now: at }
    },
  }
}

function equalsOf(actors: readonly Actor[]): (number | undefined)[] {
  const described = actors.map((actor) => JSON.stringify({ ...actor, name: '' }))
  return described.map((each, place) => {
    const before = described.lastIndexOf(each, place - 1)
    return place > 0 && before >= 0 ? before : undefined
  })
}

async function begin(
  { scenario, house, tokens, windowOf }: Pick<Prepared, 'scenario' | 'house' | 'tokens' | 'windowOf'>,
  [first, second]: NewGrant[],
  swaps: CredentialSwap[],
) {
  const { MemoryTokenStore } =
    house.load<typeof import('../../../src/stores/memory-token-store')>('stores/memory-token-store')
  const { tolerance, before, actors, moving } = scenario
  let store: ExploredStore = scenario.store === 'contract' ? new ContractStore() : new MemoryStore(MemoryTokenStore)
  let now = 0
  const write = async (method: keyof CalledStore, written: object | undefined) => {
    const args = [{ ...written, deadline: Number.MAX_SAFE_INTEGER }]
    ;({ store } = await store.apply({ method, args }, epoch + now, epoch + now))
  }
  await write('createGrant', first)
  for (const [place, passed] of before.entries()) {
    const window = place === 0 ? scenario.window : windowOf(tokens[place] as string)
    await write('swapCredential', { ...swaps[place], remember: Math.max(window, tolerance) * seconds })
    now += passed * seconds
  }
  if (actors.some(({ does }) => does === 'sign in again')) {
    now += 1 * seconds
    await write('createGrant', second)
  }
  return { store: moving ? new TwoStores(store as ContractStore) : store, now }
}
