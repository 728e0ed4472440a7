import type { PostgresCalls } from './postgres-calls'
import { encodeClient, encodeGrant, encodeText } from './postgres-values'
import type { Grant, RegisteredClient } from './token-store'

/** A grant of another store, and the time of that store when it was read. */
export interface GrantElsewhere {
  grant: Grant
  now: number
}

// The expiry of a row while it is imported. No other row has it.
const hidden = 0
// Clocks that differ by less than this many milliseconds count as one.
const sameClock = 1000
// If an import is cut off, a row remains that nobody finds. `sweep` deletes it after this time, in milliseconds.
const sweptAfter = 60_000

/**
 * Copies a grant of another store into the table, unless the table has a live one with its id. If the two
 * clocks differ by a second or more, all its times are moved by the difference, so that each age stays what it was.
 *
 * A grant that is deleted meanwhile, first there and then here, is never live here: its row is inserted as that of a grant that has expired,
 * and becomes live only if the other store, asked again, still has the grant and the row is still there.
 *
 * @returns Whether the other store has such a grant.
 */
export async function importGrant(
  calls: PostgresCalls,
  read: () => Promise<GrantElsewhere | undefined>,
): Promise<boolean> {
  const found = await read()
  if (!found) return false
  const now = await calls.json<number>('select @clock()::text as value', [])
  const shift = Math.abs(now - found.now) < sameClock ? 0 : now - found.now
  const here = (time: number) => Math.round(time + shift)
  const row = { ...encodeGrant(found.grant, here), expires_at: hidden, sweep_at: now + sweptAfter }
  const columns = Object.keys(row)
  const names = columns.join(', ')
  await calls.rows(
    `insert into @grants as old (${names}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
     on conflict (id) do update set (${names}) = (${columns.map((name) => `excluded.${name}`).join(', ')})
     where old.expires_at <= @clock()`,
    Object.values(row),
  )
  const again = await read()
  if (!again) return false
  await calls.rows(`update @grants set expires_at = $2, sweep_at = $2 where id = $1 and expires_at = ${hidden}`, [
    row.id,
    here(again.grant.expiresAt),
  ])
  return true
}

/**
 * Copies a registered client of another store in the same way, but its times stay as they are.
 *
 * @returns Whether the other store has such a client.
 */
export async function importClient(
  calls: PostgresCalls,
  read: () => Promise<RegisteredClient | undefined>,
): Promise<boolean> {
  const found = await read()
  if (!found) return false
  const { createdAt, expiresAt: _, inUse = false, ...client } = found
  const key = [encodeText(client.tenantId), encodeText(client.clientId)]
  // The lock first, as for every change of which clients are not in use.
  await calls.rows(
    `with locked as materialized (select @lock_idle_clients())
     insert into @clients as old (created_at, expires_at, sweep_at, place, in_use, tenant_id, client_id, metadata)
     select $3::bigint, ${hidden}, @clock() + ${sweptAfter}, nextval('@places'), $4::boolean, $1, $2, $5 from locked
     on conflict (tenant_id, client_id) do update set created_at = excluded.created_at, expires_at = ${hidden},
       sweep_at = excluded.sweep_at, place = excluded.place, in_use = excluded.in_use, metadata = excluded.metadata
     where old.expires_at <= @clock()`,
    [...key, createdAt, inUse, encodeClient({ ...client, lifetime: 0 })],
  )
  const again = await read()
  if (!again) return false
  await calls.rows(
    `update @clients set expires_at = $3, sweep_at = $3
     where tenant_id = $1 and client_id = $2 and expires_at = ${hidden}`,
    [...key, again.expiresAt],
  )
  return true
}
