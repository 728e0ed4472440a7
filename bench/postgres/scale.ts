import type { PostgresSettings } from '../../scripts/postgres-process'
import { quantile } from '../quantile'
import { PopulatedServer } from './populated-server'
import { sizes } from './size'

const inFlight = 10

/** The settings of these servers that differ from the defaults. */
export const scaleSettings: PostgresSettings = {
  synchronous_commit: 'off',
  // All grants are in memory.
  shared_buffers: '3GB',
  // Segments of the write-ahead log are used again.
  min_wal_size: '2GB',
  max_wal_size: '4GB',
}

/** The cost of one refresh while a server holds so many grants. Times are microseconds, medians over all rounds. */
export interface ScaleResult {
  grants: number
  /** Bytes of table and indexes. */
  bytesPerGrant: number
  /** The time until the host has the reply, over loopback, one refresh at a time. */
  hostTime: number
  /** The CPU time of all processes of the server, one refresh at a time. */
  serverTime: number
  /** The same with ten refreshes in flight. */
  serverTimeUnderLoad: number
  /** Divided by the first row of the same round. */
  hostRatio: number
  serverRatio: number
  serverRatioUnderLoad: number
}

type Round = Pick<ScaleResult, 'hostTime' | 'serverTime' | 'serverTimeUnderLoad'>

interface Population {
  populated: PopulatedServer
  measured: Round[]
}

/** How much is measured. */
export interface ScaleOptions {
  counts: readonly number[]
  rounds: number
  /** How many refreshes a round has, twice. */
  swaps: number
}

/** Measures each population in its own server. All take turns in each round, so that whatever else the machine does affects all alike. */
export async function measureScale({ counts, rounds, swaps }: ScaleOptions): Promise<ScaleResult[]> {
  const populations: Population[] = []
  try {
    for (const count of counts) {
      populations.push({ populated: await PopulatedServer.filled(count, scaleSettings), measured: [] })
    }
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < populations.length; turn++) {
        const { populated, measured } = populations[(round + turn) % populations.length] as Population
        measured.push(await measureRound(populated, swaps))
      }
    }
    const [smallest] = populations
    return await Promise.all(populations.map((population) => result(population, smallest?.measured ?? [])))
  } finally {
    await Promise.all(populations.map(({ populated }) => populated.stop()))
  }
}

async function measureRound({ server, grants }: PopulatedServer, swaps: number): Promise<Round> {
  const hostTimes: number[] = []
  const begin = await server.usedCpu()
  for (const number of grants.someOf(swaps)) {
    const from = performance.now()
    await grants.swap(number)
    hostTimes.push((performance.now() - from) * 1000)
  }
  const between = await server.usedCpu()
  const numbers = grants.someOf(swaps)
  await grants.swapAll(numbers, inFlight)
  const end = await server.usedCpu()
  return {
    hostTime: quantile(hostTimes),
    serverTime: (between - begin) / swaps,
    serverTimeUnderLoad: (end - between) / swaps,
  }
}

async function result({ populated, measured }: Population, smallest: readonly Round[]): Promise<ScaleResult> {
  const { table, indexes } = await sizes(populated.server, populated.grants.count)
  const of = (time: keyof Round) => quantile(measured.map((round) => round[time]))
  const ratio = (time: keyof Round) =>
    quantile(measured.map((round, index) => round[time] / (smallest[index]?.[time] ?? Number.NaN)))
  return {
    grants: populated.grants.count,
    bytesPerGrant: table + indexes,
    hostTime: of('hostTime'),
    serverTime: of('serverTime'),
    serverTimeUnderLoad: of('serverTimeUnderLoad'),
    hostRatio: ratio('hostTime'),
    serverRatio: ratio('serverTime'),
    serverRatioUnderLoad: ratio('serverTimeUnderLoad'),
  }
}
