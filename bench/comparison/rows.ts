import type { Entry, ServerName, WorkloadName } from '../lineup'
import type { Sample } from '../measure'
import { quantile } from '../quantile'

/** One round of a workload against a server. */
export interface Run {
  entry: Entry
  workload: WorkloadName
  round: number
  sample: Sample
}

/** The results of a server in a workload: the CPU time over all rounds together, and the medians of all other figures. */
export interface Row extends Sample {
  server: ServerName
  workload: WorkloadName
  floor: ServerName
  /** Its CPU time divided by that of its floor, over all rounds together. */
  ratio_to_floor: number
  /** In half of the rounds the ratio was between these two. */
  ratio_low: number
  ratio_high: number
}

export function rowsOf(runs: readonly Run[]): Row[] {
  const keys = new Set(runs.map(({ entry, workload }) => `${entry.name}\n${workload}`))
  return [...keys].map((key) => {
    const own = runs.filter(({ entry, workload }) => `${entry.name}\n${workload}` === key)
    const [first] = own
    if (!first) throw new Error(`There is no run of ${key}`)
    const { entry, workload } = first
    const { floor } = entry
    const of = (figure: keyof Sample) => quantile(own.map(({ sample }) => sample[figure]))
    const { ratio, low, high } = comparison(runs, workload, entry.name, floor)
    return {
      server: entry.name,
      workload,
      cpu_us: mean(own.map(({ sample }) => sample.cpu_us)),
      rps: of('rps'),
      p50_ms: of('p50_ms'),
      p99_ms: of('p99_ms'),
      server_busy: of('server_busy'),
      load_busy: of('load_busy'),
      floor,
      ratio_to_floor: ratio,
      ratio_low: low,
      ratio_high: high,
    }
  })
}

/** A figure of one server divided by that of another: over all rounds together, and the range of the middle half of the rounds. */
export interface Comparison {
  ratio: number
  low: number
  high: number
}

/** @param figure Default: the CPU time. @returns NaN if one of them was not measured. */
export function comparison(
  runs: readonly Run[],
  workload: WorkloadName,
  server: ServerName,
  other: ServerName,
  figure: keyof Sample = 'cpu_us',
): Comparison {
  const timesOf = (name: ServerName) =>
    runs
      .filter((run) => run.entry.name === name && run.workload === workload)
      .sort((one, another) => one.round - another.round)
      .map(({ sample }) => sample[figure])
  const [times, others] = [timesOf(server), timesOf(other)]
  const ratios = times.map((time, round) => time / (others[round] ?? Number.NaN))
  return { ratio: mean(times) / mean(others), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
