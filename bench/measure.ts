import { Connection } from './connection'
import type { Database } from './database'
import type { WorkloadName } from './lineup'
import { quantile } from './quantile'
import type { ServerProcess } from './server-process'
import type { Profile } from './servers/order'
import { type Step, type Traffic, workloads } from './workloads'

/** The figures of one run of a workload. */
export interface Sample {
  /** Microseconds of CPU time that the server used for each request. */
  cpu_us: number
  rps: number
  p50_ms: number
  p99_ms: number
  /** The share of the time in which the server used its core. */
  server_busy: number
  /** The share of the time in which the load and the database used theirs. */
  load_busy: number
}

/** A workload against a server that is warmed up. */
export class Load {
  readonly #server: ServerProcess
  readonly #database: Database
  readonly #connections: readonly Connection[]
  readonly #traffic: Traffic
  readonly #requests: number

  private constructor(
    server: ServerProcess,
    database: Database,
    connections: readonly Connection[],
    traffic: Traffic,
    requests: number,
  ) {
    this.#server = server
    this.#database = database
    this.#connections = connections
    this.#traffic = traffic
    this.#requests = requests
  }

  /** @param share The share of the workload's requests that a round has. */
  static async open(name: WorkloadName, server: ServerProcess, database: Database, share = 1): Promise<Load> {
    const { connections: count, open, warmUp, requests } = workloads[name]
    const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(server.port)))
    try {
      const traffic = await open(server, connections)
      const load = new Load(server, database, connections, traffic, Math.ceil(requests * share))
      if (warmUp !== undefined) await load.#run(Math.ceil(warmUp * share))
      return load
    } catch (error) {
      for (const connection of connections) connection.close()
      throw error
    }
  }

  /** Runs one round. */
  async sample(): Promise<Sample> {
    await this.#traffic.prepare?.(this.#requests)
    const before = await used(this.#server, this.#database)
    const begun = performance.now()
    const latencies = await run(this.#traffic.steps, this.#requests)
    const seconds = (performance.now() - begun) / 1000
    const after = await used(this.#server, this.#database)
    const cpu = after.server - before.server
    return {
      cpu_us: cpu / latencies.length,
      rps: latencies.length / seconds,
      p50_ms: quantile(latencies, 0.5),
      p99_ms: quantile(latencies, 0.99),
      server_busy: cpu / 1e6 / seconds,
      load_busy: (after.load - before.load) / 1e6 / seconds,
    }
  }

  /** Profiles the server during so many rounds. */
  profile(rounds: number): Promise<Profile> {
    return this.#server.profileDuring(() => this.#run(this.#requests * rounds))
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
  }

  async #run(requests: number): Promise<void> {
    await this.#traffic.prepare?.(requests)
    await run(this.#traffic.steps, requests)
  }
}

/** Sends so many requests, each connection as fast as the server responds. @returns The duration of each, in milliseconds. */
async function run(steps: readonly Step[], requests: number): Promise<Float64Array> {
  const latencies = new Float64Array(requests)
  let taken = 0
  const repeat = async (step: Step) => {
    while (taken < requests) {
      const index = taken++
      const begun = performance.now()
      await step()
      latencies[index] = performance.now() - begun
    }
  }
  await Promise.all(steps.map(repeat))
  return latencies
}

/** The CPU time used so far, in microseconds. */
async function used(server: ServerProcess, database: Database): Promise<{ server: number; load: number }> {
  const ofServer = await server.usedCpu()
  const { user, system } = process.cpuUsage()
  return { server: ofServer, load: user + system + (await database.usedCpu()) }
}
