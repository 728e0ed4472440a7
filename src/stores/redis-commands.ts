import type { Writable } from 'node:stream'
import timers from 'node:timers'
import type { Script } from './redis-scripts'

// Kept from the start: a host's tests may put another one in its place, which never runs.
const { setImmediate } = timers

type Reply = [error: Error | null, result: unknown]

const nothing: Reply = [null, null]

/** What is used of an `ioredis` client, 5 or 6: a `Redis`, also by way of Sentinel, or a `Cluster`. */
export interface RedisClient {
  call(command: string, ...args: (string | number)[]): Promise<unknown>
  pipeline(commands: unknown[][]): { exec(): Promise<Reply[] | null> }
  /** A Cluster's alone. */
  nodes?(role: 'master'): RedisClient[]
  /** A Cluster's alone. */
  refreshSlotsCache?(callback: (error?: Error | null) => void): void
  options?: { keyPrefix?: string }
  /** The connection of a `Redis`, while there is one. */
  stream?: Writable
}

/** The commands of a store to its server, each about one key, which its errors name. */
export class RedisCommands {
  readonly #redis: RedisClient
  readonly #replicas: number
  readonly #replicaTimeout: number

  /** @param replicaTimeout In seconds. */
  constructor(redis: RedisClient, replicas: number, replicaTimeout: number) {
    this.#redis = redis
    this.#replicas = replicas
    this.#replicaTimeout = replicaTimeout * 1000
  }

  /** Runs a script on its key. */
  run(script: Script, key: string, ...args: (string | number)[]): Promise<unknown> {
    return withScript(script, (...how) => this.send(key, ...how, 1, key, ...args))
  }

  /** Runs a script and waits until enough replicas have what it wrote. */
  runDurably(script: Script, key: string, ...args: (string | number)[]): Promise<unknown> {
    return withScript(script, (...how) => this.sendDurably(key, ...how, 1, key, ...args))
  }

  /** Sends a command as it is. */
  send(key: string, command: string, ...args: (string | number)[]): Promise<unknown> {
    return this.#call(this.#redis, key, command, ...args)
  }

  async #call(redis: RedisClient, key: string, command: string, ...args: (string | number)[]): Promise<unknown> {
    gatherWrites(redis)
    try {
      return await redis.call(command, ...args)
    } catch (error) {
      throw explained(error, key)
    }
  }

  /** Sends a command and waits until enough replicas have it. */
  sendDurably(key: string, command: string, ...args: (string | number)[]): Promise<unknown> {
    return this.#replicas === 0 ? this.send(key, command, ...args) : this.#sendAndWait(key, command, args)
  }

  async #sendAndWait(key: string, command: string, args: (string | number)[]): Promise<unknown> {
    let replies = await this.#pipelined(command, args)
    if (replies[0]?.[0]?.message.startsWith('MOVED ')) {
      // A Cluster client follows no redirection in a pipeline that WAIT is in; a plain command shows it the way.
      await this.send(key, 'get', key)
      replies = await this.#pipelined(command, args)
    }
    const [[error, result] = nothing, [failed, replicas] = nothing] = replies
    if (error || failed) throw explained(error ?? failed, key)
    if (Number(replicas) >= this.#replicas) return result
    throw new Error(`RedisTokenStore: ${Number(replicas)} of ${this.#replicas} replicas have the write`)
  }

  /** The keys that begin like this, on every master of a Cluster; each at least once. */
  async *keysBeginning(prefix: string): AsyncIterable<string> {
    // A client's own prefix is part of what the server knows, and nothing that the client adds to a pattern.
    const ownPrefix = this.#redis.options?.keyPrefix ?? ''
    const pattern = `${(ownPrefix + prefix).replace(/[*?[\]\\]/g, '\\$&')}*`
    for (const node of await this.#masters()) {
      let cursor = '0'
      do {
        const reply = await this.#call(node, prefix, 'scan', cursor, 'MATCH', pattern, 'COUNT', 1000)
        const [next, keys] = reply as [string, string[]]
        yield* keys.map((key) => key.slice(ownPrefix.length))
        cursor = next
      } while (cursor !== '0')
    }
  }

  /** Every server that holds keys, also one that the client has not heard of, or that does not answer: scanning it then fails. */
  async #masters(): Promise<RedisClient[]> {
    const cluster = this.#redis
    if (!cluster.nodes || !cluster.refreshSlotsCache) return [cluster]
    await new Promise<void>((resolve, reject) => {
      cluster.refreshSlotsCache?.((error) => (error ? reject(error) : resolve()))
    })
    return cluster.nodes('master')
  }

  /** In a pipeline, as it is for the connection's own writes that WAIT waits, and on a Cluster that takes the key's node. */
  async #pipelined(command: string, args: (string | number)[]): Promise<Reply[]> {
    const pipeline = this.#redis.pipeline([
      [command, ...args],
      ['wait', this.#replicas, this.#replicaTimeout],
    ])
    return (await pipeline.exec()) ?? []
  }
}

/**
 * Has all commands of this turn of the event loop leave together: under load, a system call for each costs more than everything
 * else that sending takes.
 */
function gatherWrites({ stream }: RedisClient): void {
  if (!stream || stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

/** Sends a script's name, and the script itself where the server does not know it (any more). */
async function withScript(
  { sha, lua }: Script,
  send: (command: string, script: string) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await send('evalsha', sha)
  } catch (error) {
    if (!(error as Error).message.includes('NOSCRIPT')) throw error
    return send('eval', lua)
  }
}

/** The store's error with the key that it is about, and with the cause that the server's words hide. */
function explained(error: unknown, key: string): Error {
  const { message } = error as Error
  const hint = message.includes('syntax error') ? '; the server must be Redis 6.2 or later, or Valkey' : ''
  // Not as the cause: a client's errors carry the command, which may be the one that says the password.
  return new Error(`RedisTokenStore: ${message} (key ${JSON.stringify(key)})${hint}`)
}
