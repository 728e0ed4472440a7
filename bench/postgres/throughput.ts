import { quantile } from '../quantile'
import { PopulatedServer } from './populated-server'

const grants = 10_000
const cases = [
  { commit: 'off', connections: 10 },
  { commit: 'off', connections: 40 },
  { commit: 'on', connections: 10 },
  { commit: 'on', connections: 40 },
] as const

/** How many refreshes one server does on one core, with the load on another core. Medians over all rounds. */
export interface ThroughputResult {
  /** The setting `synchronous_commit`. */
  commit: 'on' | 'off'
  connections: number
  perSecond: number
  /** Microseconds of the server's CPU time for each refresh. */
  serverTime: number
  /** The share of the time in which the server used its core. */
  serverBusy: number
  /** The share of the time in which the load used its own. */
  loadBusy: number
}

type Round = Pick<ThroughputResult, 'perSecond' | 'serverTime' | 'serverBusy' | 'loadBusy'>

/** Measures the cases in turn, each with a server of its own. */
export async function measureThroughput(options: { rounds: number; swaps: number }): Promise<ThroughputResult[]> {
  const servers: { populated: PopulatedServer; measured: Round[]; case: (typeof cases)[number] }[] = []
  try {
    for (const each of cases) {
      const populated = await PopulatedServer.filled(grants, { synchronous_commit: each.commit }, each.connections)
      servers.push({ populated, measured: [], case: each })
    }
    for (let round = 0; round < options.rounds; round++) {
      for (const { populated, measured, case: each } of servers) {
        measured.push(await measureRound(populated, each.connections, options.swaps))
      }
    }
    return servers.map(({ measured, case: each }) => {
      const of = (figure: keyof Round) => quantile(measured.map((round) => round[figure]))
      return {
        ...each,
        perSecond: of('perSecond'),
        serverTime: of('serverTime'),
        serverBusy: of('serverBusy'),
        loadBusy: of('loadBusy'),
      }
    })
  } finally {
    await Promise.all(servers.map(({ populated }) => populated.stop()))
  }
}

async function measureRound({ server, grants }: PopulatedServer, inFlight: number, swaps: number): Promise<Round> {
  const numbers = grants.someOf(swaps)
  const [server0, load0, begun] = [await server.usedCpu(), process.cpuUsage(), performance.now()]
  await grants.swapAll(numbers, inFlight)
  const seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(load0)
  const ofServer = (await server.usedCpu()) - server0
  return {
    perSecond: swaps / seconds,
    serverTime: ofServer / swaps,
    serverBusy: ofServer / 1e6 / seconds,
    loadBusy: (user + system) / 1e6 / seconds,
  }
}
