import type { Cost, GrowthResult, LayoutResult } from './measure'

export interface GrowthResults extends GrowthResult {
  /** The name and version of the Redis servers. */
  redis: string
  node: string
  processor: string
  /** Whether the processes and the load were on different cores. */
  pinned: boolean
}

/** The results as Markdown. */
export function growthReport(results: GrowthResults): string {
  const { redis, node, processor, pinned, rounds, refreshes, warmUp, customers, connectionsOfProcess, layouts } =
    results
  const cores = pinned
    ? 'All processes had one core, and the load and all Redis servers another.'
    : 'The processes and the load shared their cores, so the times are too long.'
  return `# How customer-sign-in grows

Measured with \`npm run bench -- growth\` on ${processor}, ${node} and ${redis}, all on one machine, over loopback. ${cores}

Each process is this library in Express 5. The processes of a layout share one Redis server, or a Redis Cluster of three masters without
replicas. ${whole(customers)} customers had signed in. ${connectionsOfProcess} keep-alive connections to each process redeem their refresh tokens in turn, whichever process issued
them. Each process was warmed up with ${whole(warmUp)} refreshes. Then ${rounds} rounds measured all layouts in turn, with ${whole(refreshes)} refreshes each.

## CPU time of a refresh

Microseconds, over all rounds together, of all processes and of all Redis servers of the layout. A ratio compares with the first row. The brackets
show the range of its middle half in the rounds. The first two rows measure the same, so the difference between them is the noise of all
rows.

${table(
  [
    'Processes',
    'Masters',
    'Processes, µs',
    'ratio',
    'Redis, µs',
    'ratio',
    'Refreshes a second here',
    'busy: core of the processes',
    'core of Redis and the load',
  ],
  layouts.map((layout) => [
    ...shapeOf(layout),
    ...cost(layout.ofProcesses),
    ...cost(layout.ofMasters),
    whole(layout.perSecond),
    percent(layout.processesBusy),
    percent(layout.loadBusy),
  ]),
)}

The refreshes a second are the median of the rounds. They cannot grow here, because all processes share one core.

## What each process and master adds

How many refreshes a second the CPU time allows if each process and each master has a core of its own, and nothing else limits it: the
processes together, and the masters together, of which the busiest is the limit. This was calculated from the table above. The model of
[docs/performance.md](../../docs/performance.md#scaling) multiplies the first row by the number of processes, and by the number of masters.

${table(
  ['Processes', 'Masters', 'Processes do', '÷ first row', 'model', 'Masters do', '÷ first row', 'model'],
  layouts.map((layout) => {
    const [first = layout] = layouts
    const [processes, masters] = [processesDo(layout), mastersDo(layout)]
    return [
      ...shapeOf(layout),
      whole(processes),
      (processes / processesDo(first)).toFixed(2),
      layout.processes.toFixed(2),
      whole(masters),
      (masters / mastersDo(first)).toFixed(2),
      layout.masters.toFixed(2),
    ]
  }),
)}

The commands of a turn of the event loop leave in one write for each master. With more masters there are more writes, each with fewer commands. So
a process and the masters take more time there for a refresh.

## How the work spreads

${table(
  ['Processes', 'Masters', 'Refreshes of each process', 'Commands of each master', 'Commands of a refresh'],
  layouts.map((layout) => [
    ...shapeOf(layout),
    layout.refreshShares.map(percent).join(', '),
    layout.scriptShares.map(percent).join(', '),
    layout.scriptsOfRefresh.toFixed(2),
  ]),
)}

A Cluster spreads the customers by a hash. With ${whole(customers)} customers, the expected share of one of three masters is 33.3 %, with a standard deviation of
${(100 * deviation(customers)).toFixed(1)} percentage points.
`
}

function processesDo({ processes, ofProcesses }: LayoutResult): number {
  return (processes * 1e6) / ofProcesses.time
}

function mastersDo({ ofMasters, scriptShares }: LayoutResult): number {
  return 1e6 / (ofMasters.time * Math.max(...scriptShares))
}

/** The standard deviation of the share of one of three masters. */
function deviation(customers: number): number {
  return Math.sqrt((1 / 3) * (2 / 3) * (1 / customers))
}

function shapeOf({ processes, masters }: LayoutResult): string[] {
  return [`${processes}`, `${masters}`]
}

function cost({ time, ratio, low, high }: Cost): string[] {
  return [time.toFixed(1), `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}
