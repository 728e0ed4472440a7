// More than 300 lines: one class, whose keys and passes over the servers belong to all of its methods.

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { duration, mustBeText, objectWith, optional, record, wholeNumber } from '../configuration/checks'
import {
  type CreateResult,
  type CredentialSwap,
  endMarkLifetime,
  endMarkOf,
  endMarks,
  type Grant,
  type GrantOwner,
  type GrantPage,
  type GrantPageRequest,
  isOwned,
  markLength,
  type NewGrant,
  type ReversalResult,
  type SwapResult,
  type SwapReversal,
  type TokenStore,
} from '../contract/token-store'
import { customerHandle, customerHandleLength } from '../protocol/customer-handle'
import { credentialKinds } from '../protocol/grant-types'
import { type RedisClient, RedisCommands } from './commands'
import {
  createScript,
  deleteScript,
  dropEntriesScript,
  markScript,
  reverseScript,
  swapScript,
  useOnceScript,
} from './scripts'
import { decodeGrant, encodeNewGrant, encodeRequest, UnreadableValueError } from './values'

/** The options of {@link RedisTokenStore}. */
export interface RedisTokenStoreOptions {
  /** What every key begins with. Default `csi:`. */
  keyPrefix?: string | undefined
  /**
   * How many replicas must have received a swap or a deletion before the store confirms it (`WAIT`). Default 0. If fewer have, the client is
   * answered with 503, and receives its tokens when it tries again.
   */
  replicas?: number | undefined
  /** How long to wait for the replicas, in seconds. Default 1. Keep it well below `hostTimeout`. */
  replicaTimeout?: number | undefined
}

// How many grants are read at once.
const batchSize = 500
// How many grants a page of one client looks at. Most of them can be those of other clients.
const maxLookedAt = 10_000
const maxPasses = 5
// Milliseconds between two passes, if the servers have changed during the first.
const pauseBetweenPasses = 200

/** Whose grants a pass is to meet: those of a tenant or a customer. With `all`, what is left of expired ones too. */
type Entries = { tenantId: string; subject?: string | undefined; all?: string | undefined }

/** The reply of a script: the outcome, the server's time, and the grant's value if the outcome has a grant. */
type Reply<Result extends { outcome: string }> = [outcome: Result['outcome'], now: string, value: string]
type Found = Grant | UnreadableValueError
type Unreadable = { outcome: 'unreadable' }

const checks = {
  keyPrefix: optional(
    mustBeText('a string, with braces only around a whole hash tag', (text) =>
      /^[^{}]*(\{[^{}]+\}[^{}]*)?$/.test(text),
    ),
    'csi:',
  ),
  replicas: optional(wholeNumber(0), 0),
  replicaTimeout: optional(duration(0.01, 60, 'number'), 1000),
}

/**
 * A {@link TokenStore} in Redis 6.2 or later, or Valkey, for any number of processes.
 *
 * Every step is one Lua call whose keys are on one node, so it works on a Cluster without further settings. It opens and closes no
 * connection.
 *
 * @example
 * new RedisTokenStore(new Redis('redis://localhost:6379'))
 */
export class RedisTokenStore implements TokenStore {
  readonly #prefix: string
  readonly #commands: RedisCommands

  /**
   * @param redis The host's own `ioredis` client. The store uses its connection and its settings.
   * @throws {ConfigurationError} for a wrong option or client.
   */
  constructor(redis: RedisClient, options: RedisTokenStoreOptions = {}) {
    const { keyPrefix, replicas, replicaTimeout } = record(checks)(options, 'RedisTokenStore')
    this.#prefix = keyPrefix
    const client = objectWith<RedisClient>('call', 'pipeline')(redis, 'RedisTokenStore.redis')
    this.#commands = new RedisCommands(client, replicas, replicaTimeout)
  }

