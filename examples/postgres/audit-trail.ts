import type { CustomerSignInEvent } from 'customer-sign-in'
import type { Pool } from 'pg'

export const auditTable = `
create table if not exists sign_in_audit (
  id        bigint generated always as identity primary key,
  at        timestamptz not null,
  type      text not null,
  tenant_id text not null,
  subject   text,
  client_id text,
  grant_id  text,
  actor     text,
  event     jsonb not null
);
create index if not exists sign_in_audit_customer on sign_in_audit (tenant_id, subject, id)`

// Who has allowed what to whom, and how that ended. Refreshes come every hour, for each connection.
const audited = ['allowed', 'declined', 'issued', 'replayed', 'revoked'] as const
type Audited = Extract<CustomerSignInEvent, { type: (typeof audited)[number] }>

/** An `onEvent` that keeps an audit trail. Nobody waits for it, so what cannot be written goes to `onLost`, such as your log. */
export function auditTrail(pool: Pool, onLost: (event: CustomerSignInEvent, error: unknown) => void) {
  return (event: CustomerSignInEvent): void => {
    if (!isAudited(event)) return
    const { at, type, tenantId, subject, clientId } = event
    const { grantId, actor } = { grantId: undefined, actor: undefined, ...event }
    pool
      .query(
        `insert into sign_in_audit (at, type, tenant_id, subject, client_id, grant_id, actor, event)
         values (to_timestamp($1 / 1000.0), $2, $3, $4, $5, $6, $7, $8)`,
        [at, type, tenantId, subject, clientId, grantId, actor, event],
      )
      .catch((error) => onLost(event, error))
  }
}

function isAudited(event: CustomerSignInEvent): event is Audited {
  return audited.some((type) => type === event.type)
}
