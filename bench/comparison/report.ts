import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type ServerName, type WorkloadName, workloadNames } from '../lineup'
import { pinned } from '../processor-cores'
import type { Keeping } from './keeping'
import { type Comparison, comparison, type Row, type Run } from './rows'
import type { Shares } from './where-time-goes'

/** How often everything was measured. */
export interface Counts {
  /** Of all processes of a server together. */
  rounds: number
  /** Of each server. */
  processes: number
  /** How many processes of a server were started for their first requests. */
  starts: number
}

/** The machine and the versions that were measured. */
export interface About {
  processor: string
  node: string
  /** The names and versions of the databases. */
  databases: readonly string[]
  counts: Counts
  pinned: boolean
  /** The version of every package that is measured. */
  versions: Record<string, string>
}

const packages = [
  'customer-sign-in',
  'oidc-provider',
  '@modelcontextprotocol/sdk',
  '@node-oauth/express-oauth-server',
  '@node-oauth/oauth2-server',
  'oauth2orize',
  'passport',
  'express',
  'ioredis',
  'pg',
  'jsonwebtoken',
  'body-parser',
]

const titles: Record<WorkloadName, string> = {
  'first refreshes': 'The first 100 refreshes of a process, one after the other',
  'cold refresh': 'The first 8,000 refreshes of a process, on 32 connections',
  refresh: 'A refresh, on 32 connections',
  'refresh of a registered client': 'A refresh of a client that registered itself, on 32 connections',
  'refresh of a document client': 'A refresh of a client with a metadata document, on 32 connections',
  'refresh with resource': 'A refresh with `resource`, on 32 connections',
  'refresh with a proof': 'A refresh with a proof of the key that its token is bound to (DPoP), on 32 connections',
  code: 'A code and its PKCE verifier, on 32 connections',
  'sign-in':
    'A sign-in, on 32 connections: the consent page, Allow, and the code with its PKCE verifier (three requests, counted as one)',
  'lone refresh': 'A refresh, on a single connection',
  metadata: 'The metadata, on 32 connections; the floor is a constant response',
  api: 'An API behind its middleware, the same token again, on 32 connections',
  'api with a new token': 'The same, each token sent once',
  'api with revocation': 'The same token again, asking the store whether the grant has ended',
  'api with a proof': 'A token that is bound to a key, each time with a new proof of it (DPoP)',
}

const peers: readonly ServerName[] = [
  'oidc-provider',
  'oidc-provider, opaque tokens',
  'mcpAuthRouter',
  'mcpAuthRouter, auto-pipelining',
  'express-oauth-server',
  'oauth2orize',
  'oauth2orize, auto-pipelining',
]

export function aboutThis(databases: readonly string[], counts: Counts): About {
  const versions = packages.map((name) => [name, JSON.parse(readFileSync(packageFile(name), 'utf8')).version])
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    node: `Node ${process.versions.node}`,
    databases,
    counts,
    pinned,
    versions: Object.fromEntries(versions),
  }
}

function packageFile(name: string): string {
  return join(__dirname, '..', '..', '..', 'node_modules', name, 'package.json')
}

/** The results. */
export interface Measured {
  rows: readonly Row[]
  runs: readonly Run[]
  keeping: readonly Keeping[]
  /** In the order of the tables' columns. */
  profiles: readonly Profiled[]
}

/** Where the time of a server goes in a workload. */
export interface Profiled {
  server: ServerName
  workload: WorkloadName
  shares: Shares
}

/** The whole report as Markdown. */
export function report(about: About, { rows, runs, keeping, profiles }: Measured): string {
  const workloads = workloadNames.map((name) => ({
    title: titles[name],
    rows: rows.filter(({ workload }) => workload === name),
  }))
  return [
    '# customer-sign-in compared with minimal servers and with alternatives\n',
    aboutText(about),
    ...workloads.filter((each) => each.rows.length > 0).flatMap((each) => [`## ${each.title}\n`, rowsTable(each.rows)]),
    '## CPU time of a refresh, divided by that of another server\n',
    besideTable(runs),
    '## PostgreSQL compared with Redis\n',
    'What customer-sign-in takes with PostgreSQL, divided by what it takes with Redis.\n',
    postgresTable(runs),
    '## Where the time of a refresh goes\n',
    'The CPU time of each part is its share of the samples of a profile, times the CPU time above. The profile is of the main thread, without waiting.\n',
    profileTable(
      profiles.filter(({ workload }) => workload === 'refresh'),
      rows,
    ),
    '## Where the time of the metadata goes\n',
    profileTable(
      profiles.filter(({ workload }) => workload === 'metadata'),
      rows,
    ),
    '## What each server does\n',
    keepingTable(keeping),
  ].join('\n')
}

