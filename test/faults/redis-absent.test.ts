import { Cluster, Redis } from 'ioredis'
import * as ioredis5 from 'ioredis5'
import { freePort } from '../../scripts/free-port'
import { describeWithRedis, eventually, RedisServer } from '../support/redis-server'
import { expectError } from '../support/sign-in'
import { started } from '../support/started'
import { startedOver } from '../support/started-on-redis'

const host = '127.0.0.1'

// With their defaults, clients queue commands for an absent server, and never stop trying to connect.
const clients = {
  'ioredis 6': (port: number) => new Redis(port, host),
  'ioredis 5': (port: number) => new ioredis5.Redis(port, host),
  'ioredis 6 whose queue has no end': (port: number) => new Redis(port, host, { maxRetriesPerRequest: null }),
  'ioredis 6 on a Cluster': (port: number) => new Cluster([{ host, port }]),
}

describeWithRedis('a Redis server that is absent', () => {
  it.each(Object.entries(clients))('makes no request hang with %s', async (_, connect) => {
    const signIn = await startedOver(connect(await freePort()), { hostTimeout: 0.3 })
    const { refresh_token } = await (await started()).connected()
    expectError(await signIn.refresh(refresh_token), 503, 'temporarily_unavailable')
    await expect(signIn.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(await signIn.told('error')).toHaveLength(1)
  })

  it('is found when it starts, without a restart of the host', async () => {
    const port = await freePort()
    const signIn = await startedOver(new Redis(port, host), { hostTimeout: 0.3 })
    await expect(signIn.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    const server = await RedisServer.start([], { port })
    try {
      await eventually(() =>
        signIn.connected().then(
          () => true,
          () => false,
        ),
      )
    } finally {
      await server.stop()
    }
  })
})
