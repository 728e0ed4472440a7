import { randomInt } from 'node:crypto'
import type { Grant } from '../contract/token-store'
import type { PostgresCalls } from './calls'
import { encodeGrant, rowId } from './rows'

// Clocks that differ by less than this many milliseconds count as one.
const sameClock = 1000
// If an import is cut off, a row remains that nobody finds. `sweep` deletes it after this time, in milliseconds.
const sweptAfter = 60_000
// How often an import begins again because the other store has changed the record meanwhile, or another import its row.
const maxAttempts = 4

/**
 * Copies a grant of another store into the table, unless the table has a live one with its id. If the two
 * clocks differ by a second or more for certain, all its times are moved by the difference, so that each age stays what it was.
 *
 * A grant that is deleted meanwhile, first there and then here, is never live here: its row is inserted as that of a grant that has expired,
 * with an expiry that no other import has, and becomes live only if the other store, asked again, still has the grant as it was and the row
 * is still the one of this import.
 *
 * @param read Reads the grant there, with the time of that store in milliseconds since 1970. It is called again when the copy is to become live.
 * @returns Whether the other store has such a grant.
 */
export async function importGrant(
  calls: PostgresCalls,
  read: () => Promise<{ grant: Grant; now: number } | undefined>,
): Promise<boolean> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const readAt = performance.now()
    const found = await read()
    if (!found) return false
    const now = await calls.json<number>('select @clock()::text as value', [])
    // The other store told its time at some moment in this time, so the difference of the clocks is known up to half of it.
    const uncertainty = (performance.now() - readAt) / 2
    const difference = now - uncertainty - found.now
    const shift = Math.abs(difference) < sameClock + uncertainty ? 0 : difference
    const here = (time: number) => Math.round(time + shift)
    // In the past, and known to this import alone.
    const mark = -randomInt(1, 2 ** 47)
    const row = { ...encodeGrant(found.grant, here), expires_at: mark, sweep_at: now + sweptAfter }
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
    if (stateOf(again.grant) !== stateOf(found.grant)) continue
    const expiry = here(again.grant.expiresAt)
    const become = 'update @grants set expires_at = $3, sweep_at = $3 where id = $1 and expires_at = $2'
    await calls.rows(become, [row.id, mark, expiry])
    const live = await calls.rows('select from @grants where id = $1 and expires_at > @clock()', [row.id])
    if (live.length > 0) return true
  }
  throw new Error('MovingTokenStore: the record keeps changing while it is moved')
}

/** Deletes the row of an import that is not finished. The import then begins again. */
export async function dropImport(calls: PostgresCalls, tenantId: string, grantId: string): Promise<void> {
  await calls.rows('delete from @grants where id = $1 and expires_at < 0', [rowId(tenantId, grantId)])
}

/** What a swap or a reversal changes in a grant. */
function stateOf({ credential, swap }: Grant): string {
  return JSON.stringify([credential, swap])
}
