import { likeness } from '../grants'
import { PostgresServer } from '../postgres-server'
import { grantsFunctionSql } from './made-grants-sql'
import { updates } from './updates'

const rotations = 20
const { clientId, resource, scopes } = likeness
const day = 86_400_000
const soon = 8e15

/** Bytes for each grant. */
export interface Sizes {
  table: number
  indexes: number
}

/** How much room active grants take on the disk. */
export interface SizeResult {
  grants: number
  rotations: number
  /** After its code was redeemed. */
  redeemed: Sizes
  /** After `rotations` refreshes of every grant, in any order, and a vacuum. */
  refreshed: Sizes
  /** The share of these refreshes that were heap-only updates. */
  hotShare: number
}

// The functions that the store calls, each in a transaction of its own. Called from here they take a fifth of the time.
const signIn = (count: number) => `do $$
declare
  made record;
begin
  for made in select * from pg_temp.grants(${count}) loop
    perform customer_sign_in.create_grant(made.id, made.tenant_id, made.grant_id, '${clientId}', made.subject, '${resource}',
      '${scopes.join(' ')}', null, pg_temp.text('credential ' || made.number, 32),
      '["https://assistant.example/oauth/callback","' || pg_temp.text('code ' || made.number, 32) || '"]', 600000, null, ${soon}, null, '{}');
    commit;
  end loop;
end $$`

const redeemEach = `do $$
declare
  live record;
  result text;
begin
  for live in select id, hash from customer_sign_in.grants order by random() loop
    result := customer_sign_in.swap_credential(live.id, ${soon}, live.hash, pg_temp.text('after ' || live.hash, 32),
      pg_temp.text('attempt ' || live.hash, 9), left(live.hash, 8) || ',', 0, 0, ${30 * day}, null);
    commit;
    if result not like '["swapped"%' then raise '%', result; end if;
  end loop;
end $$`

export async function measureSize(grants: number): Promise<SizeResult> {
  const server = await PostgresServer.start({ synchronous_commit: 'off' })
  try {
    await server.query(grantsFunctionSql)
    await server.query(signIn(grants))
    await server.query(redeemEach)
    const redeemed = await sizes(server, grants)
    const before = await updates(server)
    for (let done = 0; done < rotations; done++) await server.query(redeemEach)
    const after = await updates(server)
    await server.query('vacuum customer_sign_in.grants')
    const hotShare = (after.hot - before.hot) / (after.all - before.all)
    return { grants, rotations, redeemed, refreshed: await sizes(server, grants), hotShare }
  } finally {
    await server.stop()
  }
}

/** The bytes of the table of grants and of its indexes, for each grant. */
export async function sizes(server: PostgresServer, grants: number): Promise<Sizes> {
  const [row] = await server.query<{ table: string; indexes: string }>(
    `select pg_table_size('customer_sign_in.grants') as table, pg_indexes_size('customer_sign_in.grants') as indexes`,
  )
  return { table: Number(row?.table) / grants, indexes: Number(row?.indexes) / grants }
}