function aboutText({ processor, node, databases, counts, pinned: apart, versions }: About): string {
  const { rounds, processes, starts } = counts
  const cores = apart
    ? 'The servers shared a core, and only one of them at a time had work. Load and database shared another core.'
    : 'Servers, load and databases shared their cores, so the times are too long.'
  const used = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${processor}, ${[node, ...databases].join(', ')}. ${rounds} rounds over ${processes} processes of each server; in each round every server had its turn. ${cores}

The servers whose names begin with F are minimal servers, the floors. F0 is bare node:http that reads a form and signs a JWT (ES256).
F1 is F0, and Redis also compares and swaps one value. FX is F1 in Express 5. The floors send all commands of a turn of the event
loop in one write (\`enableAutoPipelining\` of ioredis), as this library does. They sign and verify in whichever of the ways of this Node
took the least time when they started. They validate nothing, except for the API, where they verify a signature and an expiry.

Every server was warm: it had answered as many requests as it takes until the compiler is quiet, 60,000 of them for a refresh. The exceptions
are the tables of the first requests of a process, for which each server was started ${starts} times. All ran with \`--no-memory-reducer\`, so that
they kept their compiled code while they waited for their turn. The alternatives are set up as their documentation says. Those with
\`auto-pipelining\` send all commands of a turn in one write too, as a careful host would set them up.

Redis has no append-only file, unless a name says \`appendfsync everysec\`. PostgreSQL has \`synchronous_commit = off\`, unless a name says
\`on\`, and else its default settings; each process has a pool of ten connections, or
of two that pipeline.

"CPU" is the CPU time of the server alone, for each request, over all rounds together. The ratio is that of these times. In half of the
rounds it was between the two figures given. All other figures are medians of the rounds. "Busy" is the share of the time in
which the server used its core, and in which the load and its database together used theirs.

Versions: ${used.join(', ')}.
`
}

function rowsTable(rows: readonly Row[]): string {
  return table(
    [
      'server',
      'CPU µs',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'ratio to floor',
      'half of the rounds',
      'busy: server',
      'load',
    ],
    rows.map((row) => [
      row.server,
      row.cpu_us.toFixed(0),
      row.rps.toFixed(0),
      row.p50_ms.toFixed(2),
      row.p99_ms.toFixed(2),
      hasFloor(row) ? `${row.ratio_to_floor.toFixed(2)} × ${row.floor}` : '',
      hasFloor(row) ? `${row.ratio_low.toFixed(2)} to ${row.ratio_high.toFixed(2)}` : '',
      percent(row.server_busy),
      percent(row.load_busy),
    ]),
  )
}

/** No floor shows a page, so a sign-in is compared with nothing. */
function hasFloor({ server, floor, ratio_to_floor: ratio }: Row): boolean {
  return server !== floor && !Number.isNaN(ratio)
}

function besideTable(runs: readonly Run[]): string {
  const ours: readonly ServerName[] = ['customer-sign-in', 'customer-sign-in in Express 5']
  return table(
    ['compared with', ...ours],
    peers.map((peer) => [peer, ...ours.map((own) => spread(comparison(runs, 'refresh', own, peer)))]),
  )
}

const onBothDatabases: readonly [workload: WorkloadName, postgres: ServerName, redis: ServerName][] = [
  ['refresh', 'customer-sign-in, PostgreSQL', 'customer-sign-in'],
  ['refresh', 'customer-sign-in in Express 5, PostgreSQL', 'customer-sign-in in Express 5'],
  ['refresh', 'customer-sign-in in Express 5, PostgreSQL in a pipeline', 'customer-sign-in in Express 5'],
  ['refresh of a registered client', 'customer-sign-in, PostgreSQL', 'customer-sign-in'],
  ['refresh of a registered client', 'customer-sign-in in Express 5, PostgreSQL', 'customer-sign-in in Express 5'],
  ['code', 'customer-sign-in, PostgreSQL', 'customer-sign-in'],
  ['api with revocation', 'customer-sign-in, PostgreSQL', 'customer-sign-in'],
  ['lone refresh', 'customer-sign-in, PostgreSQL', 'customer-sign-in, appendfsync everysec'],
  ['lone refresh', 'customer-sign-in, PostgreSQL, synchronous_commit on', 'customer-sign-in, appendfsync everysec'],
]

function postgresTable(runs: readonly Run[]): string {
  return table(
    ['request', 'server', 'compared with', 'CPU of the server', 'p50'],
    onBothDatabases.map(([workload, postgres, redis]) => [
      workload,
      postgres,
      redis,
      spread(comparison(runs, workload, postgres, redis)),
      spread(comparison(runs, workload, postgres, redis, 'p50_ms')),
    ]),
  )
}

/** The CPU time of each part: its share of a profile, times the CPU time of a request without a profile. */
function profileTable(profiles: Measured['profiles'], rows: readonly Row[]): string {
  const parts = new Set(profiles.flatMap(({ shares }) => Object.keys(shares)))
  const cpuOf = (of: Profiled) =>
    rows.find(({ server, workload }) => server === of.server && workload === of.workload)?.cpu_us ?? Number.NaN
  return table(
    ['CPU µs', ...profiles.map(({ server }) => server)],
    [...parts].map((part) => [part, ...profiles.map((each) => ((each.shares[part] ?? 0) * cpuOf(each)).toFixed(1))]),
  )
}

function keepingTable(keeping: readonly Keeping[]): string {
  return table(
    [
      'server',
      'commands of a refresh',
      'round trips',
      'with `resource`',
      'commands if the client registered itself',
      'round trips',
      'bytes of Redis for each grant after 0, 1, 20 rotations',
      'winners of 50, refresh token',
      'winners of 50, code',
      'replay ends the grant, refresh token',
      'replay ends the grant, code',
    ],
    keeping.map((each) => [
      each.server,
      counted(each.commands),
      each.round_trips.toFixed(1),
      each.round_trips_with_resource?.toFixed(1) ?? '',
      counted(each.commands_of_registered_client ?? {}),
      each.round_trips_of_registered_client?.toFixed(1) ?? '',
      each.bytes_after_0 === undefined ? '' : [each.bytes_after_0, each.bytes_after_1, each.bytes_after_20].join(', '),
      `${each.refresh_winners}`,
      `${each.code_winners}`,
      each.replay_ends_grant ? 'yes' : 'no',
      each.code_replay_ends_grant ? 'yes' : 'no',
    ]),
  )
}

function counted(commands: Record<string, number>): string {
  return Object.entries(commands)
    .map(([command, count]) => (count === 1 ? command : `${Number(count.toFixed(2))} ${command}`))
    .join(', ')
}

function spread({ ratio, low, high }: Comparison): string {
  return Number.isNaN(ratio) ? '' : `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`
}
