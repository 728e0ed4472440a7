import { setTimeout as pause } from 'node:timers/promises'
import { must, objectWith, optional, record, seconds } from '../configuration/checks'
import { customerHandle, customerHandleLength } from '../protocol/customer-handle'
import { credentialKinds } from '../protocol/grant-types'
import {
  dropIdleScript,
  enterScript,
  keepScript,
  leaveScript,
  renewScript,
  saveScript,
  settleScript,
} from './redis-client-scripts'
import { type RedisClient, RedisCommands } from './redis-commands'
import { createScript, deleteScript, dropEntriesScript, reverseScript, type Script, swapScript } from './redis-scripts'
import {
  decodeClient,
  decodeGrant,
  encodeClient,
  encodeNewGrant,
  encodeRequest,
  encodeResource,
  UnreadableValueError,
} from './redis-values'
import {
  type ClientUse,
  type CreateResult,
  type CredentialSwap,
  type Grant,
  type GrantOwner,
  markLength,
  type NewClient,
  type NewGrant,
  type RegisteredClient,
  type RegistrationLimits,
  type ReversalResult,
  type SwapResult,
  type SwapReversal,
  type TokenStore,
} from './token-store'

/** The options of {@link RedisTokenStore}. */
export interface RedisTokenStoreOptions {
  /** What every key begins with. Default `csi:`. */
  keyPrefix?: string | undefined
  /**
   * How many replicas must have a swap or a deletion before it counts (`WAIT`). Default 0. With fewer, the client is answered with
   * 503 and finds its tokens when it comes again.
   */
  replicas?: number | undefined
  /** How long to wait for them, in seconds. Default 1; keep it well below `hostTimeout`. */
  replicaTimeout?: number | undefined
}

const maxAtOnce = 500
const maxPasses = 5
const betweenPasses = 200

/** What a script answers with: the outcome, the server's time, and the grant's value where the outcome has a grant. */
type Reply<Result extends { outcome: string }> = [outcome: Result['outcome'], now: string, value: string]
type Unreadable = [outcome: 'unreadable', now: string, value: string]

const checks = {
  keyPrefix: optional(
    must<string>(
      'a string, with braces only around a whole hash tag',
      (given) => typeof given === 'string' && /^[^{}]*(\{[^{}]+\}[^{}]*)?$/.test(given),
    ),
    'csi:',
  ),
  replicas: optional(
    must<number>('a whole number, 0 or more', (given) => Number.isInteger(given) && Number(given) >= 0),
    0,
  ),
  replicaTimeout: optional(seconds(0.01, 60, { fractions: true }), 1),
}

/**
 * A {@link TokenStore} in Redis 6.2 or later, or Valkey: for any number of processes.
 *
 * Every step is one Lua call on one key, so it works on a Cluster as it is. It makes no connection and closes none.
 *
 * @example
 * new RedisTokenStore(new Redis('redis://localhost:6379'))
 */
export class RedisTokenStore implements TokenStore {
  readonly #prefix: string
  readonly #commands: RedisCommands

