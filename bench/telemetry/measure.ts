import { Load } from '../measure'
import { quantile } from '../quantile'
import { RedisServer } from '../redis-server'
import { ServerProcess } from '../server-process'

/** Who listens to a server. The second is there for the noise. */
export const listeners = [
  'nobody',
  'nobody, again',
  'a subscriber of every channel',
  'metrics',
  'metrics, one request of 100 traced',
  'metrics, every request traced',
] as const

export type Listening = (typeof listeners)[number]

/** How much is measured. */
export interface TelemetryOptions {
  rounds: number
  /** The share of the refreshes that a round, and the time before, has in `npm run bench`. */
  share: number
}

export interface TelemetryRow {
  listening: Listening
  /** Microseconds of CPU time of the server for each refresh, over all rounds together. */
  cpu_us: number
  /** Divided by that of a server that nobody listens to. */
  ratio: number
  /** In half of the rounds the ratio was between these two. */
  low: number
  high: number
}

interface Measured {
  listening: Listening
  load: Load
  times: number[]
}

/** Measures the refresh of each server in turn in each round, so that whatever else the machine does affects all alike. */
export async function measureTelemetry({ rounds, share }: TelemetryOptions): Promise<TelemetryRow[]> {
  const ends: (() => unknown)[] = []
  try {
    const all: Measured[] = []
    for (const listening of listeners) {
      const redis = await RedisServer.start()
      ends.push(() => redis.stop())
      const server = await ServerProcess.fork(listening, 'instrumented.js', [listening, `${redis.port}`])
      ends.push(() => server.stop())
      const load = await Load.open('refresh', server, redis, share)
      ends.push(() => load.close())
      all.push({ listening, load, times: [] })
    }
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < all.length; turn++) {
        const { load, times } = all[(round + turn) % all.length] as Measured
        times.push((await load.sample()).cpu_us)
      }
    }
    const unheard = all[0]?.times ?? []
    return all.map(({ listening, times }) => ({ listening, ...comparedWith(unheard, times) }))
  } finally {
    await Promise.allSettled(ends.toReversed().map((end) => end()))
  }
}

function comparedWith(others: readonly number[], times: readonly number[]): Omit<TelemetryRow, 'listening'> {
  const ratios = times.map((time, round) => time / (others[round] ?? Number.NaN))
  return {
    cpu_us: sum(times) / times.length,
    ratio: sum(times) / sum(others),
    low: quantile(ratios, 0.25),
    high: quantile(ratios, 0.75),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