  async createGrant(grant: NewGrant): Promise<CreateResult> {
    const { tenantId, grantId, deadline, lifetime, endsAfter = '', credential } = grant
    const { resource, fixed, request } = encodeNewGrant(grant)
    const keys = this.#keysOf(tenantId, grantId)
    const args = [memberOf(grantId), deadline, lifetime, endsAfter, credential?.hash ?? '', resource, fixed, request]
    const reply = await this.#commands.run(createScript, keys, args)
    const [outcome, now, value] = reply as Reply<{ outcome: 'created' | 'taken' | 'late' }>
    // No step sees the marks, whose keys are on other nodes. Who deletes leaves a mark first, so one of the two finds the other.
    if (outcome !== 'taken' && (await this.#isEnded(grant))) {
      if (outcome === 'created') await this.deleteGrant(tenantId, grantId)
      return { outcome: 'ended', now: Number(now) }
    }
    if (outcome === 'late') return { outcome, now: Number(now) }
    return { outcome, grant: decodeGrant(keys[0], value, tenantId, grantId), now: Number(now) }
  }

  /** Whether the grants of an owner of this grant were deleted since it was asserted. */
  async #isEnded({ assertedAt, ...grant }: NewGrant): Promise<boolean> {
    if (assertedAt === undefined) return false
    const keys = endMarks(grant).map((mark) => `${this.#prefix}e:${mark}`)
    const times = await Promise.all(keys.map((key) => this.#commands.send(key, ['get', key])))
    return times.some((at) => at !== null && Number(at) >= assertedAt)
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    const [key] = this.#keysOf(tenantId, grantId)
    const value = await this.#commands.send(key, ['get', key])
    return value === null ? undefined : decodeGrant(key, String(value), tenantId, grantId)
  }

  async swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    const { tenantId, grantId, deadline, from, to, attempt, redeems, remember, rest, lifetime, resource } = swap
    const required = resource === undefined ? '' : JSON.stringify(resource)
    const keys = this.#keysOf(tenantId, grantId)
    const marks = redeems.map((hash) => hash.slice(0, markLength))
    const args = [memberOf(grantId), deadline, from, to, attempt, remember, rest, lifetime, required, ...marks]
    const reply = (await this.#commands.runDurably(swapScript, keys, args)) as Reply<SwapResult | Unreadable>
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
    const [outcome, now] = reply as Reply<ReversalResult | Unreadable>
    if (outcome === 'unreadable') throw new UnreadableValueError(keys[0])
    return { outcome, now: Number(now) }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    const keys = this.#keysOf(tenantId, grantId)
    return Number(await this.#commands.runDurably(deleteScript, keys, [memberOf(grantId)])) > 0
  }

  async listGrants({ after = '', limit, ...owner }: GrantPageRequest): Promise<GrantPage> {
    const isFiltered = owner.subject !== undefined || owner.clientId !== undefined
    const most = isFiltered ? Math.max(limit, maxLookedAt) : limit
    const ids = await this.#idsAfter(after, most + 1, owner)
    const grants: Grant[] = []
    for (let start = 0; start < Math.min(most, ids.length); start += batchSize) {
      for (const grant of await this.#read(owner.tenantId, ids.slice(start, Math.min(start + batchSize, most)))) {
        if (grant instanceof UnreadableValueError) throw grant
        if (!isOwned(grant, owner)) continue
        grants.push(grant)
        if (grants.length < limit) continue
        return { grants, ...(grant.grantId !== ids.at(-1) && { next: grant.grantId }) }
      }
    }
    return { grants, ...(ids.length > most && { next: ids[most - 1] }) }
  }

  async *deleteGrants(owner: GrantOwner): AsyncIterable<Grant> {
    await this.#commands.run(markScript, [`${this.#prefix}e:${endMarkOf(owner)}`], [endMarkLifetime])
    const unreadable: UnreadableValueError[] = []
    // Until a pass has met every grant that existed when it began, and a further one has found none that was created in the meantime. It does
    // not look for such grants for ever.
    for (let pass = 1; pass <= 2 * maxPasses; pass++) {
      const servers = await this.#serversOf(owner)
      let isQuiet = true
      for await (const grant of this.#deleteOnce(owner, unreadable)) {
        isQuiet = false
        yield grant
      }
      if (servers !== (await this.#serversOf(owner))) await pause(pauseBetweenPasses)
      else if (pass > 1 && (isQuiet || pass >= maxPasses)) {
        // The replicas must have received the mark, and also what an earlier call has deleted.
        await this.#commands.waitForReplicas()
        if (unreadable[0]) throw unreadable[0]
        return
      }
    }
    throw serversKeepChanging()
  }

  /** What is the same before and after a pass that has met every grant which was there all that time. An index depends on no scan. */
  async #serversOf({ subject }: { subject?: string | undefined }): Promise<string | symbol> {
    return subject === undefined ? this.#commands.servers() : ''
  }

  /** Deletes what one pass finds. What it cannot read is deleted only with the whole tenant. */
  async *#deleteOnce(owner: GrantOwner, unreadable: UnreadableValueError[]): AsyncIterable<Grant> {
    const { tenantId, all } = owner
    for await (const { ids, handles } of this.#entriesOf(owner)) {
      const found = await this.#read(tenantId, ids)
      if (all) yield* this.#deleteAll(tenantId, ids, found)
      else {
        for (const grant of found) {
          if (grant instanceof UnreadableValueError) unreadable.push(grant)
          else if (isOwned(grant, owner) && (await this.deleteGrant(tenantId, grant.grantId))) yield grant
        }
      }
      // A grant that is still to come takes its entry with it.
      await Promise.all(handles.map((handle) => this.#dropEntries(tenantId, handle)))
    }
    if (all !== 'everything') return
    for await (const keys of this.#commands.keysBeginning(this.#prefix, 'u', `:${encodeURIComponent(tenantId)}:`)) {
      await Promise.all(keys.map((key) => this.#commands.send(key, ['del', key])))
    }
  }

  /** Deletes grants and their entries, also those that cannot be read, without waiting for replicas. */
  async *#deleteAll(tenantId: string, ids: readonly string[], found: readonly Found[]): AsyncIterable<Grant> {
    const deleted = new Set<string>()
    const deletions = ids.map(async (id) => {
      const reply = await this.#commands.run(deleteScript, this.#keysOf(tenantId, id), [memberOf(id)])
      if (Number(reply) > 0) deleted.add(id)
    })
    const settled = await Promise.allSettled(deletions)
    for (const grant of found) {
      if (!(grant instanceof UnreadableValueError) && deleted.has(grant.grantId)) yield grant
    }
    const failed = settled.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }

  /** Removes expired grants from a customer's index, so that nothing of the customer remains. */
  async #dropEntries(tenantId: string, handle: string): Promise<void> {
    const [, index] = this.#keysOf(tenantId, handle)
    const ids = await this.#idsInIndex(tenantId, handle)
    for (let start = 0; start < ids.length; start += batchSize) {
      const some = ids.slice(start, start + batchSize)
      const keys = some.map((id) => this.#keysOf(tenantId, id)[0])
      await this.#commands.run(dropEntriesScript, [index, ...keys], some.map(memberOf))
    }
  }

  /** The ids of the grants in a customer's index, some of which may have expired. */
  async #idsInIndex(tenantId: string, handle: string): Promise<string[]> {
    const [, index] = this.#keysOf(tenantId, handle)
    const members = (await this.#commands.send(index, ['zrange', index, 0, -1])) as string[]
    return members.map((member) => handle + member)
  }

  /**
   * The ids of a customer's grants, or of all grants of a tenant, some at a time. Then the handle of the customer, or of each customer of the
   * tenant if it is meant as a whole. Each comes at least once, and some may have expired.
   */
  async *#entriesOf({ tenantId, subject, all }: Entries): AsyncIterable<{ ids: string[]; handles: string[] }> {
    if (subject !== undefined) {
      const handle = customerHandle(tenantId, subject)
      const ids = await this.#idsInIndex(tenantId, handle)
      for (let start = 0; start < ids.length; start += batchSize)
        yield { ids: ids.slice(start, start + batchSize), handles: [] }
      return yield { ids: [], handles: [handle] }
    }
    const place = `:{${encodeURIComponent(tenantId)}:`
    // What follows the place in a key is a grant's id, or a customer's handle, with a brace that is not part of it.
    const start = this.#prefix.length + 1 + place.length
    for await (const keys of this.#commands.keysBeginning(this.#prefix, all ? 'gs' : 'g', place)) {
      const isIndex = (key: string) => key.startsWith(`${this.#prefix}s`)
      const idsOf = (some: readonly string[]) => some.map((key) => key.slice(start).replace('}', ''))
      yield { ids: idsOf(keys.filter((key) => !isIndex(key))), handles: idsOf(keys.filter(isIndex)) }
    }
  }

  /** The first of the ids that follow one, in their order, of the grants of a customer or of a tenant. */
  async #idsAfter(after: string, most: number, { tenantId, subject }: Entries): Promise<string[]> {
    for (let pass = 1; pass <= maxPasses; pass++) {
      const servers = await this.#serversOf({ subject })
      let ids: string[] = []
      for await (const entries of this.#entriesOf({ tenantId, subject })) {
        ids.push(...entries.ids.filter((id) => id > after))
        // Only the first are kept, so that a tenant with millions of grants takes no more memory than another.
        if (ids.length > 2 * most) ids = firstOf(ids, most)
      }
      if (servers === (await this.#serversOf({ subject }))) return firstOf(ids, most)
      await pause(pauseBetweenPasses)
    }
    throw serversKeepChanging()
  }

  /** The grants with these ids that exist, and an error for each value that cannot be read. */
  async #read(tenantId: string, ids: readonly string[]): Promise<Found[]> {
    const read = (id: string) =>
      this.findGrant(tenantId, id).catch((error: Error) => {
        if (error instanceof UnreadableValueError) return error
        // The value of somebody else's key can be a list, for example.
        if (error.message.includes('WRONGTYPE')) return new UnreadableValueError(this.#keysOf(tenantId, id)[0])
        throw error
      })
    return (await Promise.all(ids.map(read))).filter((grant) => grant !== undefined)
  }

  async useOnce(tenantId: string, id: string, lifetime: number): Promise<boolean> {
    const key = `${this.#prefix}u:${encodeURIComponent(tenantId)}:${id}`
    // `ioredis` sends a command again if its connection broke: the call is known by a value of its own.
    const args = [randomBytes(9).toString('base64url'), lifetime]
    return Number(await this.#commands.runDurably(useOnceScript, [key], args)) > 0
  }

  /** The keys of a grant and of its customer's index. The hash tag keeps both on one node of a Cluster, so that one script can write both. */
  #keysOf(tenantId: string, grantId: string): [string, string] {
    const handle = grantId.slice(0, customerHandleLength)
    const place = `{${encodeURIComponent(tenantId)}:${handle}}`
    return [`${this.#prefix}g:${place}${memberOf(grantId)}`, `${this.#prefix}s:${place}`]
  }
}

/** The part of a grant's id that its customer's index has: the id without the customer's handle. */
function memberOf(grantId: string): string {
  return grantId.slice(customerHandleLength)
}

/** The first ids in their order, each once. */
function firstOf(ids: readonly string[], most: number): string[] {
  return [...new Set(ids)].sort().slice(0, most)
}

function serversKeepChanging(): Error {
  return new Error('RedisTokenStore: the servers keep changing, so not every grant can be found')
}
