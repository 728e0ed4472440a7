import { Connection } from './connection'
import type { WorkloadName } from './lineup'
import type { BenchServer } from './redis-server'
import type { ServerProcess } from './server-process'
import type { Profile } from './servers/order'
import { type Step, workloads } from './workloads'

/** What one run of a workload has shown. */
export interface Sample {
  /** Microseconds of CPU time that the server used for each request. */
  cpu_us: number
  rps: number
  p50_ms: number
  p99_ms: number
  /** The share of the time in which the server used its core. */
  server_busy: number
  /** The share of the time in which load and Redis used theirs. */
  load_busy: number
}

/** Runs a workload against a server. @param share Of the requests that the workload has. */
export async function measure(
  name: WorkloadName,
  server: ServerProcess,
  redis: BenchServer,
  share = 1,
): Promise<Sample> {
  return withSteps(name, server, share, (steps, requests) => sampled(() => run(steps, requests), server, redis))
}

/** What a server does in a workload. @param share As for {@link measure}. */
export async function profileOf(name: WorkloadName, server: ServerProcess, share = 1): Promise<Profile> {
  return withSteps(name, server, share, (steps, requests) => server.profileDuring(() => run(steps, requests)))
}

/** Lets the connections of a workload take their steps for as long as it warms up. */
async function withSteps<T>(
  name: WorkloadName,
  server: ServerProcess,
  share: number,
  work: (steps: readonly Step[], requests: number) => Promise<T>,
): Promise<T> {
  const workload = workloads[name]
  const [warmUp, requests] = [Math.ceil(workload.warmUp * share), Math.ceil(workload.requests * share)]
  const connections = await connected(server, workload.connections)
  try {
    const steps = await workload.open(server, connections, warmUp + requests)
    await run(steps, warmUp)
    return await work(steps, requests)
  } finally {
    for (const connection of connections) connection.close()
  }
}

function connected(server: ServerProcess, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(server.port)))
}

/** Takes as many steps, each connection as fast as it is answered. @returns How long each took, in milliseconds. */
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
  return latencies.sort()
}

async function sampled(work: () => Promise<Float64Array>, server: ServerProcess, redis: BenchServer): Promise<Sample> {
  const before = await used(server, redis)
  const latencies = await work()
  const after = await used(server, redis)
  const seconds = (after.at - before.at) / 1000
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

async function used(server: ServerProcess, redis: BenchServer): Promise<{ at: number; server: number; load: number }> {
  const { user, system } = process.cpuUsage()
  const load = user + system + (await redis.usedCpu())
  return { server: await server.usedCpu(), load, at: performance.now() }
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
