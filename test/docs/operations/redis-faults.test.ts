import { connect, createServer, type Server, type Socket } from 'node:net'
import type { CustomerSignInEvent } from 'customer-sign-in'
import { Redis, type RedisOptions } from 'ioredis'
import request from 'supertest'
import { grantKey } from '../../support/redis-keys'
import { describeWithRedis, eventually, RedisServer } from '../../support/redis-server'
import { expectError, expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { startedOnRedis, startedOver } from '../../support/started-on-redis'
import { snippetWith, tableUnder, textOf } from '../pages'

const page = 'docs/operations-redis.md'
const customer = { tenantKey: 'acme', subject: 'customer-1' }

let server: RedisServer
beforeEach(async () => {
  server = await RedisServer.start(['--repl-diskless-sync-delay', '0'])
})
afterEach(() => server.stop())

/** The messages of the host's `error` events. */
async function errorsOf(host: TestSignIn): Promise<string[]> {
  return (await host.told('error')).map(({ error }: Extract<CustomerSignInEvent, { type: 'error' }>) => error.message)
}

describeWithRedis('Out of memory, as docs/operations-redis.md says', () => {
  it('sign-ins and refreshes get 503, everything else works, and nobody is signed out', async () => {
    const host = await startedOnRedis(server.port)
    const [tokens, other] = [await host.connected(), await host.connected({ subject: 'customer-2' })]
    await server.command('CONFIG', 'SET', 'maxmemory', '1')

    expectError(await host.refresh(tokens.refresh_token), 503, 'temporarily_unavailable')
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    const registration = request(host.url).post('/v1/acme/oauth/register')
    await registration.send({ redirect_uris: [redirectUri] }).expect(201)
    const [, words = ''] = /The `error` event then says:\n\n {4}(.+)\n/.exec(textOf(page)) ?? []
    expect((await errorsOf(host))[0]).toContain(words)

    await host.signIn.verifyAccessToken(tokens.access_token, { tenantKey: 'acme', checkRevocation: true })
    expect((await host.signIn.grants.list(customer)).grants).toHaveLength(1)
    expect(await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-2' })).toBe(1)

    await server.command('CONFIG', 'SET', 'maxmemory', '0')
    expectTokens(await host.refresh(tokens.refresh_token))
    expectError(await host.refresh(other.refresh_token), 400, 'invalid_grant')
  })

  it.each(['allkeys-lru', 'volatile-ttl'])(
    '%s signs customers out, and only a denied event shows it',
    async (policy) => {
      const host = await startedOnRedis(server.port)
      const tokens = await host.connected()
      await server.command('CONFIG', 'SET', 'maxmemory-policy', policy)
      await server.command('CONFIG', 'SET', 'maxmemory', '1')
      await server.command('SET', 'another', 'key').catch(() => {})
      await server.command('CONFIG', 'SET', 'maxmemory', '0')
      expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
      expect((await host.signIn.grants.list(customer)).grants).toEqual([])
      expect(await errorsOf(host)).toEqual([])
      expect(await host.told('denied')).toMatchObject([{ reason: 'ended_or_lost' }])
    },
  )
})

describeWithRedis('Replicas and failover, as docs/operations-redis.md says', () => {
  it('a connection follows an address that moves to another server', async () => {
    const replica = await RedisServer.start(['--replicaof', '127.0.0.1', String(server.port)])
    const address = await MovingAddress.start(server.port)
    const host = await startedOver(new Redis(address.port, '127.0.0.1', clientOptions()))
    const tokens = await host.connected()
    await eventually(async () => Number(await replica.command('DBSIZE')) === 2)

    await replica.command('REPLICAOF', 'NO', 'ONE')
    await server.command('REPLICAOF', '127.0.0.1', replica.port)
    address.target = replica.port
    let { refresh_token } = tokens
    for (let time = 0; time < 3; time++) ({ refresh_token } = expectTokens(await host.refresh(refresh_token)))
    await address.stop()
    await replica.stop()
  })

  it('without enough replicas a client gets 503, and its tokens when it retries', async () => {
    const store = { replicas: 1, replicaTimeout: 0.05 }
    const host = await startedOnRedis(server.port, { replayTolerance: 0, refreshRetryWindow: 10 })
    const waiting = await startedOnRedis(server.port, { store, replayTolerance: 0, refreshRetryWindow: 10 })
    const { refresh_token } = await host.connected()
    expectError(await waiting.refresh(refresh_token), 503, 'temporarily_unavailable')
    expect(await errorsOf(waiting)).toEqual([expect.stringContaining('0 of 1 replicas have the write')])
    const elsewhere = expectTokens(await host.refresh(refresh_token))

    const replica = await RedisServer.start(['--replicaof', '127.0.0.1', String(server.port)])
    await eventually(async () => String(await server.command('INFO', 'replication')).includes('state=online'))
    expect(expectTokens(await waiting.refresh(refresh_token)).refresh_token).toBe(elsewhere.refresh_token)
    await replica.stop()
  })

  it('min-replicas-to-write keeps a master without replicas from confirming any write', async () => {
    const host = await startedOnRedis(server.port)
    const { refresh_token } = await host.connected()
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', '1')
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', '0')
    expectTokens(await host.refresh(refresh_token))
  })
})

describeWithRedis('The error of an error event, as the docs describe it:', () => {
  const words = ['docs/operations.md', page]
    .map((each) => textOf(each).slice(textOf(each).indexOf('of an `error` event says')))
    .join('\n')

  /** The words of the table that are in the `error` event of a refresh. */
  async function saidOf(host: TestSignIn, refreshToken: string): Promise<string[]> {
    expectError(await host.refresh(refreshToken), 503, 'temporarily_unavailable')
    const [said = ''] = await errorsOf(host)
    const rows = [...words.matchAll(/^\| (`.+?) \|/gm)].map(([, cell = '']) => cell)
    const all = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word))
    return all.filter((word) => word !== 'ms' && said.includes(word))
  }

  it('Redis is out of reach', async () => {
    const { refresh_token } = await (await startedOnRedis(server.port)).connected()
    const host = await startedOnRedis(server.port, { hostTimeout: 0.5 })
    server.signal('SIGSTOP')
    expect(await saidOf(host, refresh_token)).toEqual(['took longer than'])
  })

  it.each<[string, string[], string]>([
    ['OOM command not allowed', ['CONFIG', 'SET', 'maxmemory', '1'], 'the memory is full'],
    ['READONLY', ['REPLICAOF', '127.0.0.1', '1'], 'it is a replica'],
    ["can't run this command", ['ACL', 'SETUSER', 'default', '-set'], 'the script may not do something'],
    ['NOPERM', ['ACL', 'SETUSER', 'default', '-evalsha'], 'the user may not do something'],
  ])('%s', async (said, command) => {
    const host = await startedOnRedis(server.port)
    const { refresh_token } = await host.connected()
    await server.command(command[0] as string, ...command.slice(1))
    expect(await saidOf(host, refresh_token)).toEqual([said])
  })

  it.each([
    ['WRONGPASS', { password: 'wrong' }],
    ['NOAUTH', {}],
  ])('%s', async (said, options) => {
    const { refresh_token } = await (await startedOnRedis(server.port)).connected()
    await server.command('CONFIG', 'SET', 'requirepass', 'right')
    const host = await startedOnRedis(server.port, { redis: options, hostTimeout: 30 })
    expect(await saidOf(host, refresh_token)).toEqual([said])
  })

  it('a value cannot be read', async () => {
    const host = await startedOnRedis(server.port)
    const { refresh_token } = await host.connected()
    const [grant] = (await host.signIn.grants.list(customer)).grants
    await server.command('SET', grantKey(grant?.grantId ?? ''), '2;a later version', 'KEEPTTL')
    expect(await saidOf(host, refresh_token)).toEqual(['cannot read the value of the key'])
  })

  it('names every type of event to alert on', () => {
    const rows = tableUnder('## What to alert on', 'docs/operations.md').map(
      ([event = '']) => /^`(\w+)`/.exec(event)?.[1],
    )
    expect([...new Set(rows)]).toEqual(['error', 'replayed', 'refreshed', 'retried', 'denied', 'stale', 'revoked'])
  })
})

/** The options of the client in the page's first snippet. */
function clientOptions(): RedisOptions {
  const { code } = snippetWith('reconnectOnError')
  const [, reconnect = ''] = /^ {2}reconnectOnError: (.+),$/m.exec(code) ?? []
  return { reconnectOnError: new Function(`return ${reconnect}`)() }
}

/** An address that a test can move from one server to another. */
class MovingAddress {
  target: number
  readonly port: number
  readonly #server: Server
  readonly #clients = new Set<Socket>()

  private constructor(server: Server, target: number) {
    this.#server = server
    this.target = target
    const address = server.address()
    this.port = typeof address === 'object' && address ? address.port : 0
    server.on('connection', (client) => {
      this.#clients.add(client)
      const upstream = connect(this.target, '127.0.0.1')
      for (const socket of [client, upstream]) socket.on('error', () => {})
      client.pipe(upstream).pipe(client)
    })
  }

  static async start(target: number): Promise<MovingAddress> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new MovingAddress(server, target)
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
