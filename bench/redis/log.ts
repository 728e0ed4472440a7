import { RedisTokenStore } from 'customer-sign-in/redis'
import { Grants } from '../grants'
import { RedisServer } from '../redis-server'

/** Bytes of the append-only file. A replica receives the same bytes. */
export interface LogResult {
  perSignIn: number
  perSwap: number
  /** For each active grant, after the file is rewritten. */
  perGrantRewritten: number
}

/** Signs so many customers in, and refreshes each once. */
export async function measureLog(count: number): Promise<LogResult> {
  const server = await RedisServer.start(['--appendonly', 'yes', '--auto-aof-rewrite-percentage', '0'])
  try {
    const grants = new Grants(new RedisTokenStore(server.redis), count)
    const size = async () => Number((await server.info('persistence')).aof_current_size)
    const empty = await size()
    await grants.signIn()
    const signedIn = await size()
    await grants.rotate()
    const rotated = await size()
    await rewrite(server)
    return {
      perSignIn: (signedIn - empty) / count,
      perSwap: (rotated - signedIn) / count,
      perGrantRewritten: (await size()) / count,
    }
  } finally {
    await server.stop()
  }
}

async function rewrite(server: RedisServer): Promise<void> {
  await server.redis.bgrewriteaof()
  while ((await server.info('persistence')).aof_rewrite_in_progress !== '0') {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
