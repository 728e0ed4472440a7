import { RedisTokenStore } from 'customer-sign-in/redis'
import { type Command, Redis } from 'ioredis'
import { likeness } from '../grants'
import { type CommandStats, RedisServer } from '../redis-server'
import { Host } from './host'

const { resource } = likeness

/** How often one request causes each Redis command. */
export interface CommandsResult {
  request: string
  /** The commands that the host sends. */
  sent: Record<string, number>
  /** The commands that the server counts (`INFO commandstats`): those, and the ones inside the script. */
  executed: Record<string, number>
}

/** For each kind of request: does what must come before it, and returns the request itself. */
const requests: Record<string, (host: Host) => Promise<() => Promise<unknown>>> = {
  'Issue an authorization code': async (host) => () => host.issueCode(),
  'Redeem a code': async (host) => {
    const issued = await host.issueCode()
    return () => host.exchange(issued)
  },
  'Redeem a refresh token': async (host) => {
    const { refresh_token } = await host.connect()
    return () => host.refresh(refresh_token)
  },
  '- with `resource`': async (host) => {
    const { refresh_token } = await host.connect()
    return () => host.refresh(refresh_token, { resource })
  },
  '- with a narrower `scope`': async (host) => {
    const { refresh_token } = await host.connect()
    return () => host.refresh(refresh_token, { scope: 'profile' })
  },
  '- of a client that registered itself': async (host) => {
    const clientId = await host.register()
    const { refresh_token } = await host.connect(clientId)
    return () => host.refresh(refresh_token, { client_id: clientId })
  },
  'Revoke a refresh token': async (host) => {
    const tokens = await host.connect()
    return () => host.revoke(tokens)
  },
  'Register a client': async (host) => () => host.register(),
  'Verify an access token with `checkRevocation`': async (host) => {
    const tokens = await host.connect()
    return () => host.verify(tokens)
  },
}

/** Counts the commands of every kind of request at a host. @param times How often each is sent. */
export async function measureCommands(times: number): Promise<CommandsResult[]> {
  const server = await RedisServer.start()
  const redis = new CountingRedis(server.port)
  const host = await Host.start(new RedisTokenStore(redis))
  try {
    // After this the server knows the scripts, including the one that nobody waits for.
    await host.connect(await host.register())
    await host.connect()
    const share = (counted: Record<string, number>) => perRequest(counted, times)
    const results: CommandsResult[] = []
    for (const [request, prepare] of Object.entries(requests)) {
      const acts = await Promise.all(Array.from({ length: times }, () => prepare(host)))
      redis.sent = {}
      const executed = await server.commandsDuring(async () => {
        for (const act of acts) await act()
      })
      results.push({ request, sent: share(redis.sent), executed: share(calls(executed)) })
    }
    return results
  } finally {
    await host.stop()
    redis.disconnect()
    await server.stop()
  }
}

/** A client that counts the commands that it sends. */
class CountingRedis extends Redis {
  sent: Record<string, number> = {}

  override sendCommand(command: Command, ...more: [never]): unknown {
    this.sent[command.name] = (this.sent[command.name] ?? 0) + 1
    return super.sendCommand(command, ...more)
  }
}

function calls(executed: CommandStats): Record<string, number> {
  const own = Object.entries(executed).filter(([command]) => !command.startsWith('config'))
  return Object.fromEntries(own.map(([command, { calls }]) => [command, calls]))
}

function perRequest(counted: Record<string, number>, times: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counted).map(([command, count]) => [command, count / times]))
}
