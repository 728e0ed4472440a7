import { generateKeyPairSync } from 'node:crypto'
import { quantile } from '../quantile'
import { connectionsOfProcess, Layout, type Shape } from './layout'

/** How much is measured. */
export interface GrowthOptions {
  rounds: number
  /** How many refreshes a round has, in each layout. */
  refreshes: number
  /** How many refreshes each process does before. */
  warmUp: number
  /** How many customers refresh in turn. */
  customers: number
}

/** Microseconds of CPU time for each refresh, over all rounds together. */
export interface Cost {
  time: number
  /** Divided by that of the first layout. */
  ratio: number
  /** In half of the rounds the ratio was between these two. */
  low: number
  high: number
}

export interface LayoutResult extends Shape {
  /** The median over the rounds. */
  perSecond: number
  /** All processes together. */
  ofProcesses: Cost
  /** All masters together. */
  ofMasters: Cost
  /** The share of the time in which the processes used their core. */
  processesBusy: number
  /** The share of the time in which the load and the masters used theirs. */
  loadBusy: number
  /** The share of the refreshes that each process had. */
  refreshShares: number[]
  /** The share of the scripts that each master ran. */
  scriptShares: number[]
  /** How many scripts the masters ran for each refresh. */
  scriptsOfRefresh: number
}

export interface GrowthResult extends GrowthOptions {
  connectionsOfProcess: number
  layouts: LayoutResult[]
}

interface Round {
  perSecond: number
  processes: number
  masters: number
  processesBusy: number
  loadBusy: number
  redeemed: number[]
}

interface Measured {
  layout: Layout
  rounds: Round[]
  scriptsBefore: number[]
}

/** Measures the layouts in turn in each round, so that whatever else the machine does affects all alike. */
export async function measureGrowth(shapes: readonly Shape[], options: GrowthOptions): Promise<GrowthResult> {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const signingKey = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  const all: Measured[] = []
  try {
    for (const shape of shapes) {
      const layout = await Layout.start(shape, signingKey, options.customers)
      all.push({ layout, rounds: [], scriptsBefore: [] })
      await layout.refresh(options.warmUp * shape.processes)
    }
    for (const each of all) each.scriptsBefore = await each.layout.scripts()
    for (let round = 0; round < options.rounds; round++) {
      for (let turn = 0; turn < all.length; turn++) {
        const { layout, rounds } = all[(round + turn) % all.length] as Measured
        rounds.push(await measureRound(layout, options.refreshes))
      }
    }
    const layouts = await Promise.all(all.map((each) => resultOf(each, all[0]?.rounds ?? [], options)))
    return { ...options, connectionsOfProcess, layouts }
  } finally {
    await Promise.all(all.map(({ layout }) => layout.stop()))
  }
}

async function measureRound(layout: Layout, refreshes: number): Promise<Round> {
  const [before, begun] = [await layout.used(), performance.now()]
  const redeemed = await layout.refresh(refreshes)
  const [seconds, after] = [(performance.now() - begun) / 1000, await layout.used()]
  const [processes, masters] = [after.processes - before.processes, after.masters - before.masters]
  return {
    perSecond: refreshes / seconds,
    processes: processes / refreshes,
    masters: masters / refreshes,
    processesBusy: processes / 1e6 / seconds,
    loadBusy: (after.load - before.load + masters) / 1e6 / seconds,
    redeemed,
  }
}

async function resultOf(
  { layout, rounds, scriptsBefore }: Measured,
  first: readonly Round[],
  options: GrowthOptions,
): Promise<LayoutResult> {
  const median = (figure: 'perSecond' | 'processesBusy' | 'loadBusy') => quantile(rounds.map((round) => round[figure]))
  const refreshes = options.rounds * options.refreshes
  const scripts = (await layout.scripts()).map((after, master) => after - (scriptsBefore[master] ?? 0))
  const redeemed = Array.from({ length: layout.shape.processes }, (_, process) =>
    sum(rounds.map((round) => round.redeemed[process] ?? 0)),
  )
  return {
    ...layout.shape,
    perSecond: median('perSecond'),
    ofProcesses: costOf('processes', rounds, first),
    ofMasters: costOf('masters', rounds, first),
    processesBusy: median('processesBusy'),
    loadBusy: median('loadBusy'),
    refreshShares: redeemed.map((each) => each / refreshes),
    scriptShares: scripts.map((each) => each / sum(scripts)),
    scriptsOfRefresh: sum(scripts) / refreshes,
  }
}

function costOf(whose: 'processes' | 'masters', rounds: readonly Round[], first: readonly Round[]): Cost {
  const [times, others] = [rounds, first].map((some) => some.map((round) => round[whose])) as [number[], number[]]
  const ratios = times.map((time, round) => time / (others[round] ?? Number.NaN))
  return {
    time: sum(times) / times.length,
    ratio: sum(times) / sum(others),
    low: quantile(ratios, 0.25),
    high: quantile(ratios, 0.75),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
