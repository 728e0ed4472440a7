import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Keeping } from './keeping'
import { type ServerName, type WorkloadName, workloadNames } from './lineup'
import { pinned } from './processor-cores'
import { type Comparison, comparison, type Row, type Run } from './rows'
import type { Shares } from './where-time-goes'

/** On what was measured. */
export interface About {
  processor: string
  node: string
  redis: string
  rounds: number
  pinned: boolean
  /** Of every package that is measured. */
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
  'express4',
  'connect',
  'ioredis',
  'jsonwebtoken',
  'body-parser',
]

const titles: Record<WorkloadName, string> = {
  refresh: 'A refresh, on 32 connections',
  'refresh with resource': 'A refresh with `resource`, on 32 connections',
  code: 'A code and its PKCE verifier, on 32 connections',
  'lone refresh': 'A refresh, on one lone connection',
  metadata: 'The metadata, on 32 connections; the floor is a constant answer',
  api: 'An API behind its middleware, on 32 connections',
  'api with revocation': 'The same, asking the store whether the grant has ended',
}

const peers: readonly ServerName[] = [
  'oidc-provider',
  'oidc-provider, opaque tokens',
  'mcpAuthRouter',
  'express-oauth-server',
  'oauth2orize',
]

export function aboutThis(redis: string, rounds: number): About {
  const versions = packages.map((name) => [name, JSON.parse(readFileSync(packageFile(name), 'utf8')).version])
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    node: `Node ${process.versions.node}`,
    redis,
    rounds,
    pinned,
    versions: Object.fromEntries(versions),
  }
}

function packageFile(name: string): string {
  return join(__dirname, '..', 'node_modules', name, 'package.json')
}

/** What was measured. */
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

/** All of it as Markdown. */
export function report(about: About, { rows, runs, keeping, profiles }: Measured): string {
  const workloads = workloadNames.map((name) => ({
    title: titles[name],
    rows: rows.filter(({ workload }) => workload === name),
  }))
  return [
    '# customer-sign-in beside its floors and its peers\n',
    aboutText(about),
    ...workloads.filter((each) => each.rows.length > 0).flatMap((each) => [`## ${each.title}\n`, rowsTable(each.rows)]),
    '## CPU time of a refresh here, as a share of what it is there\n',
    besideTable(runs),
    '## Where the time of a refresh goes\n',
    'The samples of a profile of the main thread, without waiting, as shares of the CPU time above.\n',
    profileTable(
      profiles.filter(({ workload }) => workload === 'refresh'),
      rows,
    ),
    '## Where the time of the metadata goes\n',
    profileTable(
      profiles.filter(({ workload }) => workload === 'metadata'),
      rows,
    ),
    '## What each does for its time\n',
    keepingTable(keeping),
  ].join('\n')
}

function aboutText({ processor, node, redis, rounds, pinned: apart, versions }: About): string {
  const cores = apart
    ? 'The servers shared a core, on which one at a time had work; load and Redis shared another one.'
    : 'Servers, load and Redis shared their cores, so that the times are too long.'
  const used = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${processor}, ${node}, ${redis}. ${rounds} rounds, in each of which all servers had their turn. ${cores}

F0 is bare node:http that reads a form and signs a JWT (ES256); F1 also has Redis compare and swap one value; FX is F1 in Express 5;
F2 is F1 with body-parser, jsonwebtoken and five digests, as this library has them; "auto-pipelined" is that option of ioredis.
They validate nothing but, for the API, a signature and an expiry.

CPU is that of the server alone, for each request, in all rounds together, and the ratio is that of these times; in half of the
rounds it is between the two that are given. What else there is are the medians of the rounds. "Busy" is the share of the time in
which the server used its core, and in which load and its Redis together used theirs.

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
      row.server === row.floor ? '' : `${row.ratio_to_floor.toFixed(2)} × ${row.floor}`,
      row.server === row.floor ? '' : `${row.ratio_low.toFixed(2)} to ${row.ratio_high.toFixed(2)}`,
      percent(row.server_busy),
      percent(row.load_busy),
    ]),
  )
}

function besideTable(runs: readonly Run[]): string {
  const ours: readonly ServerName[] = ['customer-sign-in', 'customer-sign-in in Express 5']
  return table(
    ['beside', ...ours],
    peers.map((peer) => [peer, ...ours.map((own) => spread(comparison(runs, 'refresh', own, peer)))]),
  )
}

/** The CPU time of each part: its share in a profile, of what a request takes without one. */
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
      'bytes a grant after 0, 1, 20 rotations',
      'winners of 50, refresh token',
      'winners of 50, code',
      'replay ends the grant, refresh token',
      'replay ends the grant, code',
    ],
    keeping.map((each) => [
      each.server,
      Object.entries(each.commands)
        .map(([command, count]) => (count === 1 ? command : `${Number(count.toFixed(2))} ${command}`))
        .join(', '),
      each.round_trips.toFixed(1),
      each.round_trips_with_resource?.toFixed(1) ?? '',
      [each.bytes_after_0, each.bytes_after_1, each.bytes_after_20].join(', '),
      `${each.refresh_winners}`,
      `${each.code_winners}`,
      each.replay_ends_grant ? 'yes' : 'no',
      each.code_replay_ends_grant ? 'yes' : 'no',
    ]),
  )
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
