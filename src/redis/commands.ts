import type { Writable } from 'node:stream'
import timers from 'node:timers'
import { promisify } from 'node:util'
import type { Script } from './scripts'

// Read when this module is loaded, so that a host's fake timers cannot keep commands from being sent.
const { setImmediate } = timers

type Reply = [error: Error | null, result: unknown]

type Keys = readonly [string, ...string[]]
type Argument = string | number
type Command = [string, ...Argument[]]

const nothing: Reply = [null, null]

/** The part of an `ioredis` client (5 or 6) that the store uses: a `Redis`, with or without Sentinel, or a `Cluster`. */
export interface RedisClient {
  /** Sends a command. Resolves to its reply, or rejects with the server's error. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>
  /** Sends several commands together. Resolves to an error or a result for each. */
  pipeline(commands: unknown[][]): { exec(): Promise<[error: Error | null, result: unknown][] | null> }
  /** The clients of the single nodes. Only a `Cluster` has this. */
  nodes?(role: 'master' | 'all'): RedisClient[]
  /** Asks the nodes again which of them serves which slots. Only a `Cluster` has this. */
  refreshSlotsCache?(callback: (error?: Error | null) => void): void
  /** The client's options. Its `keyPrefix` comes before the store's own. */
  options?: { keyPrefix?: string | undefined; host?: string | undefined; port?: number | undefined } | undefined
  /** The connection of a `Redis`, while there is one. */
  stream?: Writable | undefined
}

// A redirection takes one more try, and a slot that is being moved takes several.
const maxTries = 10
// Milliseconds.
const pauseBetweenTries = 100

/** Sends the commands of a store to its server. Errors name the key of the command, or the first of its keys. */
export class RedisCommands {
  readonly #redis: RedisClient
  readonly #replicas: number
  readonly #wait: Command

  /** @param replicaTimeout In milliseconds. */
  constructor(redis: RedisClient, replicas: number, replicaTimeout: number) {
    this.#redis = redis
    this.#replicas = replicas
    this.#wait = ['wait', replicas, replicaTimeout]
  }

  /** Runs a script on its keys. */
  run(script: Script, keys: Keys, args: readonly Argument[]): Promise<unknown> {
    return withScript(script, keys, args, (command) => this.send(keys[0], command))
  }

