import {
  dropIdleScript,
  enterScript,
  keepScript,
  leaveScript,
  renewScript,
  saveScript,
  settleScript,
} from './redis-client-scripts'
import type { RedisCommands } from './redis-commands'
import type { Script } from './redis-scripts'
import { decodeClient, encodeClient, UnreadableValueError } from './redis-values'
import type { ClientPage, ClientUse, NewClient, RegisteredClient, RegistrationLimits } from './token-store'

// How many rows of the index are read at once.
const rowsAtOnce = 500

/** The registered clients in Redis: a value for each, and an index of those that are not in use. */
export class RedisRegistrations {
  readonly #prefix: string
  readonly #commands: RedisCommands

  constructor(prefix: string, commands: RedisCommands) {
    this.#prefix = prefix
    this.#commands = commands
  }

  async save(client: NewClient, { perTenant, total }: RegistrationLimits): Promise<RegisteredClient> {
    const { tenantId, clientId, lifetime, ...metadata } = client
    const key = this.#keyOf(tenantId, clientId)
    const entry = entryOf(tenantId, clientId)
    // The index comes first, so that there is never a value that nothing would delete.
    const dropped = (await this.#onIndex(enterScript, [...entry, lifetime, perTenant, total])) as string[]
    const [saved] = await Promise.all([
      this.#commands.run(saveScript, [key], [lifetime, encodeClient(client)]),
      ...dropped.map((row) => this.#dropIdle(...idsOf(row))),
    ])
    const [outcome, createdAt, expiresAt] = saved as [outcome: string, createdAt: string, expiresAt: string]
    if (outcome === 'unreadable') throw new UnreadableValueError(key)
    const isInIndex = Number(await this.#onIndex(settleScript, [...entry, ...dropped])) > 0
    if (!isInIndex) await this.#dropIdle(tenantId, clientId)
    return { tenantId, clientId, ...metadata, createdAt: Number(createdAt), expiresAt: Number(expiresAt) }
  }

  async find(tenantId: string, clientId: string): Promise<RegisteredClient | undefined> {
    const key = this.#keyOf(tenantId, clientId)
    const value = await this.#commands.send(key, 'get', key)
    return value === null ? undefined : decodeClient(key, String(value), tenantId, clientId)
  }

  /** Goes through all keys: only clients that are not in use have an index. */
  async page(tenantId: string, { after, limit }: ClientPage): Promise<RegisteredClient[]> {
    const place = this.#keyOf(tenantId, '').slice(this.#prefix.length + 1)
    const ids = new Set<string>()
    for await (const keys of this.#commands.keysBeginning(this.#prefix, 'c', place)) {
      for (const key of keys) ids.add(key.slice(this.#prefix.length + 1 + place.length))
    }
    const sorted = [...ids].filter((id) => id > after).sort()
    const clients: RegisteredClient[] = []
    // One that has been deleted meanwhile makes room for the next one.
    for (let start = 0; start < sorted.length && clients.length < limit; start += limit) {
      const found = await Promise.all(sorted.slice(start, start + limit).map((id) => this.find(tenantId, id)))
      clients.push(...found.filter((client) => client !== undefined))
    }
    return clients.slice(0, limit)
  }

  async touch(tenantId: string, clientId: string, { lifetime, inUse }: ClientUse): Promise<void> {
    const key = this.#keyOf(tenantId, clientId)
    const kept = await this.#commands.run(keepScript, [key], [lifetime, inUse ? 'u' : 'i'])
    const [before, expiresAt] = kept as [before: string, expiresAt: string]
    if (before === 'unreadable') throw new UnreadableValueError(key)
    if (before !== 'idle') return
    const entry = entryOf(tenantId, clientId)
    await (inUse ? this.#onIndex(leaveScript, entry) : this.#onIndex(renewScript, [...entry, expiresAt]))
  }

  async delete(tenantId: string, clientId: string): Promise<boolean> {
    const key = this.#keyOf(tenantId, clientId)
    const [deleted] = await Promise.all([
      this.#commands.sendDurably(key, 'del', key),
      this.#onIndex(leaveScript, entryOf(tenantId, clientId)),
    ])
    return Number(deleted) > 0
  }

  /** Removes the clients of a tenant from the index. Their values are deleted already. */
  async deleteEntries(tenantId: string): Promise<void> {
    const tenant = encodeURIComponent(tenantId)
    for await (const rows of this.#rows(`c;${tenant}`)) {
      await Promise.all(rows.map((row) => this.#onIndex(leaveScript, [tenant, clientIn(row)])))
    }
    for await (const rows of this.#rows('d')) {
      const own = rows.filter((row) => row.split(';')[2] === tenant)
      if (own.length > 0) await this.#commands.send(this.#index, 'zrem', this.#index, ...own)
    }
  }

  /** The rows of the index that begin with these fields, some at a time. */
  async *#rows(fields: string): AsyncIterable<string[]> {
    let from = `[${fields};`
    for (;;) {
      const range = [from, `(${fields}<`, 'BYLEX', 'LIMIT', 0, rowsAtOnce]
      const rows = (await this.#commands.send(this.#index, 'zrange', this.#index, ...range)) as string[]
      if (rows.length > 0) yield rows
      if (rows.length < rowsAtOnce) return
      from = `(${rows.at(-1)}`
    }
  }

  #dropIdle(tenantId: string, clientId: string): Promise<unknown> {
    return this.#commands.run(dropIdleScript, [this.#keyOf(tenantId, clientId)], [])
  }

  /** Runs a script on the index of the clients that are not in use. */
  #onIndex(script: Script, args: readonly (string | number)[]): Promise<unknown> {
    return this.#commands.run(script, [this.#index], args)
  }

  get #index(): string {
    return `${this.#prefix}r`
  }

  #keyOf(tenantId: string, clientId: string): string {
    return `${this.#prefix}c:${encodeURIComponent(tenantId)}:${clientId}`
  }
}

/** How the index names a client. The encoding leaves no semicolon in the ids. */
function entryOf(tenantId: string, clientId: string): [tenant: string, client: string] {
  return [encodeURIComponent(tenantId), encodeURIComponent(clientId)]
}

/** The client of a row of the index that begins with `c`, as the index names it. */
function clientIn(row: string): string {
  return row.split(';')[2] ?? ''
}

/** The client of a row of the index. */
function idsOf(row: string): [tenantId: string, clientId: string] {
  const [, , tenant = '', client = ''] = row.split(';')
  return [decodeURIComponent(tenant), decodeURIComponent(client)]
}
