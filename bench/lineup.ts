/** The kinds of requests that are measured, in this order. */
export const workloadNames = [
  'refresh',
  'refresh with resource',
  'code',
  'lone refresh',
  'metadata',
  'api',
  'api with revocation',
] as const

export type WorkloadName = (typeof workloadNames)[number]

/** A server of the comparison, each measured in a process of its own. */
export interface Entry {
  name: ServerName
  /** What it is compared with: the minimal server that does the same work. It is F0 if nothing is in Redis. */
  floor: ServerName
  /** What its metadata is compared with, if that is another server. */
  metadataFloor?: ServerName
  /** Whether its state is in Redis. */
  stored: boolean
  workloads: readonly WorkloadName[]
}

const refreshing: readonly WorkloadName[] = ['refresh', 'lone refresh']
const oauth: readonly WorkloadName[] = [...refreshing, 'code']
const tokens: readonly WorkloadName[] = [...oauth, 'refresh with resource']
const api: readonly WorkloadName[] = ['api', 'api with revocation']

// These workloads are for floors and for this library.
const few = { stored: true, workloads: ['refresh', 'metadata'] } as const
const inExpress4 = { ...few, floor: 'FX', metadataFloor: 'F1 in Express 4' } as const
const inConnect = { ...few, floor: 'F1', metadataFloor: 'F1 in Connect' } as const

/** The floors, this library in its hosts, and the alternatives to it. */
export const lineup = [
  { name: 'F0', floor: 'F0', stored: false, workloads: [...oauth, 'metadata', 'api'] },
  { name: 'F1', floor: 'F1', stored: true, workloads: [...tokens, 'metadata', ...api] },
  { name: 'FX', floor: 'FX', stored: true, workloads: [...tokens, 'metadata', ...api] },
  { name: 'F1 in Express 4', ...inExpress4 },
  { name: 'F1 in Connect', ...inConnect },
  { name: 'F1, auto-pipelined', floor: 'F1', stored: true, workloads: ['refresh'] },
  { name: 'F2', floor: 'F1', stored: true, workloads: ['refresh'] },
  { name: 'F2 in Express 5', floor: 'FX', stored: true, workloads: ['refresh'] },
  { name: 'customer-sign-in', floor: 'F1', stored: true, workloads: [...tokens, 'metadata', ...api] },
  { name: 'customer-sign-in in Express 5', floor: 'FX', stored: true, workloads: [...tokens, 'metadata', ...api] },
  { name: 'customer-sign-in in Express 4', ...inExpress4 },
  { name: 'customer-sign-in in Connect', ...inConnect },
  { name: 'customer-sign-in, in memory', floor: 'F0', stored: false, workloads: oauth },
  { name: 'customer-sign-in in Express 5, in memory', floor: 'F0', stored: false, workloads: ['refresh'] },
  { name: 'customer-sign-in in Express 4, in memory', floor: 'F0', stored: false, workloads: ['refresh'] },
  { name: 'customer-sign-in in Connect, in memory', floor: 'F0', stored: false, workloads: ['refresh'] },
  { name: 'oidc-provider', floor: 'F1', stored: true, workloads: [...tokens, 'metadata'] },
  { name: 'oidc-provider, opaque tokens', floor: 'F1', stored: true, workloads: oauth },
  { name: 'mcpAuthRouter', floor: 'FX', stored: true, workloads: [...tokens, 'metadata', 'api'] },
  { name: 'express-oauth-server', floor: 'FX', stored: true, workloads: [...oauth, 'api'] },
  { name: 'oauth2orize', floor: 'FX', stored: true, workloads: oauth },
] as const satisfies readonly (Omit<Entry, 'name' | 'floor' | 'metadataFloor'> & {
  name: string
  floor: string
  metadataFloor?: string
})[]

/** The name of a server in the line-up. */
export type ServerName = (typeof lineup)[number]['name']
