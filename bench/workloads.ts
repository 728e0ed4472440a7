import type { Connection } from './connection'
import type { WorkloadName } from './lineup'
import type { ServerProcess } from './server-process'
import { setup } from './servers/contender'

/** Sends one request, waits for the response and checks it. */
export type Step = () => Promise<void>

/** Requests of one kind. */
export interface Workload {
  connections: number
  /** How many requests are sent before those that count. */
  warmUp: number
  /** How many requests a round has. */
  requests: number
  open(server: ServerProcess, connections: readonly Connection[]): Promise<Traffic>
}

/** The requests of the connections of a workload. */
export interface Traffic {
  /** One for each connection, which repeats it. */
  steps: readonly Step[]
  /** Prepares what so many steps use up, such as codes. */
  prepare?(requests: number): Promise<void>
}

export const workloads: Record<WorkloadName, Workload> = {
  refresh: { connections: 32, warmUp: 8000, requests: 400, open: refreshing() },
  'refresh with resource': {
    connections: 32,
    warmUp: 3000,
    requests: 200,
    open: refreshing({ resource: setup.resource }),
  },
  code: { connections: 32, warmUp: 3000, requests: 200, open: redeemingCodes },
  metadata: { connections: 32, warmUp: 8000, requests: 1000, open: reading('metadata') },
  api: { connections: 32, warmUp: 4000, requests: 300, open: reading('api') },
  'api with revocation': { connections: 32, warmUp: 4000, requests: 300, open: reading('apiWithRevocation') },
  'lone refresh': { connections: 1, warmUp: 300, requests: 60, open: refreshing() },
}

/** A token response (RFC 6749 section 5.1). */
export interface Tokens {
  access_token: string
  refresh_token: string
}

/** The form that redeems a code. */
export function codeForm(code: string): string {
  const { clientId, redirectUri, codeVerifier } = setup
  return form({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  })
}

/** The form that redeems a refresh token. */
export function refreshForm(refreshToken: string, more: Record<string, string> = {}): string {
  return form({ grant_type: 'refresh_token', client_id: setup.clientId, refresh_token: refreshToken, ...more })
}

/** Sends a form that redeems a code or a refresh token. */
export async function redeem(connection: Connection, server: ServerProcess, body: string): Promise<Tokens> {
  return JSON.parse(expectOk(await connection.post(server.paths.token, body), server))
}

/** Each connection has a customer, and redeems the refresh token that it received last. */
function refreshing(more?: Record<string, string>): Workload['open'] {
  return async (server, connections) => {
    const codes = await server.issueCodes(connections.length)
    const steps = await Promise.all(
      connections.map(async (connection, index) => {
        let tokens = await redeem(connection, server, codeForm(codes[index] ?? ''))
        return async () => {
          const next = await redeem(connection, server, refreshForm(tokens.refresh_token, more))
          if (next.refresh_token === tokens.refresh_token) throw new Error(`${server.name} does not rotate`)
          tokens = next
        }
      }),
    )
    return { steps }
  }
}

async function redeemingCodes(server: ServerProcess, connections: readonly Connection[]): Promise<Traffic> {
  const codes: string[] = []
  return {
    steps: connections.map((connection) => async () => {
      await redeem(connection, server, codeForm(codes.pop() ?? ''))
    }),
    async prepare(requests) {
      codes.push(...(await server.issueCodes(requests)))
    },
  }
}

function reading(what: 'metadata' | 'api' | 'apiWithRevocation'): Workload['open'] {
  return async (server, connections) => {
    const path = server.paths[what]
    const [connection] = connections
    if (path === undefined || !connection) throw new Error(`${server.name} has no ${what}`)
    const [code = ''] = await server.issueCodes(1)
    const { access_token } = await redeem(connection, server, codeForm(code))
    const headers = what === 'metadata' ? '' : `Authorization: Bearer ${access_token}\r\n`
    const steps = connections.map((each) => async () => {
      expectOk(await each.get(path, headers), server)
    })
    return { steps }
  }
}

function expectOk({ status, body }: { status: number; body: string }, { name }: ServerProcess): string {
  if (status !== 200) throw new Error(`${name} answered ${status}: ${body}`)
  return body
}

function form(parameters: Record<string, string>): string {
  return new URLSearchParams(parameters).toString()
}
