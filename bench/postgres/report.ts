import { likeness } from '../grants'
import { type ScaleResult, scaleSettings } from './scale'
import type { SizeResult } from './size'
import type { ThroughputResult } from './throughput'

export interface PostgresResults {
  server: string
  node: string
  /** Whether server and load were on different cores. */
  pinned: boolean
  size: SizeResult
  scale: ScaleResult[]
  throughput: ThroughputResult[]
}

/** The results as Markdown. */
export function postgresReport({ server, node, pinned, size, scale, throughput }: PostgresResults): string {
  const cores = pinned
    ? 'The server had one core, and the load another.'
    : 'The server and the load shared their cores, so the times are too long.'
  const settings = Object.entries(scaleSettings).map(([name, value]) => `\`${name} = ${value}\``)
  return `# What customer-sign-in costs a PostgreSQL server

Measured with \`npm run bench -- postgres\` on ${server} and ${node}, all on one machine, over loopback, through \`PostgresTokenStore\`. ${cores}
All settings are the defaults (so \`fsync\` and \`full_page_writes\` are on), except for those that are named, and segments of the
write-ahead log have 1 MB.

## Bytes of each active grant

${whole(size.grants)} grants of 100 tenants, each with a UUID as its id. Each grant has a customer of its own with a 40-character subject, the
client \`${likeness.clientId}\`, the resource \`${likeness.resource}\` and the scopes \`${likeness.scopes.join(' ')}\`. One session
called the functions that the store calls, each in a transaction of its own.

${table(
  ['', 'Table', 'Indexes', 'Together'],
  [
    sizeRow('its code redeemed', size.redeemed),
    sizeRow(`after ${size.rotations} refreshes of each, in any order, and a vacuum`, size.refreshed),
  ],
)}

${(size.hotShare * 100).toFixed(2)} % of the refreshes were heap-only (HOT) updates.

## Cost of one refresh

Each row has its own server (${settings.join(', ')}). Its grants were written by one \`insert\`, as the store would have written them, and each was
updated once. Each of many rounds measures all of them in turn. Times are microseconds, medians over the rounds. A ratio compares a row with
the first row of the same round. The first two rows measure the same, so the difference between them is the noise of all rows.

${table(
  [
    'Grants',
    'Host waits',
    'ratio',
    'CPU of the server',
    'ratio',
    'CPU of the server, ten refreshes in flight',
    'ratio',
    'Bytes for each grant',
  ],
  scale.map((row) => [
    whole(row.grants),
    whole(row.hostTime),
    row.hostRatio.toFixed(2),
    whole(row.serverTime),
    row.serverRatio.toFixed(2),
    whole(row.serverTimeUnderLoad),
    row.serverRatioUnderLoad.toFixed(2),
    row.grants < 100_000 ? '' : whole(row.bytesPerGrant),
  ]),
)}

With millions of grants nearly every refresh is the first change of its page since the last checkpoint. Then PostgreSQL writes the whole page of 8 kB to
the write-ahead log (\`full_page_writes\`). With 1,000 grants it does so for a few pages only.

## Refreshes of one server on one core

10,000 grants. One process sends the refreshes, over a pool of so many connections. Medians over the rounds.

${table(
  [
    '`synchronous_commit`',
    'Connections',
    'Refreshes a second',
    'CPU of the server, microseconds',
    'busy: server',
    'load',
  ],
  throughput.map((row) => [
    row.commit,
    `${row.connections}`,
    whole(row.perSecond),
    whole(row.serverTime),
    percent(row.serverBusy),
    percent(row.loadBusy),
  ]),
)}

"Busy" is the share of the time in which the server used its core, and the load its own.
`
}

function sizeRow(name: string, { table: heap, indexes }: SizeResult['redeemed']): string[] {
  return [name, whole(heap), whole(indexes), whole(heap + indexes)]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}
