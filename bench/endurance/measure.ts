import { createHistogram } from 'node:perf_hooks'
import { Connection } from '../connection'
import type { Database } from '../database'
import type { ServerProcess } from '../server-process'
import { type Step, workloads } from '../workloads'
import { type Line, lineThrough } from './line'

const { connections: connectionCount, open } = workloads.refresh
// The first two periods are not part of the line: caches and compiled code still grow.
const settling = 2

/** How much is measured. */
export interface EnduranceOptions {
  /** How many times the load runs, with a collection of all garbage after each. */
  periods: number
  /** How long it runs each time. */
  seconds: number
  /** How many refreshes come before. */
  warmUp: number
}

/** What was seen after a period. */
export interface Period {
  /** How many refreshes there have been, without the warm-up. */
  refreshes: number
  perSecond: number
  /** Bytes of the heap that are in use, after all garbage was collected. */
  heapUsed: number
  /** Bytes of all memory of the process, before the collection. */
  rss: number
}

/** How one server did during all periods together. The collections between them, and the time that they took, are not part of it. */
export interface EnduranceResult extends EnduranceOptions {
  connections: number
  perSecond: number
  /** Microseconds of CPU time for each refresh. */
  cpuTime: number
  /** Milliseconds that a client waited. */
  latency: { p50: number; p99: number; p999: number; max: number }
  /** The share of the CPU time in which the garbage collector stopped the main thread. */
  collectorShare: number
  /** The share of the CPU time that all threads took, except for the main one. */
  helpersShare: number
  /** The share of the time in which the server used its core. */
  serverBusy: number
  /** The share of the time in which the load and the database used theirs. */
  loadBusy: number
  /** Bytes by which the used heap grows with a million refreshes, after the first two periods. */
  growth: Pick<Line, 'slope' | 'error'>
  measured: Period[]
}

/** Keeps a server under full load. It must have been started with `--expose-gc`. */
export async function measureEndurance(
  server: ServerProcess,
  database: Database,
  options: EnduranceOptions,
): Promise<EnduranceResult> {
  const { periods, seconds, warmUp } = options
  const connections = await Promise.all(Array.from({ length: connectionCount }, () => Connection.open(server.port)))
  try {
    const { steps } = await open(server, connections)
    await repeat(steps, (sent) => sent < warmUp)
    const latencies = createHistogram()
    const sum = { refreshes: 0, seconds: 0, cpu: 0, helpers: 0, pauses: 0, load: 0 }
    const measured: Period[] = []
    for (let period = 0; period < periods; period++) {
      const [before, loadBefore, begun] = [await server.times(), await loadCpu(database), performance.now()]
      const refreshes = await repeat(steps, () => performance.now() - begun < seconds * 1000, latencies)
      const [ended, loadAfter, after] = [performance.now(), await loadCpu(database), await server.times()]
      const taken = (ended - begun) / 1000
      sum.refreshes += refreshes
      sum.seconds += taken
      sum.load += loadAfter - loadBefore
      for (const key of ['cpu', 'helpers', 'pauses'] as const) sum[key] += after[key] - before[key]
      measured.push({ refreshes: sum.refreshes, perSecond: refreshes / taken, ...(await server.collectGarbage()) })
      process.stderr.write(`period ${period + 1} of ${periods}: ${Math.round(refreshes / taken)} refreshes a second\n`)
    }
    const percentile = (percent: number) => latencies.percentile(percent) / 1000
    return {
      ...options,
      connections: connectionCount,
      perSecond: sum.refreshes / sum.seconds,
      cpuTime: sum.cpu / sum.refreshes,
      latency: { p50: percentile(50), p99: percentile(99), p999: percentile(99.9), max: latencies.max / 1000 },
      collectorShare: sum.pauses / sum.cpu,
      helpersShare: sum.helpers / sum.cpu,
      serverBusy: sum.cpu / 1e6 / sum.seconds,
      loadBusy: sum.load / 1e6 / sum.seconds,
      growth: growthOf(measured.slice(settling - 1)),
      measured,
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}

/** Sends requests, each connection as fast as the server responds. @returns How many. */
async function repeat(
  steps: readonly Step[],
  goesOn: (sent: number) => boolean,
  latencies = createHistogram(),
): Promise<number> {
  let sent = 0
  const run = async (step: Step) => {
    while (goesOn(sent)) {
      sent++
      const begun = performance.now()
      await step()
      // Microseconds.
      latencies.record(Math.max(1, Math.round((performance.now() - begun) * 1000)))
    }
  }
  await Promise.all(steps.map(run))
  return sent
}

/** The CPU time of the load and the database so far, in microseconds. */
async function loadCpu(database: Database): Promise<number> {
  const { user, system } = process.cpuUsage()
  return user + system + (await database.usedCpu())
}

function growthOf(periods: readonly Period[]): Pick<Line, 'slope' | 'error'> {
  return lineThrough(periods.map(({ refreshes, heapUsed }) => ({ x: refreshes / 1e6, y: heapUsed })))
}