  /** Runs a script, and waits until enough replicas have what its node has written so far. */
  runDurably(script: Script, keys: Keys, args: readonly Argument[]): Promise<unknown> {
    if (this.#replicas === 0) return this.run(script, keys, args)
    return withScript(script, keys, args, (command) => this.#sendAndWait(keys[0], command))
  }

  /** Sends a command, to a node or as the client routes it. */
  send(key: string, command: Command, redis = this.#redis): Promise<unknown> {
    gatherWrites(redis)
    return redis.call(...command).catch((error) => {
      throw withKey(error, key)
    })
  }

  /** Waits until enough replicas of every master have what it has written so far. */
  async waitForReplicas(): Promise<void> {
    if (this.#replicas === 0) return
    for (const node of await this.#masters()) {
      const replies = await node.pipeline([['time'], this.#wait]).exec()
      this.#checkReplicas(replies ?? [], '')
    }
  }

  /** Follows redirections itself: a Cluster client does not, in a pipeline with `WAIT`. */
  async #sendAndWait(key: string, command: Command): Promise<unknown> {
    let replies: Reply[] = []
    let asked: RedisClient | undefined
    for (let tries = 0; tries < maxTries; tries++) {
      // `WAIT` covers the writes of its own connection only, so both go in one pipeline. A Cluster routes it by the key.
      const commands = [...(asked ? [['asking']] : []), command, this.#wait]
      replies = ((await (asked ?? this.#redis).pipeline(commands).exec()) ?? []).slice(asked ? 1 : 0)
      const [redirection, , address] = replies[0]?.[0]?.message.split(' ') ?? []
      if (redirection === 'TRYAGAIN') await new Promise((resolve) => setTimeout(resolve, pauseBetweenTries))
      else if (redirection !== 'MOVED' && redirection !== 'ASK') break
      // The client follows the redirection of a single command, and then knows the node.
      else await this.send(key, ['get', key])
      const isThere = ({ options }: RedisClient) => `${options?.host}:${options?.port}` === address
      asked = redirection === 'ASK' ? this.#redis.nodes?.('all').find(isThere) : undefined
    }
    return this.#checkReplicas(replies, key)
  }

  #checkReplicas([[commandError, result] = nothing, [waitError, replicas] = nothing]: Reply[], key: string): unknown {
    if (commandError || waitError) throw withKey(commandError ?? waitError, key)
    if (Number(replicas) >= this.#replicas) return result
    throw new Error(`RedisTokenStore: ${Number(replicas)} of ${this.#replicas} replicas have the write`)
  }

  /**
   * The keys that consist of a prefix, one of some letters, and anything that begins like this, on every master of a Cluster, some at a time.
   * Each comes at least once if {@link servers} stays the same.
   */
  async *keysBeginning(prefix: string, letters: string, then: string): AsyncIterable<string[]> {
    // ioredis adds its `keyPrefix` to keys, but not to patterns.
    const ownPrefix = this.#redis.options?.keyPrefix ?? ''
    const pattern = `${literal(ownPrefix + prefix)}[${letters}]${literal(then)}*`
    for (const node of await this.#masters()) {
      let cursor = '0'
      do {
        const reply = await this.send(prefix, ['scan', cursor, 'MATCH', pattern, 'COUNT', 1000], node)
        const [next, keys] = reply as [string, string[]]
        yield keys.map((key) => key.slice(ownPrefix.length))
        cursor = next
      } while (cursor !== '0')
    }
  }

  /**
   * What a scan depends on: the run id of each server, and on a Cluster its slots. While slots are being moved, it equals nothing else.
   *
   * A server that has been restarted accepts the cursor of an earlier scan, but returns other keys for it.
   */
  async servers(): Promise<string | symbol> {
    const servers: string[] = []
    for (const node of await this.#masters()) {
      const run = /run_id:(\w+)/.exec(String(await this.send('', ['info', 'server'], node)))?.[1]
      const nodes = this.#redis.nodes ? String(await this.send('', ['cluster', 'nodes'], node)) : ''
      // The line of the node itself ends with its slots. Those that are being moved are in brackets.
      const itself = nodes.split('\n').find((line) => line.includes('myself')) ?? ''
      servers.push(`${run} ${itself.split(' ').slice(8).join(' ')}`)
    }
    return servers.some((server) => server.includes('[')) ? Symbol('moving') : servers.sort().join('\n')
  }

  /** Every server that holds keys, even if the client did not know it yet, or if it does not answer: a scan of it then fails. */
  async #masters(): Promise<RedisClient[]> {
    const cluster = this.#redis
    if (!cluster.nodes || !cluster.refreshSlotsCache) return [cluster]
    await promisify(cluster.refreshSlotsCache.bind(cluster))()
    return cluster.nodes('master')
  }
}

/** A text as a pattern that matches only that text. */
function literal(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&')
}

/**
 * Sends all commands of this turn of the event loop in one system call, or on a Cluster in one for each master: under load, one call for each
 * command would take longer than everything else.
 */
function gatherWrites(redis: RedisClient): void {
  for (const { stream } of redis.nodes?.('master') ?? [redis]) {
    if (!stream || stream.writableCorked > 0) continue
    stream.cork()
    setImmediate(() => stream.uncork())
  }
}

/** Sends the SHA-1 of a script, and the script itself if the server does not know it. */
function withScript(
  { sha, lua }: Script,
  keys: Keys,
  args: readonly Argument[],
  send: (command: Command) => Promise<unknown>,
): Promise<unknown> {
  return send(['evalsha', sha, keys.length, ...keys, ...args]).catch((error: Error) => {
    if (!error.message.includes('NOSCRIPT')) throw error
    return send(['eval', lua, keys.length, ...keys, ...args])
  })
}

/** The server's error, with the key if it is about one, and a hint if the server is too old. */
function withKey(error: unknown, key: string): Error {
  const { message } = error as Error
  const hint = message.includes('syntax error') ? '; the server must be Redis 6.2 or later, or Valkey' : ''
  // The original error is not the cause: ioredis puts the command into it, which may be the one with the password.
  return new Error(`RedisTokenStore: ${message}${key && ` (key ${JSON.stringify(key)})`}${hint}`)
}
