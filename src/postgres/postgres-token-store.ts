import { flag, objectWith, optional, record } from '../configuration/checks'
import { warn } from '../configuration/warnings'
import {
  type CreateResult,
  type CredentialSwap,
  endMarkOf,
  endMarks,
  type Grant,
  type GrantOwner,
  type GrantPage,
  type GrantPageRequest,
  type NewGrant,
  type ReversalResult,
  type SwapResult,
  type SwapReversal,
  type TokenStore,
} from '../contract/token-store'
import { credentialKinds } from '../protocol/grant-types'
import { PostgresCalls, type PostgresPool } from './calls'
import {
  decodeGrant,
  encodeClaims,
  encodeMarks,
  encodeRequest,
  encodeText,
  type GrantRow,
  orNull,
  ownerValues,
  rowId,
} from './rows'
import { placeChecks } from './schema'

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

/** The result of a function: the outcome, the server's time, and the grant's row if the outcome has a grant. */
type Reply<Result extends { outcome: string }> = [outcome: Result['outcome'], now: number, row: GrantRow]

// Milliseconds.
const sweepInterval = 60_000
// How many rows are deleted at once.
const batchSize = 500

// A condition on the grants of a tenant, or of a customer or a client there, with the values that `ownerValues` gives. Null takes a part of
// it away, and the planner sees that.
const ownedRows = `hashtext(tenant_id) = hashtext($1) and tenant_id = $1
  and ($2::uuid is null or id between $2 and $3 and subject = $4)
  and ($5::text is null or hashtext(client_id) = hashtext($5) and client_id = $5)`

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
  /** @internal For the imports of {@link MovingTokenStore}. */
  readonly calls: PostgresCalls
  readonly #sweeps: boolean
  #sweptAt = performance.now()
  /** The SQLSTATEs, and other codes, of the failures of the store's own sweep that a warning has told of. */
  readonly #warnedOf = new Set<string | undefined>()

  /**
   * @param pool The host's own `pg` pool. The store uses its connections and their settings.
   * @throws {ConfigurationError} for a wrong option or pool.
   */
  constructor(pool: PostgresPool, options: PostgresTokenStoreOptions = {}) {
    const { schema, tablePrefix, sweep } = record(checks)(options, 'PostgresTokenStore')
    const checkedPool = objectWith<PostgresPool>('query')(pool, 'PostgresTokenStore.pool')
    this.calls = new PostgresCalls(checkedPool, schema, tablePrefix)
    this.#sweeps = sweep
  }

  async createGrant(grant: NewGrant): Promise<CreateResult> {
    const { tenantId, grantId, clientId, subject, resource, scopes, credential, request } = grant
    this.#sweepSometimes()
    const [outcome, now, row] = await this.calls.json<Reply<CreateResult>>(
      'select @create_grant($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) as value',
      [
        rowId(tenantId, grantId),
        ...[tenantId, grantId, clientId, subject, resource, scopes.join(' ')].map(encodeText),
        encodeClaims(grant),
        credential?.hash ?? null,
        request ? encodeRequest(request) : null,
        grant.lifetime,
        grant.endsAfter ?? null,
        grant.deadline,
        grant.assertedAt ?? null,
        grant.assertedAt === undefined ? [] : endMarks(grant),
      ],
    )
    return outcome === 'late' || outcome === 'ended' ? { outcome, now } : { outcome, now, grant: decodeGrant(row) }
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    const row = await this.calls.json<GrantRow | null>(
      'select row_to_json(live)::text as value from @grants as live where id = $1 and expires_at > @clock()',
      [rowId(tenantId, grantId)],
    )
    return row ? decodeGrant(row) : undefined
  }

  async swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    const { tenantId, grantId, deadline, from, to, attempt, redeems, remember, rest, lifetime, resource } = swap
    this.#sweepSometimes()
    const [outcome, now, row] = await this.calls.json<Reply<SwapResult>>(
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
    const [outcome, now] = await this.calls.json<[ReversalResult['outcome'], number]>(
      'select @reverse_swap($1, $2, $3, $4, $5, $6, $7, $8) as value',
      [
        rowId(tenantId, grantId),
        deadline,
        to,
        attempts,
        credentialKinds[credential.kind].letter,
        credential.hash,
        code ? encodeRequest(code.request) : null,
        code?.lifetime ?? null,
      ],
    )
    return { outcome, now }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    const [row] = await this.calls.rows<{ live: boolean }>(
      'delete from @grants where id = $1 returning expires_at > @clock() as live',
      [rowId(tenantId, grantId)],
    )
    return row?.live === true
  }

  /** In the order of the primary key, or of the index by client. What a grant has in either never changes. */
  async listGrants({ after, limit, ...owner }: GrantPageRequest): Promise<GrantPage> {
    const { tenantId, subject, clientId } = owner
    const [afterGrant = '', afterClient = ''] = after?.split(/ (.*)/s) ?? []
    const afterId = after === undefined ? null : rowId(tenantId, afterGrant)
    const rows = await (subject === undefined
      ? this.calls.rows<{ value: string }>('select value from @page_grants($1, $2, $3, $4, $5) as value', [
          ...[encodeText(tenantId), orNull(clientId), encodeText(afterClient), afterId, limit + 1],
        ])
      : this.calls.rows<{ value: string }>(
          `select row_to_json(live)::text as value from @grants as live
           where ${ownedRows} and ($6::uuid is null or id > $6) and expires_at > @clock() order by id limit $7`,
          [...ownerValues(owner), afterId, limit + 1],
        ))
    const grants = rows.slice(0, limit).map(({ value }) => decodeGrant(JSON.parse(value)))
    const last = grants.at(-1)
    return { grants, ...(rows.length > limit && last && { next: `${last.grantId} ${last.clientId}` }) }
  }

  async *deleteGrants(owner: GrantOwner): AsyncIterable<Grant> {
    await this.calls.rows('select @mark_ended($1, $2)', [encodeText(owner.tenantId), endMarkOf(owner)])
    let unreadable: unknown
    for (;;) {
      const found = await this.calls.rows<{ id: string }>(
        `select id from @grants where ${ownedRows} limit ${batchSize}`,
        ownerValues(owner),
      )
      if (found.length === 0) break
      // Locked in order, so that two such calls cannot wait for each other.
      const rows = await this.calls.rows<{ value: string; live: boolean }>(
        `delete from @grants as old where id in (select id from @grants where id = any($1::uuid[]) order by id for update)
         returning row_to_json(old)::text as value, expires_at > @clock() as live`,
        [found.map(({ id }) => id)],
      )
      for (const { value } of rows.filter(({ live }) => live)) {
        try {
          yield decodeGrant(JSON.parse(value))
        } catch (error) {
          unreadable = error
        }
      }
    }
    if (unreadable && !owner.all) throw unreadable
    while (owner.all === 'everything') {
      // Some at a time, so that no statement takes long.
      const deleted = await this.calls.rows(
        `delete from @used_ids where tenant_id = $1 and id in (select id from @used_ids where tenant_id = $1 limit ${batchSize})
         returning 1`,
        [encodeText(owner.tenantId)],
      )
      if (deleted.length === 0) return
    }
  }

  async useOnce(tenantId: string, id: string, lifetime: number): Promise<boolean> {
    const values = [encodeText(tenantId), encodeText(id), lifetime]
    return this.calls.json<boolean>('select @use_once($1, $2, $3)::text as value', values)
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
      const [deleted, isDone] = await this.calls.json<[number, boolean]>(
        'select json_build_array(deleted, is_done)::text as value from @sweep($1)',
        [Math.min(batchSize, limit)],
      )
      total += deleted
      if (isDone || total >= limit) return total
    }
  }

  /** No request waits for it, so a failure becomes a warning, one of each kind. */
  #sweepSometimes(): void {
    if (!this.#sweeps || performance.now() - this.#sweptAt < sweepInterval) return
    this.#sweptAt = performance.now()
    this.sweep().catch((error: Error & { code?: string }) => {
      if (this.#warnedOf.has(error.code)) return
      this.#warnedOf.add(error.code)
      warn(
        'SWEEP',
        `PostgresTokenStore could not delete what has expired, and tries again every minute. ${error.message}`,
      )
    })
  }
}
