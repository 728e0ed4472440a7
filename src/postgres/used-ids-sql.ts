/** The table of the ids that were used once, and its function. `@` stands for the host's schema and prefix, and `%` for the prefix. */
export const usedIdsSql = `
create table if not exists @used_ids (
  tenant_id  text collate "C" not null,
  id         text collate "C" not null,
  expires_at bigint not null,
  primary key (tenant_id, id)
);
create index if not exists %used_ids_to_sweep on @used_ids (expires_at);
-- The statistics of the planner would keep values that have been erased, and no plan needs them.
alter table @used_ids alter column tenant_id set statistics 0, alter column id set statistics 0;

-- The clock is read again once the row is locked.
create or replace function @use_once(in_tenant text, in_id text, in_lifetime float8) returns boolean language plpgsql as $$
begin
  insert into @used_ids as used values (in_tenant, in_id, @clock() + in_lifetime)
  on conflict (tenant_id, id) do update set expires_at = @clock() + in_lifetime where used.expires_at <= @clock();
  return found;
end
$$;
`
