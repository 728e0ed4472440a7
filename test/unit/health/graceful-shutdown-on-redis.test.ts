import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type CustomerSignIn, createCustomerSignIn } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { endedEarly, withComplaints } from '../../support/ended-early'
import { describeWithRedis, eventually, RedisServer } from '../../support/redis-server'
import { formBody, signingKey, type Tokens } from '../../support/sign-in'

const root = join(__dirname, '../..', '..')
const baseUrl = 'https://assistants.example'
const pem = String(signingKey.export({ format: 'pem', type: 'pkcs8' }))
const secret = '0123456789'.repeat(4)

// The client of the example.
const [clientId, redirectUri] = ['travel-assistant', 'http://127.0.0.1/callback']

/** A process of the Redis example. Its clients keep their connections. */
class Host {
  readonly ended: Promise<unknown[]>
  readonly #child: ChildProcess
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true })

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.#port = port
    this.ended = once(child, 'exit')
  }

  static async start(redisPort: number, drainSeconds: number): Promise<Host> {
    const child = fork(join(root, 'examples', 'redis', 'host.ts'), ['a process'], {
      execArgv: ['--import', 'tsx'],
      cwd: root,
      env: {
        PATH: process.env.PATH,
        TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
        NODE_ENV: 'production',
        BASE_URL: baseUrl,
        REDIS_URL: `redis://127.0.0.1:${redisPort}`,
        SIGNING_KEY: pem,
        CREDENTIAL_SECRET: secret,
        DRAIN_SECONDS: String(drainSeconds),
      },
      stdio: withComplaints,
    })
    const listening = once(child, 'message') as Promise<[AddressInfo]>
    const [{ port }] = await Promise.race([listening, endedEarly(child, 'The host')])
    return new Host(child, port)
  }

  terminate(): void {
    this.#child.kill('SIGTERM')
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.ended
    this.#agent.destroy()
  }

  /** Whether it still takes connections. */
  listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  }

  async readiness(): Promise<{ status: number; body: unknown }> {
    return answerTo(this.#request('GET', '/ready').end())
  }

  token(form: Record<string, string>): Promise<{ status: number; body: Tokens; connection: string | undefined }> {
    return answerTo(this.#tokenRequest(form).end(formBody(form)))
  }

  /** Sends all but the body of a token request, and waits until the host has it. @returns Sends the body. */
  async beginToken(form: Record<string, string>): Promise<() => ReturnType<Host['token']>> {
    const begun = this.#tokenRequest(form, { Expect: '100-continue' })
    begun.flushHeaders()
    await once(begun, 'continue')
    return () => answerTo(begun.end(formBody(form)))
  }

  #tokenRequest(form: Record<string, string>, headers = {}): ClientRequest {
    return this.#request('POST', '/v1/acme/oauth/token', {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(formBody(form)),
      ...headers,
    })
  }

  #request(method: string, path: string, headers = {}): ClientRequest {
    return request({ host: '127.0.0.1', port: this.#port, method, path, agent: this.#agent, headers })
  }
}

async function answerTo<Body>(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers } = response
  return { status, body: (await json(response)) as Body, connection: headers.connection }
}

describeWithRedis('a host that gets SIGTERM', () => {
  let server: RedisServer
  let redis: Redis
  /** Signs customers in, as another process of the same host. */
  let other: CustomerSignIn
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.port, '127.0.0.1')
    const clients = [{ clientId, redirectUris: [redirectUri] }]
    other = createCustomerSignIn({
      tenantStore: { findTenant: () => ({ key: 'acme', id: 'acme', clients }) },
      tokenStore: new RedisTokenStore(redis, { keyPrefix: 'example:' }),
      baseUrl,
      keys: { signing: [pem], credentialSecrets: [secret] },
      scopes: ['bookings'],
    })
  })
  afterAll(async () => {
    await redis.quit()
    await server.stop()
  })

  const hosts: Host[] = []
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())))

  async function startedHost(drainSeconds: number): Promise<Host> {
    const host = await Host.start(server.port, drainSeconds)
    hosts.push(host)
    return host
  }

  /** The form that redeems the code of a customer who has just signed in. */
  async function newCode(): Promise<Record<string, string>> {
    const codeVerifier = randomBytes(32).toString('base64url')
    const { code } = await other.issueAuthorizationCode({
      tenantKey: 'acme',
      clientId,
      redirectUri,
      codeChallenge: codeChallengeOf(codeVerifier),
      codeChallengeMethod: 'S256',
      subject: randomUUID(),
    })
    const presented = { client_id: clientId, redirect_uri: redirectUri, code_verifier: codeVerifier }
    return { grant_type: 'authorization_code', code, ...presented }
  }

  const refreshOf = (refreshToken: string) => ({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refreshToken,
  })

  it('answers the requests that are under way, and then ends by itself', async () => {
    const host = await startedHost(0)
    const codes = await Promise.all(Array.from({ length: 10 }, newCode))
    const begun = await Promise.all(codes.map((form) => host.beginToken(form)))
    host.terminate()
    await eventually(async () => !(await host.listens()))
    const answers = await Promise.all(begun.map((finish) => finish()))
    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 200))
    expect(await host.ended).toEqual([0, null])
  })

  it('is no longer ready, goes on answering, and ends the connections of its clients', async () => {
    // Long enough for a busy machine.
    const host = await startedHost(6)
    const form = await newCode()
    expect(await host.readiness()).toMatchObject({ status: 200, body: { ready: true, ok: true } })
    const { connection } = await host.token(await newCode())
    expect(connection).toBe('keep-alive')
    host.terminate()
    await eventually(async () => (await host.readiness()).status === 503)
    const last = await host.token(form)
    expect(last).toMatchObject({ status: 200, connection: 'close' })
    expect(await host.ended).toEqual([0, null])
  })

  it('loses no session of clients that go on at another process', async () => {
    const [first, second] = [await startedHost(1), await startedHost(0)]
    let current = first
    let isOver = false
    let [answered, answeredByFirst] = [0, 0]
    const sessions: string[] = []
    const refused: unknown[] = []

    /** As a load balancer does: a request that cannot be sent goes to the other process. */
    const send = async (form: Record<string, string>) => {
      const host = current
      const answer = await host.token(form).catch(() => second.token(form))
      if (answer.status !== 200) refused.push(answer)
      if (host === first) answeredByFirst++
      answered++
      return answer.body
    }
    const client = async () => {
      while (!isOver) {
        const { refresh_token } = await send(await newCode())
        sessions.push((await send(refreshOf(refresh_token))).refresh_token)
      }
    }
    const clients = Array.from({ length: 4 }, client)
    await eventually(async () => answered >= 50)
    first.terminate()
    const before = answeredByFirst
    await eventually(async () => (await first.readiness().catch(() => ({ status: 503 }))).status === 503)
    current = second
    await first.ended
    const count = answered
    await eventually(async () => answered >= count + 50)
    isOver = true
    await Promise.all(clients)

    expect(refused).toEqual([])
    expect(answeredByFirst).toBeGreaterThanOrEqual(before)
    const last = await Promise.all(sessions.map((refreshToken) => second.token(refreshOf(refreshToken))))
    expect(last.filter(({ status }) => status !== 200)).toEqual([])
  })
})
