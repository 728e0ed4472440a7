import type { Grant, GrantPage, GrantPageRequest } from '../contract/token-store'
import type { PostgresCalls } from './calls'
import { decodeGrant, encodeText, orNull, rowId } from './values'

/**
 * Reads a page of grants in the order of the index by client: by the hash of the client, and among the grants of one hash by the id of the
 * row. Neither ever changes.
 */
export async function pageGrants(
  calls: PostgresCalls,
  { tenantId, clientId, after, limit }: GrantPageRequest,
): Promise<GrantPage> {
  const rows = await calls.rows<{ value: string }>('select value from @page_grants($1, $2, $3, $4, $5) as value', [
    encodeText(tenantId),
    orNull(clientId),
    ...positionOf(tenantId, after),
    limit + 1,
  ])
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
