import type { DatabaseName } from './databases'

/** The kinds of requests that are measured, in this order. */
export const workloadNames = [
  'first refreshes',
  'cold refresh',
  'refresh',
  'refresh of a registered client',
  'refresh of a document client',
  'refresh with resource',
  'refresh with a proof',
  'code',
  'sign-in',
  'lone refresh',
  'metadata',
  'api',
  'api with a new token',
  'api with revocation',
  'api with a proof',
] as const

export type WorkloadName = (typeof workloadNames)[number]

/** A server of the comparison, each measured in a process of its own. */
export interface Entry {
  name: ServerName
  /** What it is compared with: the minimal server that does the same work. It is F0 if nothing is in a database. */
  floor: ServerName
  /** Where its state is, unless it is in memory. */
  database: DatabaseName
  workloads: readonly WorkloadName[]
}

const refreshing: readonly WorkloadName[] = ['refresh', 'lone refresh']
const oauth: readonly WorkloadName[] = [...refreshing, 'code']
const tokens: readonly WorkloadName[] = [...oauth, 'refresh with resource']
// Of processes that have just started.
const starting: readonly WorkloadName[] = ['first refreshes', 'cold refresh']
const ours: readonly WorkloadName[] = [
  ...tokens,
  'refresh of a registered client',
  'refresh of a document client',
  'metadata',
  'api',
  'api with a new token',
  'api with revocation',
]

/** The floors, this library in its hosts, and the alternatives to it. */
export const lineup = [
  { name: 'F0', floor: 'F0', database: 'none', workloads: [...oauth, 'metadata', 'api'] },
  { name: 'F1', floor: 'F1', database: 'Redis', workloads: ours },
  { name: 'FX', floor: 'FX', database: 'Redis', workloads: [...ours, ...starting] },
  { name: 'customer-sign-in', floor: 'F1', database: 'Redis', workloads: [...ours, 'sign-in'] },
  {
    name: 'customer-sign-in in Express 5',
    floor: 'FX',
    database: 'Redis',
    workloads: [...ours, 'sign-in', 'refresh with a proof', 'api with a proof', ...starting],
  },
  {
    name: 'customer-sign-in, PostgreSQL',
    floor: 'F1',
    database: 'PostgreSQL',
    workloads: [...tokens, 'sign-in', 'refresh of a registered client', 'api with revocation'],
  },
  {
    name: 'customer-sign-in in Express 5, PostgreSQL',
    floor: 'FX',
    database: 'PostgreSQL',
    workloads: [...tokens, 'sign-in', 'refresh of a registered client', 'api with revocation'],
  },
  {
    name: 'customer-sign-in in Express 5, PostgreSQL in a pipeline',
    floor: 'FX',
    database: 'PostgreSQL',
    workloads: refreshing,
  },
  {
    name: 'customer-sign-in, appendfsync everysec',
    floor: 'F1',
    database: 'Redis, appendfsync everysec',
    workloads: refreshing,
  },
  {
    name: 'customer-sign-in, PostgreSQL, synchronous_commit on',
    floor: 'F1',
    database: 'PostgreSQL, synchronous_commit on',
    workloads: refreshing,
  },
  // The signer is in the process: the row shows what the library does for one, without the time that a service takes.
  { name: 'customer-sign-in, with a signer', floor: 'F1', database: 'Redis', workloads: refreshing },
  { name: 'customer-sign-in, in memory', floor: 'F0', database: 'none', workloads: oauth },
  { name: 'oidc-provider', floor: 'F1', database: 'Redis', workloads: [...tokens, 'metadata'] },
  { name: 'oidc-provider, opaque tokens', floor: 'F1', database: 'Redis', workloads: oauth },
  { name: 'mcpAuthRouter', floor: 'FX', database: 'Redis', workloads: [...tokens, 'metadata', 'api', ...starting] },
  { name: 'mcpAuthRouter, auto-pipelining', floor: 'FX', database: 'Redis', workloads: ['refresh', ...starting] },
  { name: 'express-oauth-server', floor: 'FX', database: 'Redis', workloads: [...oauth, 'api'] },
  { name: 'oauth2orize', floor: 'FX', database: 'Redis', workloads: [...oauth, ...starting] },
  { name: 'oauth2orize, auto-pipelining', floor: 'FX', database: 'Redis', workloads: ['refresh', ...starting] },
] as const satisfies readonly (Omit<Entry, 'name' | 'floor'> & {
  name: string
  floor: string
})[]

/** The name of a server in the line-up. */
export type ServerName = (typeof lineup)[number]['name']
