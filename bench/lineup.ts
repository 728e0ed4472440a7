/** The kinds of requests that are measured. */
export type WorkloadName =
  | 'refresh'
  | 'refresh with resource'
  | 'code'
  | 'metadata'
  | 'api'
  | 'api with revocation'
  | 'lone refresh'

/** A server of the comparison, each measured in a process of its own. */
export interface Entry {
  name: ServerName
  /** What it is compared with: the least that the same work costs on such a host. */
  floor: ServerName
  /** Where a constant answer is what it is compared with. */
  constant?: ServerName
  /** Whether its state is in Redis. */
  stored: boolean
  workloads: readonly WorkloadName[]
}

const refreshing: readonly WorkloadName[] = ['refresh', 'lone refresh']
const oauth: readonly WorkloadName[] = [...refreshing, 'code']
const tokens: readonly WorkloadName[] = [...oauth, 'refresh with resource']
const api: readonly WorkloadName[] = ['api', 'api with revocation']

/** The floors, this library in its hosts, and what one would pick instead. */
export const lineup = [
  { name: 'F0', floor: 'F0', stored: false, workloads: [...oauth, 'metadata', 'api'] },
  { name: 'F1', floor: 'F1', stored: true, workloads: [...tokens, 'metadata', ...api] },
  { name: 'FX', floor: 'FX', stored: true, workloads: [...tokens, 'metadata', ...api] },
  { name: 'F1 in Express 4', floor: 'F1 in Express 4', stored: true, workloads: ['metadata'] },
  { name: 'F1 in Connect', floor: 'F1 in Connect', stored: true, workloads: ['metadata'] },
  { name: 'customer-sign-in', floor: 'F1', stored: true, workloads: [...tokens, 'metadata', ...api] },
  { name: 'customer-sign-in in Express 5', floor: 'FX', stored: true, workloads: [...tokens, 'metadata', ...api] },
  {
    name: 'customer-sign-in in Express 4',
    floor: 'FX',
    constant: 'F1 in Express 4',
    stored: true,
    workloads: ['refresh', 'metadata'],
  },
  {
    name: 'customer-sign-in in Connect',
    floor: 'F1',
    constant: 'F1 in Connect',
    stored: true,
    workloads: ['refresh', 'metadata'],
  },
  { name: 'customer-sign-in, in memory', floor: 'F0', stored: false, workloads: oauth },
  { name: 'customer-sign-in in Express 5, in memory', floor: 'F0', stored: false, workloads: ['refresh'] },
  { name: 'customer-sign-in in Express 4, in memory', floor: 'F0', stored: false, workloads: ['refresh'] },
  { name: 'customer-sign-in in Connect, in memory', floor: 'F0', stored: false, workloads: ['refresh'] },
  { name: 'oidc-provider', floor: 'F1', stored: true, workloads: [...tokens, 'metadata'] },
  { name: 'oidc-provider, opaque tokens', floor: 'F1', stored: true, workloads: oauth },
  { name: 'mcpAuthRouter', floor: 'FX', stored: true, workloads: [...tokens, 'metadata', 'api'] },
  { name: 'express-oauth-server', floor: 'FX', stored: true, workloads: [...oauth, 'api'] },
  { name: 'oauth2orize', floor: 'FX', stored: true, workloads: oauth },
] as const satisfies readonly (Omit<Entry, 'name' | 'floor' | 'constant'> & {
  name: string
  floor: string
  constant?: string
})[]

/** The name of a server of the line-up. */
export type ServerName = (typeof lineup)[number]['name']
