import { ClientKey } from './client-key'
import type { Answer, Connection } from './connection'
import type { WorkloadName } from './lineup'
import type { ServerProcess } from './server-process'
import { setup } from './servers/contender'

/** Sends one request, waits for the response and checks it. */
export type Step = () => Promise<void>

/** Requests of one kind. */
export interface Workload {
  connections: number
  /**
   * How many requests are sent before those that count. 60,000 refreshes are as many as it takes until the compiler is quiet: the bigger a
   * server's code is, the longer it compiles. Undefined if each round counts the first requests of a new process.
   */
  warmUp: number | undefined
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
  'first refreshes': { connections: 1, warmUp: undefined, requests: 100, open: refreshing() },
  'cold refresh': { connections: 32, warmUp: undefined, requests: 8000, open: refreshing() },
  refresh: { connections: 32, warmUp: 60_000, requests: 400, open: refreshing() },
  'refresh of a registered client': {
    connections: 32,
    warmUp: 20_000,
    requests: 400,
    open: refreshing({ client: 'registered' }),
  },
  'refresh of a document client': {
    connections: 32,
    warmUp: 20_000,
    requests: 200,
    open: refreshing({ client: 'document' }),
  },
  'refresh with resource': {
    connections: 32,
    warmUp: 10_000,
    requests: 200,
    open: refreshing({ parameters: { resource: setup.resource } }),
  },
  'refresh with a proof': { connections: 32, warmUp: 10_000, requests: 200, open: refreshingWithProofs },
  code: { connections: 32, warmUp: 10_000, requests: 200, open: redeemingCodes },
  'sign-in': { connections: 32, warmUp: 2000, requests: 100, open: signingIn },
  metadata: { connections: 32, warmUp: 30_000, requests: 1000, open: reading('metadata') },
  api: { connections: 32, warmUp: 20_000, requests: 300, open: reading('api') },
  'api with a new token': { connections: 32, warmUp: 5000, requests: 200, open: usingNewTokens },
  'api with revocation': { connections: 32, warmUp: 20_000, requests: 300, open: reading('apiWithRevocation') },
  'api with a proof': { connections: 32, warmUp: 10_000, requests: 200, open: readingWithProofs },
  'lone refresh': { connections: 1, warmUp: 300, requests: 60, open: refreshing() },
}

const authorizationRequest = {
  response_type: 'code',
  client_id: setup.clientId,
  redirect_uri: setup.redirectUri,
  code_challenge: setup.codeChallenge,
  code_challenge_method: 'S256',
  scope: setup.scope,
  resource: setup.resource,
  state: 'state',
}

/** A token response (RFC 6749 section 5.1). */
export interface Tokens {
  access_token: string
  refresh_token: string
}

