import { RedisTokenStore } from 'customer-sign-in/redis'
import { Grants } from '../grants'
import { quantile } from '../quantile'
import { RedisServer } from '../redis-server'

const inFlight = 100

/** How much is measured. */
export interface ScaleOptions {
  counts: readonly number[]
  rounds: number
  /** How many swaps a round has, twice. */
  swaps: number
}

/** The cost of one swap while a server holds so many grants. Times are microseconds, medians over all rounds. */
export interface ScaleResult {
  grants: number
  bytesPerGrant: number
  /** The time until the host has the reply, over loopback, one swap at a time. */
  hostTime: number
  /** The server's CPU time, including the script (`INFO commandstats`, evalsha), one swap at a time. */
  serverTime: number
  /** The part of it in which the script fetches the grant (get). */
  fetchTime: number
  /** The CPU time of the whole server, including the network, with many swaps in flight. */
  serverCpuUnderLoad: number
  /** Divided by the first row of the same round. */
  hostRatio: number
  serverRatio: number
}

type Round = Pick<ScaleResult, 'hostTime' | 'serverTime' | 'fetchTime' | 'serverCpuUnderLoad'>

interface Population {
  server: RedisServer
  grants: Grants
  bytesPerGrant: number
  measured: Round[]
}

/** Measures each population in its own server. All take turns in each round, so that whatever else the machine does affects all alike. */
export async function measureScale({ counts, rounds, swaps }: ScaleOptions): Promise<ScaleResult[]> {
  const populations: Population[] = []
  try {
    for (const count of counts) populations.push(await populate(count))
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < populations.length; turn++) {
        const population = populations[(round + turn) % populations.length] as Population
        population.measured.push(await measureRound(population, swaps))
      }
    }
    return populations.map((population) => result(population, populations[0] as Population))
  } finally {
    await Promise.all(populations.map(({ server }) => server.stop()))
  }
}

async function populate(count: number): Promise<Population> {
  const server = await RedisServer.start()
  const before = await server.usedMemory()
  const grants = new Grants(new RedisTokenStore(server.redis), count)
  await grants.signIn()
  return { server, grants, bytesPerGrant: ((await server.usedMemory()) - before) / count, measured: [] }
}

async function measureRound({ server, grants }: Population, swaps: number): Promise<Round> {
  const hostTimes: number[] = []
  const oneByOne = await server.commandsDuring(async () => {
    for (const number of grants.someOf(swaps)) {
      const from = performance.now()
      await grants.swap(number)
      hostTimes.push((performance.now() - from) * 1000)
    }
  })
  const before = await server.usedCpu()
  const numbers = grants.someOf(swaps)
  while (numbers.length > 0) await Promise.all(numbers.splice(0, inFlight).map((number) => grants.swap(number)))
  const serverCpuUnderLoad = ((await server.usedCpu()) - before) / swaps
  return {
    hostTime: quantile(hostTimes),
    serverTime: oneByOne.evalsha?.microseconds ?? Number.NaN,
    fetchTime: oneByOne.get?.microseconds ?? Number.NaN,
    serverCpuUnderLoad,
  }
}

function result({ grants, bytesPerGrant, measured }: Population, smallest: Population): ScaleResult {
  const of = (time: keyof Round) => quantile(measured.map((round) => round[time]))
  const ratio = (time: keyof Round) =>
    quantile(measured.map((round, index) => round[time] / (smallest.measured[index]?.[time] ?? Number.NaN)))
  return {
    grants: grants.count,
    bytesPerGrant,
    hostTime: of('hostTime'),
    serverTime: of('serverTime'),
    fetchTime: of('fetchTime'),
    serverCpuUnderLoad: of('serverCpuUnderLoad'),
    hostRatio: ratio('hostTime'),
    serverRatio: ratio('serverTime'),
  }
}
