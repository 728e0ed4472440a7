import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { table } from './table'

/** A row of bench/results/node-24.json. */
interface Row {
  server: string
  workload: string
  cpu_us: number
  rps: number
  p50_ms: number
  /** Null where the floor does not serve such a request. */
  ratio_to_floor: number | null
  ratio_low: number
  ratio_high: number
  floor: string
}

const textOf = (file: string) => readFileSync(join(__dirname, '../../bench/results', file), 'utf8')
const rowsOn = (version: string): Row[] => JSON.parse(textOf(`node-${version}.json`))
const versions = ['24', '26'] as const
// The version of the tables that show only one.
const [shown] = versions

function cpuOn(version: string, workload: string, server: string): number {
  const found = rowsOn(version).find((row) => row.server === server && row.workload === workload)
  if (!found) throw new Error(`There is no row of ${server}, ${workload}`)
  return found.cpu_us
}

/** A table of a file in bench/results, as it is: the first one after a heading. */
export const copied = (file: string, heading: string) => () => {
  const [, after = ''] = `\n${textOf(file)}`.split(`\n${heading}\n`)
  const [found] = /(?:^\|.*\|$\n?)+/m.exec(after) ?? []
  if (found === undefined) throw new Error(`${file} has no table under ${heading}`)
  return found.trim()
}

const ratio = ({ server, floor, ratio_to_floor }: Row) =>
  server === floor || ratio_to_floor === null ? '' : `${ratio_to_floor.toFixed(2)} × ${floor}`

const half = ({ server, floor, ratio_low, ratio_high }: Row) =>
  server === floor ? '' : `${ratio_low.toFixed(2)} to ${ratio_high.toFixed(2)}`

function refresh(): string {
  const rows = rowsOn(shown).filter(({ workload }) => workload === 'refresh')
  return table(
    ['server', 'CPU µs', 'requests/s', 'ratio to its floor', 'half of the rounds'],
    rows.map((row) => [row.server, row.cpu_us.toFixed(0), row.rps.toFixed(0), ratio(row), half(row)]),
  )
}

// Tables of their own show these.
const shownApart = ['refresh', 'first refreshes', 'cold refresh']

const ofOneProcess = { 'first refreshes': 'first 100', 'cold refresh': 'first 8,000', refresh: 'warm' }

function cold(): string {
  const others = rowsOn(shown).filter(({ workload, server }) => workload === 'cold refresh' && server !== inExpress)
  return table(
    ['compared with', ...Object.values(ofOneProcess)],
    others.map(({ server }) => [
      server,
      ...Object.keys(ofOneProcess).map((each) =>
        (cpuOn(shown, each, inExpress) / cpuOn(shown, each, server)).toFixed(2),
      ),
    ]),
  )
}

function otherRequests(): string {
  const rows = rowsOn(shown).filter(({ workload, server }) => !shownApart.includes(workload) && server !== 'F0')
  return table(
    ['request', 'server', 'CPU µs', 'p50 ms', 'ratio to its floor'],
    rows.map((row) => [row.workload, row.server, row.cpu_us.toFixed(0), row.p50_ms.toFixed(2), ratio(row)]),
  )
}

const [inExpress, onPostgres] = ['customer-sign-in in Express 5', 'customer-sign-in in Express 5, PostgreSQL']

// What a reader looks for first.
const inShort = [
  ['refresh', inExpress, 'mcpAuthRouter'],
  ['refresh', inExpress, 'mcpAuthRouter, auto-pipelining'],
  ['refresh', inExpress, 'oauth2orize'],
  ['refresh', inExpress, 'oauth2orize, auto-pipelining'],
  ['refresh', inExpress, 'express-oauth-server'],
  ['refresh', inExpress, 'oidc-provider'],
  ['refresh', inExpress, 'FX'],
  ['refresh', inExpress, 'customer-sign-in'],
  ['cold refresh', inExpress, 'mcpAuthRouter'],
  ['cold refresh', inExpress, 'oauth2orize'],
  ['refresh', onPostgres, inExpress],
  ['refresh', `${onPostgres} in a pipeline`, inExpress],
  ['code', inExpress, 'FX'],
  ['api', inExpress, 'FX'],
  ['api with revocation', inExpress, 'FX'],
  ['api with a new token', inExpress, 'FX'],
  ['metadata', inExpress, 'FX'],
] as const

