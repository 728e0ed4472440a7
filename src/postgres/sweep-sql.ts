/**
 * The function that deletes what has expired, in one transaction of one process at a time. It returns how many records it has deleted, and
 * whether there is nothing more to delete. `@` stands for the host's schema and prefix.
 */
export const sweepSql = `
create or replace function @sweep(in_most int, out deleted int, out is_done boolean) language plpgsql as $$
declare
  now bigint := @clock();
  due_grants int;
  gone_grants int;
  gone_ids int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('@sweep', 0)) then
    deleted := 0;
    is_done := true;
    return;
  end if;

  -- The grants come last: nobody who redeems one waits for the locks of the others.
  with gone as (
    delete from @used_ids where (tenant_id, id) in (
      select tenant_id, id from @used_ids where expires_at <= now order by expires_at limit in_most for update skip locked
    ) returning 1
  ) select count(*) into gone_ids from gone;

  with due as (
    select id from @grants where sweep_at <= now order by sweep_at limit in_most for update skip locked
  ), gone as (
    delete from @grants as old using due
    where old.id = due.id and expires_at <= now returning 1
  ), kept as (
    update @grants as old set sweep_at = expires_at from due
    where old.id = due.id and expires_at > now
  )
  select (select count(*) from due), (select count(*) from gone) into due_grants, gone_grants;

  deleted := gone_grants + gone_ids;
  is_done := greatest(due_grants, gone_ids) < in_most;
end
$$;
`
