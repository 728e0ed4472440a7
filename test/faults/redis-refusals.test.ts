import { OldRedis } from '../support/old-redis'
import { describeWithRedis, eventually, RedisServer } from '../support/redis-server'
import { everythingIn, expectOneClearError, refreshedEventually } from '../support/refusal'
import { clientId, expectError, expectTokens } from '../support/sign-in'
import { started } from '../support/started'
import { startedOnRedis } from '../support/started-on-redis'

/** A reason for which a server refuses commands: how to cause it, and how to end it. */
interface Refusal {
  named: RegExp
  begin(server: RedisServer): Promise<unknown>
  end(server: RedisServer): Promise<unknown>
}

const password = 'the-password-of-the-host'

const refusals: Record<string, Refusal> = {
  'is out of memory, under noeviction': {
    named: /OOM/,
    begin: (server) => server.command('CONFIG', 'SET', 'maxmemory', '1'),
    end: (server) => server.command('CONFIG', 'SET', 'maxmemory', '0'),
  },
  'has become a read-only replica': {
    named: /READONLY/,
    begin: (server) => server.command('REPLICAOF', '127.0.0.1', '1'),
    end: (server) => server.command('REPLICAOF', 'NO', 'ONE'),
  },
  'has fewer replicas than it must have': {
    named: /NOREPLICAS/,
    begin: (server) => server.command('CONFIG', 'SET', 'min-replicas-to-write', '1'),
    end: (server) => server.command('CONFIG', 'SET', 'min-replicas-to-write', '0'),
  },
  'wants another password': {
    named: /WRONGPASS/,
    begin: async (server) => {
      await server.command('ACL', 'SETUSER', 'host', 'resetpass', '>another-password')
      await server.command('CLIENT', 'KILL', 'USER', 'host')
    },
    end: (server) => server.command('ACL', 'SETUSER', 'host', `>${password}`),
  },
  'no longer lets the user run scripts': {
    named: /NOPERM/,
    begin: (server) => server.command('ACL', 'SETUSER', 'host', '-@scripting'),
    end: (server) => server.command('ACL', 'SETUSER', 'host', '+@all'),
  },
}

describeWithRedis('a Redis server that refuses', () => {
  let server: RedisServer
  beforeEach(async () => {
    server = await RedisServer.start()
    await server.command('ACL', 'SETUSER', 'host', 'on', `>${password}`, '~*', '+@all')
  })
  afterEach(() => server.stop())

  it.each(Object.entries(refusals))('because it %s causes one clear event, and loses nothing', async (_, refusal) => {
    const redis = { username: 'host', password, retryStrategy: () => 10 }
    const host = await startedOnRedis(server.port, { redis, replayTolerance: 0 })
    const { refresh_token } = await host.connected()
    await refusal.begin(server)
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await expectOneClearError(host, refusal.named, password, refresh_token)
    await refusal.end(server)
    const next = await refreshedEventually(host, refresh_token)
    expectTokens(await host.refresh(next.refresh_token))
    await host.connected()
  })

  it('because it wants another password does not make any error quote the right one', async () => {
    const host = await startedOnRedis(server.port, { redis: { username: 'host', password, retryStrategy: () => 10 } })
    await host.connected()
    await refusals['wants another password']?.begin(server)
    const { grants } = host.signIn
    for (const refused of [
      () => host.asCustomer(),
      () => grants.list({ tenantKey: 'acme', subject: 'customer-1' }),
      () => grants.revokeAll({ tenantKey: 'acme', clientId }),
    ]) {
      const error = await refused().catch((error) => error)
      expect(error).toMatchObject({ code: 'temporarily_unavailable', status: 503 })
      expect(everythingIn(error)).not.toContain(password)
    }
  })

  it('because it is out of memory keeps nothing of the sign-ins that it refuses', async () => {
    const host = await startedOnRedis(server.port)
    await host.connected()
    await server.command('CONFIG', 'SET', 'maxmemory', '1')
    for (const attempt of [1, 2, 3]) {
      await expect(host.asCustomer({ subject: `new-${attempt}` })).rejects.toMatchObject({ status: 503 })
    }
    expect(await server.command('KEYS', '*new*')).toEqual([])
  })

  it('because it loads its data causes one clear event, and loses nothing', async () => {
    const host = await startedOnRedis(server.port, { redis: { enableReadyCheck: false, retryStrategy: () => 10 } })
    const { refresh_token } = await host.connected()
    const loaded = await restartLoading(server)
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await expectOneClearError(host, /LOADING/, refresh_token)
    await loaded()
    await refreshedEventually(host, refresh_token)
  })

  it('because it loads its data makes no request hang if the Redis client waits for it', async () => {
    const { refresh_token } = await (await startedOnRedis(server.port)).connected()
    const host = await startedOnRedis(server.port, { redis: { maxLoadingRetryTime: 50 }, hostTimeout: 0.5 })
    const loaded = await restartLoading(server)
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    expect(await host.told('error')).toHaveLength(1)
    await loaded()
    await refreshedEventually(host, refresh_token)
  })
})

/** Starts the server again with so much data that it goes on loading until it is told to hurry. */
async function restartLoading(server: RedisServer): Promise<() => Promise<unknown>> {
  await server.command('EVAL', "for i = 1, 1000 do redis.call('SET', 'other:' .. i, string.rep('x', 2000)) end", 0)
  await server.command('CONFIG', 'SET', 'rdbcompression', 'no')
  await server.command('SAVE')
  await server.kill()
  const starting = server.start(['--key-load-delay', '50000', '--loading-process-events-interval-bytes', '1024'])
  await eventually(() =>
    server.command('GET', 'other:1').then(
      () => false,
      ({ message }) => message.startsWith('LOADING'),
    ),
  )
  return async () => {
    await server.command('CONFIG', 'SET', 'key-load-delay', '0')
    await starting
  }
}

describeWithRedis('a Redis server of a version that is too old', () => {
  it('is refused at the first use with the version that is needed, and can be replaced without a restart of the host', async () => {
    const old = await OldRedis.start()
    const redis = { retryStrategy: () => 10 }
    const host = await startedOnRedis(old.port, { redis })
    const { refresh_token } = await (await started()).connected()
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await expectOneClearError(host, /Redis 6\.2 or later/, refresh_token)
    await expect(host.asCustomer()).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      cause: { message: expect.stringMatching(/Redis 6\.2 or later/) },
    })
    await old.stop()
    const server = await RedisServer.start([], { port: old.port })
    try {
      expectTokens(await host.refresh((await host.connected()).refresh_token))
    } finally {
      await server.stop()
    }
  })
})