// Compared with the refresh of a client that is in the tenant's record.
const otherClients = ['refresh of a registered client', 'refresh of a document client'] as const

function shortly(): string {
  const ratioOn = (version: string, [workload, server, other]: readonly [string, string, string]) =>
    cpuOn(version, workload, server) / cpuOn(version, workload, other)
  // Each kind of request was measured at another time, so each is divided by its floor first.
  const toOwnOn = (version: string, workload: string) =>
    ratioOn(version, [workload, inExpress, 'FX']) / ratioOn(version, ['refresh', inExpress, 'FX'])
  return table(
    ['request', 'server', 'compared with', ...versions.map((version) => `Node ${version}`)],
    [
      ...inShort.map((row) => [...row, ...versions.map((version) => ratioOn(version, row).toFixed(2))]),
      ...otherClients.map((workload) => [
        workload,
        inExpress,
        'a refresh of your own client',
        ...versions.map((version) => toOwnOn(version, workload).toFixed(2)),
      ]),
    ],
  )
}

/** A row of bench/results/node-24-databases.json. */
interface ServerRow {
  server: string
  commands: Record<string, number>
  round_trips: number
  /** Absent for PostgreSQL. */
  bytes_after_0?: number
  bytes_after_1?: number
  bytes_after_20?: number
  refresh_winners: number
  code_winners: number
  replay_ends_grant: boolean
  code_replay_ends_grant: boolean
}

function whatEachDoes(): string {
  const rows: ServerRow[] = JSON.parse(textOf(`node-${shown}-databases.json`))
  const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')
  const counted = ([name, count]: [string, number]) => (count === 1 ? name : `${count} ${name}`)
  return table(
    [
      'server',
      'round trips',
      'commands',
      'bytes after 0, 1, 20 refreshes',
      'winners of 50',
      'of 50 with one code',
      'replay ends the grant',
      'of a code',
    ],
    rows.map((row) => [
      row.server,
      `${row.round_trips}`,
      Object.entries(row.commands).map(counted).join(', '),
      row.bytes_after_0 === undefined ? '' : [row.bytes_after_0, row.bytes_after_1, row.bytes_after_20].join(', '),
      `${row.refresh_winners}`,
      `${row.code_winners}`,
      yesOrNo(row.replay_ends_grant),
      yesOrNo(row.code_replay_ends_grant),
    ]),
  )
}

/** Multiplies what was measured: each grant is refreshed once an hour, processes are half busy, a shard has 20,000,000 grants. */
function scaling(): string {
  const { memory, scale } = JSON.parse(textOf('redis.json'))
  const rps = rowsOn(shown).find(
    ({ server, workload }) => server === 'customer-sign-in in Express 5' && workload === 'refresh',
  )?.rps as number
  const script = Math.max(...scale.map((each: { serverCpuUnderLoad: number }) => each.serverCpuUnderLoad))
  const rows = [1e6, 1e7, 1e8].map((grants) => {
    const [refreshes, shards] = [grants / 3600, Math.ceil(grants / 2e7)]
    return [
      grants.toLocaleString('en'),
      Math.round(refreshes).toLocaleString('en'),
      `${Math.ceil(refreshes / (rps / 2))}`,
      `${shards}`,
      `${(((grants / shards) * memory.bytesPerGrantAfterRotations) / 1e9).toFixed(1)} GB`,
      `${(((refreshes / shards) * script) / 1e4).toFixed(1)} %`,
    ]
  })
  return table(
    ['active grants', 'refreshes a second', 'processes', 'shards', 'memory of each shard', 'CPU of each shard'],
    rows,
  )
}

export const measured = {
  'in-short': shortly,
  refresh,
  cold,
  'other-requests': otherRequests,
  peers: copied(`node-${shown}.md`, '## CPU time of a refresh, divided by that of another server'),
  'what-each-does': whatEachDoes,
  stores: copied(`node-${shown}.md`, '## PostgreSQL compared with Redis'),
  'refresh-profile': copied(`node-${shown}.md`, '## Where the time of a refresh goes'),
  'metadata-profile': copied(`node-${shown}.md`, '## Where the time of the metadata goes'),
  listeners: copied('telemetry.md', '## CPU time of a refresh by who listens'),
  scaling,
  size: copied('size.md', '## What each call takes'),
  growth: copied('growth.md', '## What each process and master adds'),
  endurance: copied('endurance.md', '# One process of customer-sign-in under full load'),
}
