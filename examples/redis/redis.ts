import { Redis } from 'ioredis'
import { NoRedisError, RedisProcess, redisServerPath } from '../../scripts/redis-process'

/** A Redis or Valkey server to work with. */
export interface RedisServer {
  url: string
  stop(): Promise<void>
}

/**
 * Finds the server at `REDIS_URL`. If that is not set, starts one that lives as long as the example.
 *
 * @throws {NoRedisError}
 */
export async function findRedis(): Promise<RedisServer> {
  const { REDIS_URL } = process.env
  if (REDIS_URL) {
    await checkAnswers(REDIS_URL)
    return { url: REDIS_URL, stop: async () => {} }
  }
  if (redisServerPath === undefined) {
    throw new NoRedisError('There is no redis-server or valkey-server: "npm run setup" installs one, or set REDIS_URL')
  }
  // In a process group of its own: Ctrl+C reaches only the example, which then stops the server.
  return RedisProcess.start({ detached: true })
}

async function checkAnswers(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null })
  let reason: Error | undefined
  redis.on('error', (error) => {
    reason = error
  })
  try {
    await redis.ping()
  } catch (error) {
    throw new NoRedisError(`The server at REDIS_URL does not answer: ${(reason ?? (error as Error)).message}`)
  } finally {
    redis.disconnect()
  }
}