  /**
   * @param redis The host's own client. The store uses its connection and its settings.
   * @throws {ConfigurationError} for a wrong option, and for a client that is no `ioredis` client.
   */
  constructor(redis: RedisClient, options: RedisTokenStoreOptions = {}) {
    const { keyPrefix, replicas, replicaTimeout } = record(checks)(options, 'RedisTokenStore')
    this.#prefix = keyPrefix
    this.#commands = new RedisCommands(
      objectWith<RedisClient>('call', 'pipeline')(redis, 'RedisTokenStore.redis'),
      replicas,
      replicaTimeout,
    )
  }

  async createGrant(grant: NewGrant): Promise<CreateResult> {
    const { tenantId, grantId, deadline, lifetime, endsAfter = '', credential } = grant
    const { resource, fixed, request } = encodeNewGrant(grant)
    const keys = this.#keysOf(tenantId, grantId)
    const args = [memberOf(grantId), deadline, lifetime, endsAfter, credential.hash, resource, fixed, request]
    const [outcome, now, value] = (await this.#commands.run(createScript, keys, args)) as Reply<CreateResult>
    if (outcome === 'late') return { outcome, now: Number(now) }
    return { outcome, grant: decodeGrant(keys[0], value, tenantId, grantId), now: Number(now) }
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    const [key] = this.#keysOf(tenantId, grantId)
    const value = await this.#commands.send(key, 'get', key)
    return value === null ? undefined : decodeGrant(key, String(value), tenantId, grantId)
  }

  async swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    const { tenantId, grantId, deadline, from, to, attempt, redeems, remember, rest, lifetime, resource } = swap
    const required = resource === undefined ? '' : encodeResource(resource)
    const keys = this.#keysOf(tenantId, grantId)
    const marks = redeems.map((hash) => hash.slice(0, markLength))
    const args = [memberOf(grantId), deadline, from, to, attempt, remember, rest, lifetime, required, ...marks]
    const reply = (await this.#commands.runDurably(swapScript, keys, args)) as Reply<SwapResult> | Unreadable
    const [outcome, now, value] = reply
    if (outcome === 'unreadable') throw new UnreadableValueError(keys[0])
    if (outcome === 'missing' || outcome === 'late') return { outcome, now: Number(now) }
    return { outcome, grant: decodeGrant(keys[0], value, tenantId, grantId), now: Number(now) }
  }

  async reverseSwap(reversal: SwapReversal): Promise<ReversalResult> {
    const { tenantId, grantId, deadline, to, attempts, credential, code } = reversal
    const keys = this.#keysOf(tenantId, grantId)
    const args = [memberOf(grantId), deadline, to, credentialKinds[credential.kind].letter, credential.hash]
    const dropped = code ? [encodeRequest(code.request), code.lifetime] : ['', '']
    const reply = await this.#commands.runDurably(reverseScript, keys, [...args, ...dropped, ...attempts])
    const [outcome, now] = reply as Reply<ReversalResult> | Unreadable
    if (outcome === 'unreadable') throw new UnreadableValueError(keys[0])
    return { outcome, now: Number(now) }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    const keys = this.#keysOf(tenantId, grantId)
    return Number(await this.#commands.runDurably(deleteScript, keys, [memberOf(grantId)])) > 0
  }

  async listGrants(tenantId: string, subject: string): Promise<Grant[]> {
    const grants: Grant[] = []
    for await (const listed of this.#listed(tenantId, subject)) {
      if (listed instanceof UnreadableValueError) throw listed
      grants.push(listed)
    }
    return grants
  }

  async *deleteGrants({ tenantId, subject, clientId }: GrantOwner): AsyncIterable<Grant> {
    const isListed = subject !== undefined
    let unreadable: UnreadableValueError | undefined
    for (let pass = 1; ; pass++) {
      const servers = isListed ? '' : await this.#commands.servers()
      let ended = 0
      for await (const found of isListed ? this.#listed(tenantId, subject) : this.#scanned(tenantId)) {
        if (found instanceof UnreadableValueError) unreadable = found
        else if (clientId === undefined || found.clientId === clientId) {
          if (!(await this.deleteGrant(tenantId, found.grantId))) continue
          ended++
          yield found
        }
      }
      // A pass that the servers stood still for has met every grant that was there when it began. Those that are made meanwhile end as
      // well, but nobody goes after them for ever.
      const isSure = isListed || (servers !== undefined && servers === (await this.#commands.servers()))
      if (isSure && pass > 1 && (ended === 0 || pass >= maxPasses)) break
      if (pass >= 2 * maxPasses) throw new Error('RedisTokenStore: the servers do not stand still to be searched')
      if (!isSure) await pause(betweenPasses)
    }
    if (isListed) await this.#dropEntries(tenantId, subject)
    // What an earlier call has ended counts only once the replicas have it.
    await this.#commands.settled()
    if (unreadable) throw unreadable
  }

  /** Drops what a customer's index says of grants that have expired: nothing of a customer must be left whose grants have been ended. */
  async #dropEntries(tenantId: string, subject: string): Promise<void> {
    const ids = await this.#indexed(tenantId, subject)
    for (let start = 0; start < ids.length; start += maxAtOnce) {
      const some = ids.slice(start, start + maxAtOnce)
      const keys = some.map((id) => this.#keysOf(tenantId, id)[0])
      const index = this.#indexKey(tenantId, customerHandle(tenantId, subject))
      await this.#commands.runDurably(dropEntriesScript, [index, ...keys], some.map(memberOf))
    }
  }

  /** The ids of the grants that a customer's index has, also of some that have expired. */
  async #indexed(tenantId: string, subject: string): Promise<string[]> {
    const handle = customerHandle(tenantId, subject)
    const index = this.#indexKey(tenantId, handle)
    const members = (await this.#commands.send(index, 'zrange', index, 0, -1)) as string[]
    return members.map((member) => handle + member)
  }

  /** A customer's grants, and the values that cannot be read. */
  async *#listed(tenantId: string, subject: string): AsyncIterable<Grant | UnreadableValueError> {
    const indexed = await this.#indexed(tenantId, subject)
    for (let start = 0; start < indexed.length; start += maxAtOnce) {
      const ids = indexed.slice(start, start + maxAtOnce)
      for (const found of await this.#read(tenantId, ids)) {
        if (found instanceof UnreadableValueError || found.subject === subject) yield found
      }
    }
  }

  /** All grants of a tenant, each at least once, and the values that cannot be read. */
  async *#scanned(tenantId: string): AsyncIterable<Grant | UnreadableValueError> {
    const prefix = `${this.#prefix}g:{${encodeURIComponent(tenantId)}:`
    for await (const keys of this.#commands.keysBeginning(prefix)) {
      const ids = keys.map((key) => key.slice(prefix.length).replace('}', ''))
      yield* await this.#read(tenantId, ids)
    }
  }

  /** The grants with these ids, as far as there are any. One that cannot be read does not keep the others from being read. */
  async #read(tenantId: string, ids: readonly string[]): Promise<(Grant | UnreadableValueError)[]> {
    const read = (id: string) =>
      this.findGrant(tenantId, id).catch((error: unknown) => {
        if (error instanceof UnreadableValueError) return error
        throw error
      })
    const found = await Promise.all(ids.map(read))
    return found.filter((grant) => grant !== undefined)
  }

  async saveClient(client: NewClient, { perTenant, total }: RegistrationLimits): Promise<RegisteredClient> {
    const { tenantId, clientId, lifetime, ...metadata } = client
    const key = this.#clientKey(tenantId, clientId)
    const place = placeOf(tenantId, clientId)
    // In the index before there is a value, so that there is never a value which nobody would drop.
    const dropped = (await this.#onIndex(enterScript, [...place, lifetime, perTenant, total])) as string[]
    const [saved] = await Promise.all([
      this.#commands.run(saveScript, [key], [lifetime, encodeClient(client)]),
      ...dropped.map((row) => this.#dropIdle(...idsOf(row))),
    ])
    const [outcome, createdAt, expiresAt] = saved as [outcome: string, createdAt: string, expiresAt: string]
    if (outcome === 'unreadable') throw new UnreadableValueError(key)
    const isKnown = Number(await this.#onIndex(settleScript, [...place, ...dropped])) > 0
    if (!isKnown) await this.#dropIdle(tenantId, clientId)
    return { tenantId, clientId, ...metadata, createdAt: Number(createdAt), expiresAt: Number(expiresAt) }
  }

  async findClient(tenantId: string, clientId: string): Promise<RegisteredClient | undefined> {
    const key = this.#clientKey(tenantId, clientId)
    const value = await this.#commands.send(key, 'get', key)
    return value === null ? undefined : decodeClient(key, String(value), tenantId, clientId)
  }

  async touchClient(tenantId: string, clientId: string, { lifetime, inUse }: ClientUse): Promise<void> {
    const key = this.#clientKey(tenantId, clientId)
    const kept = await this.#commands.run(keepScript, [key], [lifetime, inUse ? 'u' : 'i'])
    const [before, expiresAt] = kept as [before: string, expiresAt: string]
    if (before === 'unreadable') throw new UnreadableValueError(key)
    if (before !== 'idle') return
    const place = placeOf(tenantId, clientId)
    await (inUse ? this.#onIndex(leaveScript, place) : this.#onIndex(renewScript, [...place, expiresAt]))
  }

  async deleteClient(tenantId: string, clientId: string): Promise<boolean> {
    const key = this.#clientKey(tenantId, clientId)
    const [deleted] = await Promise.all([
      this.#commands.sendDurably(key, 'del', key),
      this.#onIndex(leaveScript, placeOf(tenantId, clientId)),
    ])
    return Number(deleted) > 0
  }

  #dropIdle(tenantId: string, clientId: string): Promise<unknown> {
    return this.#commands.run(dropIdleScript, [this.#clientKey(tenantId, clientId)], [])
  }

  /** Runs a script on the index of the clients that are not in use. */
  #onIndex(script: Script, args: readonly (string | number)[]): Promise<unknown> {
    return this.#commands.run(script, [`${this.#prefix}r`], args)
  }

  /** A grant's key, and that of its customer's index: on a Cluster both are at one node, so that one script can keep them right. */
  #keysOf(tenantId: string, grantId: string): [string, string] {
    const handle = grantId.slice(0, customerHandleLength)
    const place = `{${encodeURIComponent(tenantId)}:${handle}}`
    return [`${this.#prefix}g:${place}${memberOf(grantId)}`, `${this.#prefix}s:${place}`]
  }

  #indexKey(tenantId: string, handle: string): string {
    return this.#keysOf(tenantId, handle)[1]
  }

  #clientKey(tenantId: string, clientId: string): string {
    return `${this.#prefix}c:${encodeURIComponent(tenantId)}:${clientId}`
  }
}

/** What a grant is called in its customer's index. */
function memberOf(grantId: string): string {
  return grantId.slice(customerHandleLength)
}

/** What a client is called in the index of those that are not in use: no semicolon is left in its ids. */
function placeOf(tenantId: string, clientId: string): [tenant: string, client: string] {
  return [encodeURIComponent(tenantId), encodeURIComponent(clientId)]
}

/** The client that makes room, by its row in the index. */
function idsOf(row: string): [tenantId: string, clientId: string] {
  const [, , tenant = '', client = ''] = row.split(';')
  return [decodeURIComponent(tenant), decodeURIComponent(client)]
}
