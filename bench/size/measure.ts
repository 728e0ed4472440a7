import type { GrantOwner, TokenStore } from 'customer-sign-in/store'
import { quantile } from '../quantile'
import type { Population } from './populations'

/** How much is measured. */
export interface SizeOptions {
  counts: readonly number[]
  rounds: number
  /** In each round. */
  refreshes: number
  /** How many customers have their grants ended. */
  customers: number
}

/** What calls take while a store holds so many grants: milliseconds, medians. */
export interface CallsResult {
  grants: number
  bytesPerGrant: number
  refresh: number
  /** Divided by the first row of the same round. */
  refreshRatio: number
  /** A page of 100 grants of one company. */
  page: number
  /** `revokeAll` of one customer, who has one grant. */
  customer: number
  /** The end of one company, which has a thousand grants. */
  company: number
}

const pages = 5
const companies = 3

/** Measures each population in its own server. All take turns in each round, so that whatever else the machine does affects all alike. */
export async function measureCalls(
  populationOf: (count: number) => Promise<Population>,
  { counts, rounds, refreshes, customers }: SizeOptions,
): Promise<CallsResult[]> {
  const populations: Population[] = []
  try {
    for (const count of counts) {
      process.stderr.write(`making ${count} grants …\n`)
      populations.push(await populationOf(count))
    }
    const measured = populations.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < populations.length; turn++) {
        const index = (round + turn) % populations.length
        const { grants } = populations[index] as Population
        const times: number[] = []
        for (const number of grants.someOf(refreshes)) times.push(await milliseconds(() => grants.swap(number)))
        measured[index]?.push(quantile(times))
      }
    }
    const results: CallsResult[] = []
    for (const [index, population] of populations.entries()) {
      const of = measured[index] ?? []
      const refreshRatio = quantile(of.map((time, round) => time / (measured[0]?.[round] ?? Number.NaN)))
      results.push({ ...(await measureOther(population, customers)), refresh: quantile(of), refreshRatio })
    }
    return results
  } finally {
    await Promise.all(populations.map((population) => population.stop()))
  }
}

async function measureOther({ store, grants, bytesPerGrant }: Population, customers: number) {
  const numbers = grants.someOf(customers)
  const owners = numbers.map((number) => grants.ownerOf(number))
  const firsts = Array.from({ length: Math.min(companies, Math.floor(grants.count / 1000)) }, (_, company) =>
    grants.ownerOf(company),
  )
  const page = await median(firsts.concat(firsts).slice(0, pages), ({ tenantId }) =>
    store.listGrants({ tenantId, limit: 100 }),
  )
  const customer = await median(owners, (owner) => endAll(store, owner))
  const company = await median(firsts, ({ tenantId }) => endAll(store, { tenantId, all: 'everything' }))
  return { grants: grants.count, bytesPerGrant, page, customer, company }
}

async function endAll(store: TokenStore, owner: GrantOwner): Promise<void> {
  for await (const _ of store.deleteGrants(owner));
}

async function median<T>(of: readonly T[], call: (each: T) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (const each of of) times.push(await milliseconds(() => call(each)))
  return quantile(times)
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}
