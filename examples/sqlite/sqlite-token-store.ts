import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { Grant, GrantPageRequest, TokenStore } from 'customer-sign-in/store'

// The clock that all processes share.
const clock = "cast(round(unixepoch('subsec') * 1000) as integer)"

// For how many milliseconds it is remembered that an owner's grants were deleted.
const markedFor = 3_660_000

type Owner = Omit<GrantPageRequest, 'limit'>

/** What the statements below select. */
interface Row {
  record: string
  now: number
  live: number
}

export function sqliteTokenStore(path: string): TokenStore & { sweep(): void } {
  const database = new DatabaseSync(path)
  database.exec(`
    pragma busy_timeout = 2000;
    pragma journal_mode = wal;
    begin immediate;
    create table if not exists grants (
      id text primary key, tenant text, customer text, client text, expires_at integer, record text
    );
    create index if not exists grants_of_customer on grants (customer);
    create index if not exists grants_of_client on grants (client);
    create table if not exists used (id text primary key, tenant text, expires_at integer);
    create table if not exists ended (mark text primary key, expires_at integer);
    commit;
  `)

  const query = (sql: string, ...values: (string | number)[]) =>
    database.prepare(sql).all(...values) as unknown[] as Row[]

  /** Does some work while no other connection can write. If it throws, nothing is written. */
  function write<Result>(work: (now: number) => Result): Result {
    query('begin immediate')
    try {
      const result = work(query(`select ${clock} as now`)[0]?.now ?? NaN)
      query('commit')
      return result
    } catch (error) {
      query('rollback')
      throw error
    }
  }

  function find(tenantId: string, grantId: string): Grant | undefined {
    const [row] = query(`select record from grants where id = ? and expires_at > ${clock}`, keyOf(tenantId, grantId))
    return row && JSON.parse(row.record)
  }

  /** Deletes grants. Returns those that had not expired. */
  function remove(where: string, ...keys: string[]): Grant[] {
    const rows = query(`delete from grants where ${where} returning record, expires_at > ${clock} as live`, ...keys)
    return rows.filter(({ live }) => live).map(({ record }) => JSON.parse(record))
  }

  function wasEnded({ tenantId, subject, clientId }: Owner, since: number): boolean {
    const marks = [{}, { subject }, { clientId }, { subject, clientId }].map((owner) => markOf({ tenantId, ...owner }))
    return marks.some(
      (mark) => query('select 1 from ended where mark = ? and expires_at >= ?', mark, since + markedFor).length > 0,
    )
  }

  function saveGrant(grant: Grant): Grant {
    const { tenantId, grantId, subject, clientId, expiresAt } = grant
    const keys = [keyOf(tenantId, grantId), keyOf(tenantId), keyOf(tenantId, subject), keyOf(tenantId, clientId)]
    query('replace into grants values (?, ?, ?, ?, ?, ?)', ...keys, expiresAt, JSON.stringify(grant))
    return grant
  }

  return {
    async createGrant({ lifetime, endsAfter, deadline, assertedAt = Infinity, ...grant }) {
      return write((now) => {
        const taken = find(grant.tenantId, grant.grantId)
        if (taken) return { outcome: 'taken', grant: taken, now }
        if (wasEnded(grant, assertedAt)) return { outcome: 'ended', now }
        if (now >= deadline) return { outcome: 'late', now }
        const endsAt = endsAfter === undefined ? undefined : now + endsAfter
        const created = saveGrant({ ...grant, createdAt: now, expiresAt: earlier(now + lifetime, endsAt), endsAt })
        return { outcome: 'created', grant: created, now }
      })
    },

    async findGrant(tenantId, grantId) {
      return find(tenantId, grantId)
    },

    async swapCredential({
      tenantId,
      grantId,
      from,
      to,
      attempt,
      redeems,
      remember,
      rest,
      lifetime,
      resource,
      deadline,
    }) {
      return write((now) => {
        const grant = find(tenantId, grantId)
        if (!grant) return { outcome: 'missing', now }
        if (grant.credential?.hash !== from) return { outcome: 'mismatch', grant, now }
        if (resource !== undefined && resource !== grant.resource) return { outcome: 'wrong_resource', grant, now }
        const age = grant.swap?.redeemed === 'refresh_token' ? now - grant.swap.at : Infinity
        if (age >= 0 && age < rest) return { outcome: 'fresh', grant, now }
        if (now >= deadline) return { outcome: 'late', now }

        const at = Math.max(now, grant.swap?.at ?? grant.createdAt) // even if the clock was set back
        const newest = redeems.map((hash) => ({ mark: hash.slice(0, 8), at }))
        const recent = (grant.redeemed ?? []).filter((redeemed) => at - redeemed.at <= remember)
        const swapped = saveGrant({
          ...grant,
          credential: { kind: 'refresh_token', hash: to },
          request: undefined,
          swap: { attempt, at, redeemed: grant.credential.kind },
          redeemed: [...newest, ...recent].slice(0, 16),
          expiresAt: earlier(now + lifetime, grant.endsAt),
        })
        return { outcome: 'swapped', grant: swapped, now }
      })
    },

    async reverseSwap({ tenantId, grantId, to, attempts, credential, code, deadline }) {
      return write((now) => {
        const grant = find(tenantId, grantId)
        if (!grant) return { outcome: 'missing', now }
        const { swap, createdAt, endsAt } = grant
        if (!swap || grant.credential?.hash !== to || !attempts.includes(swap.attempt))
          return { outcome: 'mismatch', now }
        if (now >= deadline) return { outcome: 'late', now }

        const redeemed = grant.redeemed?.slice(1)
        const before = code
          ? { request: code.request, swap: undefined, expiresAt: earlier(createdAt + code.lifetime, endsAt) }
          : { swap: { ...swap, at: redeemed?.[0]?.at ?? createdAt } }
        saveGrant({ ...grant, credential, redeemed, ...before })
        return { outcome: 'reversed', now }
      })
    },

    async deleteGrant(tenantId, grantId) {
      return remove('id = ?', keyOf(tenantId, grantId)).length > 0
    },

    async listGrants({ after, limit, ...owner }) {
      const [where, keys] = owned(owner)
      const rows = query(
        `select record from grants where ${where} and id > ? and expires_at > ${clock} order by id limit ?`,
        ...[...keys, after === undefined ? '' : keyOf(owner.tenantId, after), limit + 1],
      )
      const grants: Grant[] = rows.slice(0, limit).map(({ record }) => JSON.parse(record))
      return rows.length > limit ? { grants, next: grants.at(-1)?.grantId } : { grants }
    },

    async *deleteGrants(owner) {
      if (!owner.subject && !owner.clientId && !owner.all) throw new TypeError('Whose grants are to be deleted?')
      const [where, keys] = owned(owner)
      yield* write((now) => {
        query('replace into ended values (?, ?)', markOf(owner), now + markedFor)
        return remove(where, ...keys)
      })
      if (owner.all === 'everything') query('delete from used where tenant = ?', keyOf(owner.tenantId))
    },

    async useOnce(tenantId, id, lifetime) {
      const noted = query(
        `insert into used values (?, ?, ${clock} + ?)
         on conflict (id) do update set expires_at = excluded.expires_at where used.expires_at <= ${clock} returning id`,
        ...[keyOf(tenantId, id), keyOf(tenantId), lifetime],
      )
      return noted.length > 0
    },

    sweep() {
      for (const table of ['grants', 'used', 'ended']) query(`delete from ${table} where expires_at <= ${clock}`)
    },
  }
}

/** A condition for the grants of a tenant, and of a customer and a client there if these are named, and its values. */
function owned({ tenantId, subject, clientId }: Owner): [where: string, keys: string[]] {
  const named: [column: string, parts: (string | undefined)[]][] = [
    ['tenant', [tenantId]],
    ['customer', [tenantId, subject]],
    ['client', [tenantId, clientId]],
  ]
  const meant = named.filter(([, parts]) => !parts.includes(undefined))
  return [meant.map(([column]) => `${column} = ?`).join(' and '), meant.map(([, parts]) => keyOf(...parts))]
}

/** What the mark of an owner is called. A hash names nobody. */
function markOf({ tenantId, subject, clientId }: Owner): string {
  return createHash('sha256')
    .update(keyOf(tenantId, subject, clientId))
    .digest('base64url')
}

/** JSON keeps the parts apart, whatever they contain. */
function keyOf(...parts: (string | undefined)[]): string {
  return JSON.stringify(parts)
}

function earlier(expiresAt: number, endsAt = Infinity): number {
  return Math.min(expiresAt, endsAt)
}
