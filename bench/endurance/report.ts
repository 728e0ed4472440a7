import type { ServerName } from '../lineup'
import type { EnduranceResult } from './measure'

export interface EnduranceResults extends EnduranceResult {
  server: ServerName
  /** The name and version of the database. */
  database: string
  node: string
  processor: string
  /** Whether server and load were on different cores. */
  pinned: boolean
}

/** The results as Markdown. */
export function enduranceReport(results: EnduranceResults): string {
  const { server, database, node, processor, pinned, connections, periods, seconds, latency, growth, measured } =
    results
  const cores = pinned
    ? 'The server had one core, and the load and the database another.'
    : 'Server and load shared their cores, so the times are too long.'
  return `# One process of customer-sign-in under full load

Measured with \`npm run bench -- endurance\` on ${processor}, ${node} and ${database}, all on one machine, over loopback. ${cores}

The server is "${server}" of [the benchmark](../main.ts). ${connections} keep-alive connections refreshed for ${periods} times ${seconds} seconds, after
${whole(results.warmUp)} refreshes that do not count. Each connection has a customer, and redeems the refresh token that it received last, as soon as it
has it. After each ${seconds} seconds the load paused, and the server collected all garbage (\`gc()\` of \`--expose-gc\`, three times). The pause and these
collections are in no time and no share below; the collections that Node makes by itself are.

${table(
  ['', ''],
  [
    ['Refreshes', whole(measured.at(-1)?.refreshes ?? 0)],
    ['Refreshes a second', whole(results.perSecond)],
    ['CPU of the server for a refresh, microseconds', whole(results.cpuTime)],
    ['A client waits, median (p50)', milliseconds(latency.p50)],
    ['99 % wait at most (p99)', milliseconds(latency.p99)],
    ['99.9 % wait at most (p99.9)', milliseconds(latency.p999)],
    ['The longest wait', milliseconds(latency.max)],
    ['p99.9 ÷ p50', (latency.p999 / latency.p50).toFixed(1)],
    ['Pauses of the garbage collector ÷ CPU time', percent(results.collectorShare)],
    ['CPU time of all threads but the main one ÷ CPU time', percent(results.helpersShare)],
    ['Busy: the core of the server', percent(results.serverBusy)],
    ['Busy: the core of the load and the database', percent(results.loadBusy)],
    ['Growth of the used heap with a million refreshes', `${kilobytes(growth.slope)} (± ${kilobytes(growth.error)})`],
  ],
)}

The waits include whatever the load itself had to wait for. A pause is the time in which the collector stopped the main thread
(\`PerformanceObserver\`, entries \`gc\`). It is measured by the clock, so on a busy machine the share is too large. The threads that
help the collector run beside it. They are among "all threads but the main one", together with those of the compiler and the
thread pool.

The growth is the slope of the straight line through the used heap after each collection, by least squares, from the second
collection on; ± is its standard error. A growth of less than twice that error cannot be told from none.

## Memory

${table(
  [
    'Refreshes so far',
    'Refreshes a second',
    'Heap in use after the collection',
    'Memory of the process (RSS) before it',
  ],
  measured.map((period) => [
    whole(period.refreshes),
    whole(period.perSecond),
    kilobytes(period.heapUsed),
    `${(period.rss / 1e6).toFixed(1)} MB`,
  ]),
)}
`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function milliseconds(number: number): string {
  return `${number.toFixed(2)} ms`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}
