import type { Writable } from 'node:stream'
import timers from 'node:timers'
import type { Script } from './redis-scripts'

// Kept from the start: a host's tests may put another one in its place, which never runs.
const { setImmediate } = timers

type Reply = [error: Error | null, result: unknown]

type Keys = readonly [string, ...string[]]
type Argument = string | number
type Command = [name: string, ...Argument[]]

const nothing: Reply = [null, null]

/** The part of an `ioredis` client, 5 or 6, that the store uses: a `Redis`, also one that finds its server through Sentinel, or a `Cluster`. */
export interface RedisClient {
  /** Sends one command; resolves to its reply, and rejects with the server's error. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>
  /** Sends several commands together; resolves to an error or a result for each. */
  pipeline(commands: unknown[][]): { exec(): Promise<[error: Error | null, result: unknown][] | null> }
  /** The clients of the single servers. Only a `Cluster` has it. */
  nodes?(role: 'master' | 'all'): RedisClient[]
  /** Asks the servers again which of them has which keys. Only a `Cluster` has it. */
  refreshSlotsCache?(callback: (error?: Error | null) => void): void
  /** What the client was made with. Its `keyPrefix` stands before the store's own. */
  options?: { keyPrefix?: string | undefined; host?: string | undefined; port?: number | undefined } | undefined
  /** The connection of a `Redis`, while there is one. */
  stream?: Writable | undefined
}

// A redirection takes one more try, a slot that is moving some.
const maxTries = 10
const tryAgainAfter = 100

/** The commands of a store to its server. Errors name the key that a command is about, the first one where there are several. */
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

  /** Runs a script on its keys. */
  run(script: Script, keys: Keys, args: readonly Argument[]): Promise<unknown> {
    return withScript(script, keys, args, (command) => this.#call(this.#redis, keys[0], command))
  }

  /** Runs a script and waits until enough replicas have what its node has written, this script or any command before it. */
  runDurably(script: Script, keys: Keys, args: readonly Argument[]): Promise<unknown> {
    if (this.#replicas === 0) return this.run(script, keys, args)
    return withScript(script, keys, args, (command) => this.#sendAndWait(keys[0], command))
  }

  /** Sends a command as it is. */
  send(key: string, ...command: Command): Promise<unknown> {
    return this.#call(this.#redis, key, command)
  }

  /** Sends a command and waits until enough replicas have what its node has written. */
  sendDurably(key: string, ...command: Command): Promise<unknown> {
    return this.#replicas === 0 ? this.send(key, ...command) : this.#sendAndWait(key, command)
  }

  async #call(redis: RedisClient, key: string, command: Command): Promise<unknown> {
    gatherWrites(redis)
    try {
      return await redis.call(...command)
    } catch (error) {
      throw explained(error, key)
    }
  }

  /** Waits until enough replicas of every master have what it has written. */
  async settled(): Promise<void> {
    if (this.#replicas === 0) return
    for (const node of await this.#masters()) {
      const replies = await node.pipeline([['time'], this.#wait()]).exec()
      this.#checkReplicas(replies ?? [], '')
    }
  }

  /** A Cluster client follows no redirection in a pipeline that WAIT is in. */
  async #sendAndWait(key: string, command: Command): Promise<unknown> {
    let replies: Reply[] = []
    let asked: RedisClient | undefined
    for (let tries = 0; tries < maxTries; tries++) {
      // In a pipeline, because WAIT covers the writes of its own connection alone; on a Cluster the key picks the node.
      const commands = [...(asked ? [['asking']] : []), command, this.#wait()]
      replies = ((await (asked ?? this.#redis).pipeline(commands).exec()) ?? []).slice(asked ? 1 : 0)
      const [redirection, , address] = replies[0]?.[0]?.message.split(' ') ?? []
      if (redirection === 'TRYAGAIN') await new Promise((resolve) => setTimeout(resolve, tryAgainAfter))
      else if (redirection !== 'MOVED' && redirection !== 'ASK') break
      // A plain command is redirected by the client itself, which then knows the node.
      else await this.send(key, 'get', key)
      asked = redirection === 'ASK' ? this.#nodeAt(address) : undefined
    }
    return this.#checkReplicas(replies, key)
  }

  #wait(): (string | number)[] {
    return ['wait', this.#replicas, this.#replicaTimeout]
  }

  #checkReplicas([[error, result] = nothing, [failed, replicas] = nothing]: Reply[], key: string): unknown {
    if (error || failed) throw explained(error ?? failed, key)
    if (Number(replicas) >= this.#replicas) return result
    throw new Error(`RedisTokenStore: ${Number(replicas)} of ${this.#replicas} replicas have the write`)
  }

  #nodeAt(address: string | undefined): RedisClient | undefined {
    return this.#redis.nodes?.('all').find(({ options }) => `${options?.host}:${options?.port}` === address)
  }

  /** The keys that begin like this, some at a time, on every master of a Cluster; each at least once, if the servers stay what they are. */
  async *keysBeginning(prefix: string): AsyncIterable<string[]> {
    // ioredis adds its `keyPrefix` to keys, but not to patterns.
    const ownPrefix = this.#redis.options?.keyPrefix ?? ''
    const pattern = `${(ownPrefix + prefix).replace(/[*?[\]\\]/g, '\\$&')}*`
    for (const node of await this.#masters()) {
      let cursor = '0'
      do {
        const reply = await this.#call(node, prefix, ['scan', cursor, 'MATCH', pattern, 'COUNT', 1000])
        const [next, keys] = reply as [string, string[]]
        yield keys.map((key) => key.slice(ownPrefix.length))
        cursor = next
      } while (cursor !== '0')
    }
  }

  /**
   * What a scan rests on: the runs of the servers, and on a Cluster the slots of each. Undefined while slots are moving.
   *
   * A server that has been started again takes the cursor of a scan, and gives other keys for it.
   */
  async servers(): Promise<string | undefined> {
    const servers: string[] = []
    for (const node of await this.#masters()) {
      const run = /run_id:(\w+)/.exec(String(await this.#call(node, '', ['info', 'server'])))?.[1]
      servers.push(`${run} ${await this.#slotsOf(node)}`)
    }
    return servers.some((server) => server.includes('[')) ? undefined : servers.sort().join('\n')
  }

  /** The slots that a node of a Cluster has, those that are moving in brackets. */
  async #slotsOf(node: RedisClient): Promise<string> {
    if (!this.#redis.nodes) return ''
    const nodes = String(await this.#call(node, '', ['cluster', 'nodes'])).split('\n')
    const itself = nodes.find((line) => line.includes('myself')) ?? ''
    return itself.split(' ').slice(8).join(' ')
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
  keys: Keys,
  args: readonly Argument[],
  send: (command: Command) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await send(['evalsha', sha, keys.length, ...keys, ...args])
  } catch (error) {
    if (!(error as Error).message.includes('NOSCRIPT')) throw error
    return send(['eval', lua, keys.length, ...keys, ...args])
  }
}

/** The store's error with the key that it is about, and with the cause that the server's words hide. */
function explained(error: unknown, key: string): Error {
  const { message } = error as Error
  const hint = message.includes('syntax error') ? '; the server must be Redis 6.2 or later, or Valkey' : ''
  // Not as the cause: a client's errors carry the command, which may be the one that says the password.
  return new Error(`RedisTokenStore: ${message} (key ${JSON.stringify(key)})${hint}`)
}
