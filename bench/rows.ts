import type { Entry, ServerName, WorkloadName } from './lineup'
import type { Sample } from './measure'

/** One run of a workload against a server. */
export interface Run {
  entry: Entry
  workload: WorkloadName
  round: number
  sample: Sample
}

/** What a server has shown in a workload: the medians of its runs. */
export interface Row extends Sample {
  server: ServerName
  workload: WorkloadName
  floor: ServerName
  /** How many times the CPU time of its floor it used for each request: the median of the ratios of each round. */
  ratio_to_floor: number
}

export function rowsOf(runs: readonly Run[]): Row[] {
  const keys = new Set(runs.map(({ entry, workload }) => `${entry.name}\n${workload}`))
  return [...keys].map((key) => {
    const own = runs.filter(({ entry, workload }) => `${entry.name}\n${workload}` === key)
    const [first] = own
    if (!first) throw new Error(`There is no run of ${key}`)
    const { entry, workload } = first
    const floor = workload === 'metadata' ? (entry.constant ?? entry.floor) : entry.floor
    const of = (figure: keyof Sample) => median(own.map(({ sample }) => sample[figure]))
    return {
      server: entry.name,
      workload,
      cpu_us: of('cpu_us'),
      rps: of('rps'),
      p50_ms: of('p50_ms'),
      p99_ms: of('p99_ms'),
      server_busy: of('server_busy'),
      load_busy: of('load_busy'),
      floor,
      ratio_to_floor: ratio(runs, workload, entry.name, floor),
    }
  })
}

/** How a figure of one server compares to that of another one: the median of the ratios of each round. NaN where there are none. */
export function ratio(
  runs: readonly Run[],
  workload: WorkloadName,
  server: ServerName,
  other: ServerName,
  figure: keyof Sample = 'cpu_us',
): number {
  const of = (name: ServerName, round: number) =>
    runs.find((run) => run.entry.name === name && run.workload === workload && run.round === round)?.sample[figure]
  const rounds = [...new Set(runs.map(({ round }) => round))]
  const ratios = rounds.map((round) => (of(server, round) ?? Number.NaN) / (of(other, round) ?? Number.NaN))
  return median(ratios.filter((each) => !Number.isNaN(each)))
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}
