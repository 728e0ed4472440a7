import type { Grant } from '../../../src/contract/token-store'
import { decodeGrant, rowId } from '../../../src/postgres/rows'
import { ContractStore } from './contract-store'
import type { Applied, CalledStore, ExploredStore, ImportStep, StoreCall } from './explored-store'
import type { House } from './house'

type Call = <Result>(what: StoreCall) => Promise<Result>

/** The store that a host leaves and the one that it moves to, at one moment. Both are the contract as a state machine. */
export class TwoStores implements ExploredStore {
  readonly contents: readonly Grant[]
  readonly parts: readonly ContractStore[]
  readonly earlier = []

  constructor(from: ContractStore, to = new ContractStore()) {
    this.parts = [to, from]
    this.contents = [...to.contents, ...from.contents]
  }

  apply(call: StoreCall, now: number): Applied {
    const [to, from] = this.parts as [ContractStore, ContractStore]
    if (call.of !== 'to') {
      const { result, store } = from.apply(call, now)
      return { result, store: store === from ? this : new TwoStores(store, to) }
    }
    const { result, store } = isImportStep(call) ? importStep(to, call, now) : to.apply(call, now)
    return { result, store: store === to ? this : new TwoStores(from, store) }
  }
}

function isImportStep(call: StoreCall): call is StoreCall & { method: ImportStep } {
  return call.method.includes('Import') || call.method === 'readClock'
}

/** A statement of an import. An import that is not finished has a grant with an expiry in the past, its mark. */
function importStep(to: ContractStore, { method, args }: StoreCall & { method: ImportStep }, now: number) {
  const [given, mark, expiresAt] = args as [never, number, number]
  const idOf = (grant: Grant) => rowId(grant.tenantId, grant.grantId)
  const row = to.contents.find((grant) => idOf(grant) === (method === 'beginImport' ? idOf(given) : given))
  const with_ = (...written: Grant[]) => ({
    result: [],
    store: new ContractStore([...to.contents.filter((grant) => grant !== row), ...written]),
  })
  const isLive = row !== undefined && now < row.expiresAt
  const nothing = { result: [], store: to }
  switch (method) {
    case 'readClock':
      return { result: [{ value: String(now) }], store: to }
    case 'beginImport':
      return isLive ? nothing : with_(given)
    case 'finishImport':
      return row?.expiresAt === mark ? with_({ ...row, expiresAt }) : nothing
    case 'findImport':
      return { result: isLive ? [{}] : [], store: to }
    case 'dropImport':
      return row && row.expiresAt < 0 ? with_() : nothing
  }
}

/** The real `MovingTokenStore` and the real imports, over two stores: `connect` makes what has the contract's methods. */
export function movingStore(
  house: House,
  step: 'prepare' | 'move',
  call: Call,
  connect: (call: Call) => CalledStore,
): CalledStore & { moveCustomer(tenantId: string, subject: string): Promise<number> } {
  const { MovingTokenStore } =
    house.load<typeof import('../../../src/postgres/moving-token-store')>('postgres/moving-token-store')
  const { PostgresTokenStore } = house.load<typeof import('../../../src/postgres/postgres-token-store')>(
    'postgres/postgres-token-store',
  )
  const to: Call = (what) => call({ ...what, of: 'to' })
  const from: Call = (what) => call({ ...what, of: 'from' })
  // Its statements are those of imports alone: what the contract says of a store is answered without any.
  const pool = {
    query: async (text: string, values: unknown[]) => ({ rows: await to<unknown[]>(statement(text, values)) }),
  }
  const ofPostgres = Object.assign(new PostgresTokenStore(pool, { sweep: false }), connect(to))
  const useOnce = () => Promise.reject(new Error('Nobody uses an id here'))
  return new MovingTokenStore({ from: { ...connect(from), useOnce }, to: ofPostgres, step }) as never
}

const statements: readonly [RegExp, ImportStep][] = [
  [/^select \S+clock\(\)::text/, 'readClock'],
  [/^insert into /, 'beginImport'],
  [/^update /, 'finishImport'],
  [/^select from /, 'findImport'],
  [/^delete from .* and expires_at < 0$/, 'dropImport'],
]

function statement(text: string, values: unknown[]): StoreCall {
  const [, method] = statements.find(([pattern]) => pattern.test(text)) ?? []
  if (!method) throw new Error(`Not a statement of an import: ${text}`)
  if (method !== 'beginImport') return { method, args: values }
  const columns = (/\((.*?)\) values/.exec(text)?.[1] ?? '').split(', ')
  const row = Object.fromEntries(columns.map((column, index) => [column, values[index]]))
  return { method, args: [decodeGrant(row as never)] }
}
