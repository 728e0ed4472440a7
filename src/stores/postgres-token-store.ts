import { flag, objectWith, optional, record } from '../configuration/checks'
import { PostgresCalls, type PostgresPool } from './postgres-calls'
import { dropImport, type GrantElsewhere, importClient, importGrant } from './postgres-imports'
import { placeChecks } from './postgres-schema'
import {
  type ClientRow,
  decodeClient,
  decodeGrant,
  encodeClient,
  encodeMarks,
  encodeRequest,
  encodeText,
  type GrantRow,
  letterOf,
  rowId,
  rowIdsOf,
  UnreadableRowError,
} from './postgres-values'
import type {
  ClientUse,
  CreateResult,
  CredentialSwap,
  Grant,
  GrantOwner,
  NewClient,
  NewGrant,
  RegisteredClient,
  RegistrationLimits,
  ReversalResult,
  SwapResult,
  SwapReversal,
  TokenStore,
} from './token-store'

/** The options of {@link PostgresTokenStore}. */
export interface PostgresTokenStoreOptions {
  /** The schema that has the tables and functions. Default `customer_sign_in`. */
  schema?: string | undefined
  /** What the names of all tables and functions begin with. Default none. */
  tablePrefix?: string | undefined
  /**
   * Whether the store deletes what has expired, at most once a minute, when it is used. Default true. If it is false, call `sweep`
   * regularly, or let `pg_cron` do it.
   */
  sweep?: boolean | undefined
}

// Null takes a condition away, and the planner sees that.
const isOwned = `hashtext(tenant_id) = hashtext($1) and tenant_id = $1
  and ($2::uuid is null or id between $2 and $3 and subject = $4)
  and ($5::text is null or hashtext(client_id) = hashtext($5) and client_id = $5)`

/** Whose grants: of a tenant, and of a customer or a client there. */
interface Owner {
  tenantId: string
  subject?: string | undefined
  clientId?: string | undefined
}

/** The result of a function: the outcome, the server's time, and the grant's row if the outcome has a grant. */
type Reply<Result extends { outcome: string }> = [outcome: Result['outcome'], now: number, row: GrantRow]

// How many grants are deleted at once.
const batchSize = 500
// Milliseconds.
const sweepInterval = 60_000
const sweepBatch = 500

const checks = { ...placeChecks, sweep: optional(flag, true) }

/**
 * A {@link TokenStore} in PostgreSQL 15 or later, for any number of processes. It needs the tables and functions that {@link postgresSchema}
 * describes.
 *
 * Every step is one statement, so it works behind PgBouncer in transaction mode. It opens no pool and closes none.
 *
 * @example
 * new PostgresTokenStore(new Pool({ connectionString: process.env.DATABASE_URL }))
 */
export class PostgresTokenStore implements TokenStore {
  readonly #calls: PostgresCalls
  readonly #sweeps: boolean
  #sweptAt = performance.now()