/** The form that redeems a code. */
export function codeForm(code: string, clientId: string = setup.clientId): string {
  const { redirectUri, codeVerifier } = setup
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

/** Registers a client (RFC 7591). @returns Its `client_id`. */
export async function register(connection: Connection, server: ServerProcess): Promise<string> {
  const { register: path } = server.paths
  if (path === undefined) throw new Error(`${server.name} registers no clients`)
  const metadata = { client_name: 'Travel Assistant', redirect_uris: [setup.redirectUri] }
  const answer = await connection.post(path, JSON.stringify(metadata), 'application/json')
  return JSON.parse(expectStatus(201, answer, server)).client_id
}

interface RefreshOptions {
  /** More parameters of each refresh. */
  parameters?: Record<string, string>
  /** Which client each customer has: the tenant's own, one that has registered itself, or one with a metadata document. */
  client?: 'own' | 'registered' | 'document'
}

/** Each connection has a customer with a client, and redeems the refresh token that it received last. */
function refreshing({ parameters, client = 'own' }: RefreshOptions = {}): Workload['open'] {
  return async (server, connections) => {
    const steps: Step[] = []
    for (const connection of connections) {
      const known = client === 'document' ? setup.documentClientId : setup.clientId
      const clientId = client === 'registered' ? await register(connection, server) : known
      const [code = ''] = await server.issueCodes(1, clientId)
      let tokens = await redeem(connection, server, codeForm(code, clientId))
      steps.push(async () => {
        const form = refreshForm(tokens.refresh_token, { client_id: clientId, ...parameters })
        const next = await redeem(connection, server, form)
        if (next.refresh_token === tokens.refresh_token) throw new Error(`${server.name} does not rotate`)
        tokens = next
      })
    }
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

/** Each step is a whole sign-in of another customer, with its three requests. */
async function signingIn(server: ServerProcess, connections: readonly Connection[]): Promise<Traffic> {
  const { authorize } = server.paths
  if (authorize === undefined) throw new Error(`${server.name} has no page`)
  const path = `${authorize}?${form(authorizationRequest)}`
  let customers = 0
  const steps = connections.map((connection) => async () => {
    const customer = `X-Customer: ${setup.subject}-${++customers}\r\n`
    const page = expectOk(await connection.get(path, customer), server)
    const consent_token = /name="consent_token" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const allowed = await connection.post(path, form({ consent_token, decision: 'allow' }), undefined, customer)
    expectStatus(303, allowed, server)
    const code = new URL(allowed.location ?? '').searchParams.get('code') ?? ''
    await redeem(connection, server, codeForm(code))
  })
  return { steps }
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

/** Each token is used once: those of a refresh after the other, of one customer. */
async function usingNewTokens(server: ServerProcess, connections: readonly Connection[]): Promise<Traffic> {
  const [connection] = connections
  const path = server.paths.api
  if (path === undefined || !connection) throw new Error(`${server.name} has no API`)
  const [code = ''] = await server.issueCodes(1)
  let { access_token, refresh_token } = await redeem(connection, server, codeForm(code))
  const unused = [access_token]
  return {
    steps: connections.map((each) => async () => {
      expectOk(await each.get(path, `Authorization: Bearer ${unused.pop()}\r\n`), server)
    }),
    async prepare(requests) {
      while (unused.length < requests) {
        ;({ access_token, refresh_token } = await redeem(connection, server, refreshForm(refresh_token)))
        unused.push(access_token)
      }
    },
  }
}

/** The same as `refresh`, of clients that prove a key with each request (RFC 9449). */
async function refreshingWithProofs(server: ServerProcess, connections: readonly Connection[]): Promise<Traffic> {
  const steps: Step[] = []
  for (const connection of connections) {
    const key = new ClientKey()
    const post = async (body: string): Promise<Tokens> => {
      const headers = `DPoP: ${key.proof('POST', `http://127.0.0.1:${server.port}${server.paths.token}`)}\r\n`
      return JSON.parse(expectOk(await connection.post(server.paths.token, body, undefined, headers), server))
    }
    const [code = ''] = await server.issueCodes(1)
    let tokens = await post(codeForm(code))
    steps.push(async () => {
      tokens = await post(refreshForm(tokens.refresh_token))
    })
  }
  return { steps }
}

/** The same as `api`, with a token that is bound to a key. */
async function readingWithProofs(server: ServerProcess, connections: readonly Connection[]): Promise<Traffic> {
  const { api: path } = server.paths
  const [connection] = connections
  if (path === undefined || !connection) throw new Error(`${server.name} has no API`)
  const key = new ClientKey()
  const headers = `DPoP: ${key.proof('POST', `http://127.0.0.1:${server.port}${server.paths.token}`)}\r\n`
  const [code = ''] = await server.issueCodes(1)
  const answer = await connection.post(server.paths.token, codeForm(code), undefined, headers)
  const { access_token: token } = JSON.parse(expectOk(answer, server))
  // The API is not where it says that it is, as behind a proxy.
  const url = new URL(path, setup.resource).href
  const steps = connections.map((each) => async () => {
    expectOk(await each.get(path, `Authorization: DPoP ${token}\r\nDPoP: ${key.proof('GET', url, token)}\r\n`), server)
  })
  return { steps }
}

function expectOk(answer: Answer, server: ServerProcess): string {
  return expectStatus(200, answer, server)
}

function expectStatus(expected: number, { status, body }: Answer, { name }: ServerProcess): string {
  if (status !== expected) throw new Error(`${name} answered ${status}: ${body}`)
  return body
}

function form(parameters: Record<string, string>): string {
  return new URLSearchParams(parameters).toString()
}
