import type { Grant, GrantOwner } from '../contract/token-store'
import type { PostgresCalls } from './calls'
import { decodeGrant, encodeText, type GrantRow, orNull, rowIdsOf, UnreadableRowError } from './values'

/**
 * A condition on grants: those of a tenant, or of a customer or a client there. Its values are {@link ownerValues}. Null takes a part of it
 * away, and the planner sees that.
 */
export const isOwned = `hashtext(tenant_id) = hashtext($1) and tenant_id = $1
  and ($2::uuid is null or id between $2 and $3 and subject = $4)
  and ($5::text is null or hashtext(client_id) = hashtext($5) and client_id = $5)`

/** Whose grants: of a tenant, and of a customer or a client there. */
interface Owner {
  tenantId: string
  subject?: string | undefined
  clientId?: string | undefined
}

// How many rows are deleted at once.
const batchSize = 500

/** The values of {@link isOwned}. */
export function ownerValues({ tenantId, subject, clientId }: Owner): (string | null)[] {
  const [first, last] = subject === undefined ? [null, null] : rowIdsOf(tenantId, subject)
  return [encodeText(tenantId), first, last, orNull(subject), orNull(clientId)]
}

/** Deletes the grants of a customer, a client or a tenant, and yields those that were live. */
export async function* deleteGrants(calls: PostgresCalls, owner: GrantOwner): AsyncIterable<Grant> {
  if (owner.subject === undefined && owner.clientId === undefined && owner.all !== true)
    throw new TypeError('deleteGrants must be told whose grants to delete')
  let unreadable: UnreadableRowError | undefined
  for await (const deleted of deleteOwned(calls, owner)) {
    if (deleted instanceof UnreadableRowError) unreadable = deleted
    else yield deleted
  }
  if (unreadable) throw unreadable
}

/** Deletes everything of a tenant, and yields the grants that were live. */
export async function* deleteTenant(calls: PostgresCalls, tenantId: string): AsyncIterable<Grant> {
  for await (const deleted of deleteOwned(calls, { tenantId })) {
    if (!(deleted instanceof UnreadableRowError)) yield deleted
  }
  // Some at a time, so that no statement takes long.
  const deleteSome = () =>
    calls.rows(
      `delete from @used_ids where tenant_id = $1 and id in (select id from @used_ids where tenant_id = $1 limit ${batchSize})
       returning 1`,
      [encodeText(tenantId)],
    )
  while ((await deleteSome()).length > 0);
}

/** Deletes grants, and yields those that were live, with an error for each row that could not be read. */
async function* deleteOwned(calls: PostgresCalls, owner: Owner): AsyncIterable<Grant | UnreadableRowError> {
  for (;;) {
    const found = await calls.rows<{ id: string }>(
      `select id from @grants where ${isOwned} limit ${batchSize}`,
      ownerValues(owner),
    )
    if (found.length === 0) return
    // Locked in order, so that two such calls cannot wait for each other.
    const rows = await calls.rows<{ value: string; live: boolean }>(
      `delete from @grants as old where id in (select id from @grants where id = any($1::uuid[]) order by id for update)
       returning row_to_json(old)::text as value, expires_at > @clock() as live`,
      [found.map(({ id }) => id)],
    )
    for (const { value, live } of rows) if (live) yield grantOrError(JSON.parse(value))
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
