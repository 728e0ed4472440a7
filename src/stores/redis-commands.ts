import type { Script } from './redis-scripts'

type Reply = [error: Error | null, result: unknown]

const nothing: Reply = [null, null]

/** What is used of an `ioredis` client, 5 or 6: a `Redis`, also by way of Sentinel, or a `Cluster`. */
export interface RedisClient {
  call(command: string, ...args: (string | number)[]): Promise<unknown>
  pipeline(commands: unknown[][]): { exec(): Promise<Reply[] | null> }
  /** A Cluster's alone. */
  nodes?(role: 'master'): RedisClient[]
  options?: { keyPrefix?: string }
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
  async send(key: string, command: string, ...args: (string | number)[]): Promise<unknown> {
    try {
      return await this.#redis.call(command, ...args)
    } catch (error) {
      throw explained(error, key)
    }
  }

  /** Sends a command and waits until enough replicas have it. */
  async sendDurably(key: string, command: string, ...args: (string | number)[]): Promise<unknown> {
    if (this.#replicas === 0) return this.send(key, command, ...args)
    let replies = await this.#sendAndWait(command, args)
    if (replies[0]?.[0]?.message.startsWith('MOVED ')) {
      // A Cluster client follows no redirection in a pipeline that WAIT is in; a plain command shows it the way.
      await this.send(key, 'get', key)
      replies = await this.#sendAndWait(command, args)
    }
    const [[error, result] = nothing, [failed, replicas] = nothing] = replies
    if (error || failed) throw explained(error ?? failed, key)
    if (Number(replicas) >= this.#replicas) return result
    throw new Error(`RedisTokenStore: ${Number(replicas)} of ${this.#replicas} replicas have the write`)
  }

  /** In a pipeline, as it is for the connection's own writes that WAIT waits, and on a Cluster that takes the key's node. */
  async #sendAndWait(command: string, args: (string | number)[]): Promise<Reply[]> {
    const pipeline = this.#redis.pipeline([
      [command, ...args],
      ['wait', this.#replicas, this.#replicaTimeout],
    ])
    return (await pipeline.exec()) ?? []
  }
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
