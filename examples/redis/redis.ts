import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis, type RedisOptions } from 'ioredis'

/** A Redis or Valkey server to work with. */
export interface RedisServer {
  url: string
  stop(): Promise<void>
}

/** There is no server to work with; the message says what to do. */
export class NoRedisError extends Error {}

/**
 * Finds the server at `REDIS_URL`, or starts one that lives as long as the example, on a free port and in a temporary folder.
 *
 * @throws {NoRedisError}
 */
export async function findRedis(): Promise<RedisServer> {
  const { REDIS_URL } = process.env
  if (!REDIS_URL) return startRedis(serverOnPath(), await freePort())
  await answers(REDIS_URL, { retryStrategy: null }).catch((error) => {
    throw new NoRedisError(`The server at REDIS_URL does not answer: ${error.message}`)
  })
  return { url: REDIS_URL, stop: async () => {} }
}

async function startRedis(command: string, port: number): Promise<RedisServer> {
  const url = `redis://127.0.0.1:${port}`
  const dir = mkdtempSync(join(tmpdir(), 'example-redis-'))
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', '']
  // In a process group of its own: Ctrl+C reaches only the example, which then stops the server.
  const server = spawn(command, settings, { stdio: 'ignore', detached: true })
  const ended = once(server, 'exit')
  const failed = ended.then(([code]) => Promise.reject(new NoRedisError(`${command} ended with ${code}`)))
  // Also if the example ends with an error.
  process.once('exit', () => server.kill())
  const stop = async () => {
    server.kill()
    await ended
    rmSync(dir, { recursive: true, force: true })
  }
  await Promise.race([answers(url, { maxRetriesPerRequest: null }), failed])
  return { url, stop }
}

/** Resolves as soon as the server accepts commands. */
async function answers(url: string, options: RedisOptions = {}): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, ...options })
  let reason: Error | undefined
  redis.on('error', (error) => {
    reason = error
  })
  try {
    await redis.ping()
  } catch (error) {
    throw reason ?? error
  } finally {
    redis.disconnect()
  }
}

function serverOnPath(): string {
  try {
    const look = 'command -v redis-server || command -v valkey-server'
    return execFileSync('/bin/sh', ['-c', look], { encoding: 'utf8' }).trim()
  } catch {
    throw new NoRedisError('There is no redis-server or valkey-server: "npm run setup" installs one, or set REDIS_URL')
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}
