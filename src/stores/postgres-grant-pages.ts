import type { PostgresCalls } from './postgres-calls'
import { isOwned, ownerValues } from './postgres-deletions'
import { decodeGrant, encodeText, rowId } from './postgres-values'
import type { Grant, GrantPage, GrantPageRequest } from './token-store'

/**
 * Reads a page of grants in the order of the index by client: by the hash of the client, and among the grants of one hash by the id of the
 * row. Neither ever changes.
 */
export async function pageGrants(
  calls: PostgresCalls,
  { tenantId, clientId, after, limit }: GrantPageRequest,
): Promise<GrantPage> {
  const rows = await calls.rows<{ value: string }>(
    `select row_to_json(live)::text as value from @grants as live
     where ${isOwned} and expires_at > @clock()
       and ($6::text is null or (hashtext(client_id), id) > (hashtext($6), $7::uuid))
     order by hashtext(tenant_id), hashtext(client_id), id limit $8`,
    [...ownerValues({ tenantId, clientId }), ...positionOf(tenantId, after), limit + 1],
  )
  const grants = rows.slice(0, limit).map(({ value }) => decodeGrant(JSON.parse(value)))
  const last = grants.at(-1)
  return { grants, ...(rows.length > limit && last && { next: nameOf(last) }) }
}

/** A position in that order by what it follows from, so that every text is one. */
function nameOf({ grantId, clientId }: Grant): string {
  return `${grantId} ${clientId}`
}

function positionOf(tenantId: string, after: string | undefined): [clientId: string | null, id: string | null] {
  if (after === undefined) return [null, null]
  const [grantId = '', clientId = ''] = after.split(/ (.*)/s)
  return [encodeText(clientId), rowId(tenantId, grantId)]
}
