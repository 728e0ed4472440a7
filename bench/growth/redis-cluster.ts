import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port'
import { RedisServer } from '../redis-server'

const slots = 16_384

/** Starts a Redis Cluster of so many masters without replicas. */
export async function startCluster(masters: number): Promise<RedisServer[]> {
  const servers: RedisServer[] = []
  try {
    while (servers.length < masters) servers.push(await startMaster())
    await assemble(servers)
    return servers
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop()))
    throw error
  }
}

async function startMaster(): Promise<RedisServer> {
  return RedisServer.start(['--cluster-enabled', 'yes', '--cluster-port', `${await freePort()}`])
}

/** Gives each master the same number of slots, and makes all know each other. */
async function assemble(servers: readonly RedisServer[]): Promise<void> {
  for (const [index, { redis }] of servers.entries()) {
    const [from, next] = [index, index + 1].map((each) => Math.floor((each * slots) / servers.length))
    await redis.call('cluster', 'set-config-epoch', index + 1)
    await redis.call('cluster', 'addslotsrange', Number(from), Number(next) - 1)
  }
  while (!(await isReady(servers))) {
    for (const server of servers.slice(1)) {
      await servers[0]?.redis.call('cluster', 'meet', '127.0.0.1', server.port, await busPortOf(server))
    }
    await setTimeout(500)
  }
}

/** Whether each master knows which master serves each slot. */
async function isReady(servers: readonly RedisServer[]): Promise<boolean> {
  const states = await Promise.all(
    servers.map(async ({ redis }) => {
      const info = String(await redis.call('cluster', 'info'))
      return info.includes('cluster_state:ok') && info.includes(`cluster_size:${servers.length}`)
    }),
  )
  return states.every(Boolean)
}

/** The port on which the masters talk to each other. */
async function busPortOf({ redis }: RedisServer): Promise<number> {
  return Number(/@(\d+)\S* myself/.exec(String(await redis.call('cluster', 'nodes')))?.[1])
}
