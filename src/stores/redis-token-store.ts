import { must, objectWith, optional, record, seconds } from '../option-checks'
import { type RedisClient, RedisCommands } from './redis-commands'
import {
  dropIdleScript,
  keepScript,
  noteScript,
  pruneScript,
  registerScript,
  saveScript,
  swapScript,
} from './redis-scripts'
import {
  decodeClient,
  decodeGrant,
  encodeClient,
  encodeGrant,
  encodeResource,
  UnreadableValueError,
} from './redis-values'
import type { CredentialSwap, Grant, RegisteredClient, SwapResult, TokenStore } from './token-store'

/** The options of {@link RedisTokenStore}. */
export interface RedisTokenStoreOptions {
  /** What every key begins with. Default `csi:`. */
  keyPrefix?: string
  /**
   * How many replicas must have a swap or a deletion before it counts (`WAIT`). Default 0. With fewer, the client is answered with
   * 503 and finds its tokens when it comes again.
   */
  replicas?: number
  /** How long to wait for them, in seconds. Default 1; keep it well below `storeTimeout`. */
  replicaTimeout?: number
}

const mostAtOnce = 500
const minute = 60_000
const day = 24 * 60 * minute

const checks = {
  keyPrefix: optional(
    must<string>('a string', (given) => typeof given === 'string'),
    'csi:',
  ),
  replicas: optional(
    must<number>('a whole number from 0', (given) => Number.isInteger(given) && Number(given) >= 0),
    0,
  ),
  replicaTimeout: optional(seconds(0.01, 60), 1),
}

/**
 * Grants and registered clients in Redis 6.2 or later, or Valkey: for any number of processes.
 *
 * Every step is one Lua call on one key, so it works on a Cluster as it is. It makes no connection and closes none.
 *
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * new RedisTokenStore(new Redis('redis://localhost:6379'))
 */
export class RedisTokenStore implements TokenStore {
  readonly #prefix: string
  readonly #commands: RedisCommands