  /**
   * @param pool The host's own `pg` pool. The store uses its connections and their settings.
   * @throws {ConfigurationError} for a wrong option or pool.
   */
  constructor(pool: PostgresPool, options: PostgresTokenStoreOptions = {}) {
    const { schema, tablePrefix, sweep } = record(checks)(options, 'PostgresTokenStore')
    this.#calls = new PostgresCalls(
      objectWith<PostgresPool>('query')(pool, 'PostgresTokenStore.pool'),
      schema,
      tablePrefix,
    )
    this.#sweeps = sweep
  }

  async createGrant(grant: NewGrant): Promise<CreateResult> {
    const { tenantId, grantId, clientId, subject, resource, scopes, claims, credential, request } = grant
    this.#sweepSometimes()
    const [outcome, now, row] = await this.#calls.json<Reply<CreateResult>>(
      'select @create_grant($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as value',
      [
        rowId(tenantId, grantId),
        ...[tenantId, grantId, clientId, subject, resource, scopes.join(' ')].map(encodeText),
        claims && JSON.stringify(claims),
        credential.hash,
        encodeRequest(request),
        grant.lifetime,
        grant.endsAfter,
        grant.deadline,
      ],
    )
    return outcome === 'late' ? { outcome, now } : { outcome, now, grant: decodeGrant(row) }
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    const row = await this.#calls.json<GrantRow | null>(
      'select row_to_json(live)::text as value from @grants as live where id = $1 and expires_at > @clock()',
      [rowId(tenantId, grantId)],
    )
    return row ? decodeGrant(row) : undefined
  }

  async swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    const { tenantId, grantId, deadline, from, to, attempt, redeems, remember, rest, lifetime, resource } = swap
    this.#sweepSometimes()
    const [outcome, now, row] = await this.#calls.json<Reply<SwapResult>>(
      'select @swap_credential($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as value',
      [
        rowId(tenantId, grantId),
        deadline,
        from,
        to,
        attempt,
        encodeMarks(redeems),
        remember,
        rest,
        lifetime,
        orNull(resource),
      ],
    )
    return outcome === 'missing' || outcome === 'late' ? { outcome, now } : { outcome, now, grant: decodeGrant(row) }
  }

  async reverseSwap(reversal: SwapReversal): Promise<ReversalResult> {
    const { tenantId, grantId, deadline, to, attempts, credential, code } = reversal
    const [outcome, now] = await this.#calls.json<[ReversalResult['outcome'], number]>(
      'select @reverse_swap($1, $2, $3, $4, $5, $6, $7, $8) as value',
      [
        rowId(tenantId, grantId),
        deadline,
        to,
        attempts,
        letterOf(credential.kind),
        credential.hash,
        code && encodeRequest(code.request),
        code?.lifetime,
      ],
    )
    return { outcome, now }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    const [row] = await this.#calls.rows<{ live: boolean }>(
      'delete from @grants where id = $1 returning expires_at > @clock() as live',
      [rowId(tenantId, grantId)],
    )
    return row?.live === true
  }

  async listGrants(tenantId: string, subject: string): Promise<Grant[]> {
    const rows = await this.#calls.rows<{ value: string }>(
      `select row_to_json(live)::text as value from @grants as live where ${isOwned} and expires_at > @clock()`,
      ownerValues({ tenantId, subject }),
    )
    return rows.map(({ value }) => decodeGrant(JSON.parse(value)))
  }

  async *deleteGrants({ tenantId, subject, clientId }: GrantOwner): AsyncIterable<Grant> {
    if (subject === undefined && clientId === undefined)
      throw new TypeError('deleteGrants must be told whose grants to delete')
    let unreadable: UnreadableRowError | undefined
    for await (const deleted of this.#deleteOwned({ tenantId, subject, clientId })) {
      if (deleted instanceof UnreadableRowError) unreadable = deleted
      else yield deleted
    }
    if (unreadable) throw unreadable
  }

  async *deleteTenant(tenantId: string): AsyncIterable<Grant> {
    for await (const deleted of this.#deleteOwned({ tenantId })) {
      if (!(deleted instanceof UnreadableRowError)) yield deleted
    }
    for (let isDone = false; !isDone; )
      isDone = await this.#calls.json<boolean>('select @delete_clients_of($1, $2)::text as value', [
        encodeText(tenantId),
        batchSize,
      ])
  }

  /** Deletes grants, and yields those that were live, with an error for each row that could not be read. */
  async *#deleteOwned(owner: Owner): AsyncIterable<Grant | UnreadableRowError> {
    for (;;) {
      const found = await this.#calls.rows<{ id: string }>(
        `select id from @grants where ${isOwned} limit ${batchSize}`,
        ownerValues(owner),
      )
      if (found.length === 0) return
      // Locked in order, so that two such calls cannot wait for each other.
      const rows = await this.#calls.rows<{ value: string; live: boolean }>(
        `delete from @grants as old where id in (select id from @grants where id = any($1::uuid[]) order by id for update)
         returning row_to_json(old)::text as value, expires_at > @clock() as live`,
        [found.map(({ id }) => id)],
      )
      for (const { value, live } of rows) if (live) yield grantOrError(JSON.parse(value))
    }
  }

  async saveClient(client: NewClient, { perTenant, total }: RegistrationLimits): Promise<RegisteredClient> {
    const { tenantId, clientId, lifetime } = client
    const row = await this.#calls.json<ClientRow>('select @save_client($1, $2, $3, $4, $5, $6) as value', [
      encodeText(tenantId),
      encodeText(clientId),
      encodeClient(client),
      lifetime,
      perTenant,
      total,
    ])
    return decodeClient(row, tenantId, clientId)
  }

  async findClient(tenantId: string, clientId: string): Promise<RegisteredClient | undefined> {
    const row = await this.#calls.json<ClientRow | null>(
      `select row_to_json(live)::text as value from @clients as live
       where tenant_id = $1 and client_id = $2 and expires_at > @clock()`,
      [encodeText(tenantId), encodeText(clientId)],
    )
    return row ? decodeClient(row, tenantId, clientId) : undefined
  }

  async touchClient(tenantId: string, clientId: string, { lifetime, inUse }: ClientUse): Promise<void> {
    const values = [encodeText(tenantId), encodeText(clientId), lifetime, inUse]
    await this.#calls.rows('select @touch_client($1, $2, $3, $4)', values)
  }

  async deleteClient(tenantId: string, clientId: string): Promise<boolean> {
    const values = [encodeText(tenantId), encodeText(clientId)]
    return this.#calls.json<boolean>('select @delete_client($1, $2)::text as value', values)
  }

  async useOnce(tenantId: string, id: string, lifetime: number): Promise<boolean> {
    const values = [encodeText(tenantId), encodeText(id), lifetime]
    return this.#calls.json<boolean>('select @use_once($1, $2, $3)::text as value', values)
  }

  /**
   * Deletes records that have expired, in transactions of 500 records each. While another process does so, it returns at once.
   *
   * @param options Its `limit` says about how many records to delete at most. Default 10,000.
   * @returns How many records it has deleted.
   */
  async sweep(options: { limit?: number | undefined } = {}): Promise<number> {
    const { limit = 10_000 } = options
    let total = 0
    for (;;) {
      const [deleted, isDone] = await this.#calls.json<[number, boolean]>(
        'select json_build_array(deleted, is_done)::text as value from @sweep($1)',
        [Math.min(sweepBatch, limit)],
      )
      total += deleted
      if (isDone || total >= limit) return total
    }
  }

  /**
   * Copies a grant of another store, for {@link MovingTokenStore}. It never replaces a live grant.
   *
   * @param read Reads the grant there, with the time of that store. It is called again when the copy is ready to become live.
   * @returns Whether the other store has such a grant.
   */
  importGrant(read: () => Promise<GrantElsewhere | undefined>): Promise<boolean> {
    return importGrant(this.#calls, read)
  }

  /** Makes an import of a grant that is not finished begin again. */
  dropImport(tenantId: string, grantId: string): Promise<void> {
    return dropImport(this.#calls, tenantId, grantId)
  }

  /** Copies a registered client in the same way. */
  importClient(read: () => Promise<RegisteredClient | undefined>): Promise<boolean> {
    return importClient(this.#calls, read)
  }

  /** A failure is not reported: the database is asked for something else at the same time. */
  #sweepSometimes(): void {
    if (!this.#sweeps || performance.now() - this.#sweptAt < sweepInterval) return
    this.#sweptAt = performance.now()
    this.sweep().catch(() => undefined)
  }
}

function grantOrError(row: GrantRow): Grant | UnreadableRowError {
  try {
    return decodeGrant(row)
  } catch (error) {
    if (error instanceof UnreadableRowError) return error
    throw error
  }
}

function ownerValues({ tenantId, subject, clientId }: Owner): (string | null)[] {
  const [first, last] = subject === undefined ? [null, null] : rowIdsOf(tenantId, subject)
  return [encodeText(tenantId), first, last, orNull(subject), orNull(clientId)]
}

function orNull(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text)
}