  constructor(redis: RedisClient, options: RedisTokenStoreOptions = {}) {
    const { keyPrefix, replicas, replicaTimeout } = record(checks)(options, 'RedisTokenStore')
    this.#prefix = keyPrefix
    this.#commands = new RedisCommands(
      objectWith<RedisClient>('call', 'pipeline')(redis, 'RedisTokenStore.redis'),
      replicas,
      replicaTimeout,
    )
  }

  async createGrant(grant: Grant): Promise<void> {
    // First the index: a grant that it does not know would escape `revokeAll`.
    await this.#noteInIndex(grant)
    const key = this.#grantKey(grant.tenantId, grant.grantId)
    const value = encodeGrant(grant)
    const stored = await this.#commands.send(key, 'set', key, value, 'PXAT', grant.expiresAt, 'NX')
    // A client that sends a command again after a broken connection can find its own work.
    if (stored === null && (await this.#commands.send(key, 'get', key)) !== value) {
      throw new Error(`RedisTokenStore: the grant id is taken (key ${JSON.stringify(key)})`)
    }
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    const key = this.#grantKey(tenantId, grantId)
    const value = await this.#commands.send(key, 'get', key)
    const grant = value === null ? undefined : decodeGrant(key, String(value), tenantId, grantId)
    return unexpired(grant)
  }

  async swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    const { tenantId, grantId, from, to, attempt, now, expiresAt, resource } = swap
    const key = this.#grantKey(tenantId, grantId)
    const required = resource === undefined ? '' : encodeResource(resource)
    const reply = await this.#commands.runDurably(swapScript, key, from, to, attempt, now, expiresAt, required)
    const [outcome, value, swappedBefore] = reply as [SwapResult['outcome'] | 'unreadable' | 'late', string, string]
    if (outcome === 'unreadable') throw new UnreadableValueError(key)
    if (outcome === 'late')
      throw new Error('RedisTokenStore: a swap came minutes late; is the clock of this host behind?')
    if (outcome === 'missing') return { outcome }
    const grant = decodeGrant(key, value, tenantId, grantId)
    // Whichever attempt made it live: another process may have failed to note it.
    const repeated = outcome === 'mismatch' && grant.credential.hash === to
    const firstToday = outcome === 'swapped' && dayOf(Number(swappedBefore) || grant.createdAt) < dayOf(now)
    // Rejecting here is safe: the swap is sent again and finds its own work.
    if (repeated || firstToday) await this.#noteInIndex(grant)
    return { outcome, grant }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    const key = this.#grantKey(tenantId, grantId)
    return Number(await this.#commands.sendDurably(key, 'del', key)) > 0
  }

  async listGrants(tenantId: string, subject: string): Promise<Grant[]> {
    const key = this.#indexKey(tenantId, subject)
    const ids = (await this.#commands.send(key, 'zrange', key, 0, -1)) as string[]
    const grants: Grant[] = []
    for (let start = 0; start < ids.length; start += mostAtOnce) {
      const some = ids.slice(start, start + mostAtOnce)
      const found = await Promise.all(some.map((id) => this.findGrant(tenantId, id)))
      grants.push(...found.filter((grant) => grant !== undefined))
      const gone = some.filter((_, index) => found[index] === undefined)
      // An entry as young as this may belong to a grant that is being written.
      const latest = keptUntil(Date.now() - 2 * minute)
      if (gone.length > 0) await this.#commands.run(pruneScript, key, latest, ...gone)
    }
    return grants
  }

  async *scanGrants(tenantId: string): AsyncIterable<Grant> {
    const prefix = this.#grantKey(tenantId, '')
    for await (const key of this.#commands.keysBeginning(prefix)) {
      const grant = await this.findGrant(tenantId, key.slice(prefix.length))
      if (grant) yield grant
    }
  }

  async saveClient(client: RegisteredClient, mostIdle: number): Promise<void> {
    const { tenantId, clientId, createdAt, expiresAt } = client
    const key = this.#clientKey(tenantId, clientId)
    const outcome = await this.#commands.run(saveScript, key, encodeClient(client), expiresAt)
    if (outcome === 'unreadable') throw new UnreadableValueError(key)
    const list = this.#registrationsKey(tenantId)
    const oldest = (await this.#commands.run(
      registerScript,
      list,
      clientId,
      createdAt,
      expiresAt,
      mostIdle,
    )) as string[]
    await Promise.all(oldest.map((id) => this.#commands.run(dropIdleScript, this.#clientKey(tenantId, id))))
  }

  async findClient(tenantId: string, clientId: string): Promise<RegisteredClient | undefined> {
    const key = this.#clientKey(tenantId, clientId)
    const value = await this.#commands.send(key, 'get', key)
    return value === null ? undefined : unexpired(decodeClient(key, String(value), tenantId, clientId))
  }

  async keepClient(tenantId: string, clientId: string, expiresAt: number): Promise<void> {
    const key = this.#clientKey(tenantId, clientId)
    const outcome = await this.#commands.run(keepScript, key, expiresAt)
    if (outcome === 'unreadable') throw new UnreadableValueError(key)
    // From now on it takes no room from those that are idle.
    const list = this.#registrationsKey(tenantId)
    if (outcome === 'first') await this.#commands.send(list, 'zrem', list, clientId)
  }

  async deleteClient(tenantId: string, clientId: string): Promise<boolean> {
    const key = this.#clientKey(tenantId, clientId)
    return Number(await this.#commands.sendDurably(key, 'del', key)) > 0
  }

  async #noteInIndex({ tenantId, subject, grantId, expiresAt }: Grant): Promise<void> {
    const now = Date.now()
    // Long enough for every rotation until the first one of another day notes it again.
    const until = Math.max(keptUntil(now), expiresAt + 2 * day)
    await this.#commands.run(noteScript, this.#indexKey(tenantId, subject), grantId, until, now)
  }

  #grantKey(tenantId: string, grantId: string): string {
    return `${this.#prefix}g:${encodeURIComponent(tenantId)}:${grantId}`
  }

  #indexKey(tenantId: string, subject: string): string {
    return `${this.#prefix}s:${encodeURIComponent(tenantId)}:${subject}`
  }

  #clientKey(tenantId: string, clientId: string): string {
    return `${this.#prefix}c:${encodeURIComponent(tenantId)}:${clientId}`
  }

  #registrationsKey(tenantId: string): string {
    return `${this.#prefix}r:${encodeURIComponent(tenantId)}`
  }
}

/** Until when an entry of the index is kept: longer than a refresh token can live. */
function keptUntil(noted: number): number {
  return noted + 32 * day
}

function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / day)
}

/** The server drops what has expired by its own clock; the host's may be ahead. */
function unexpired<T extends { expiresAt: number }>(record: T | undefined): T | undefined {
  return record && record.expiresAt > Date.now() ? record : undefined
}
