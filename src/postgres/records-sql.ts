import { endMarkLifetime } from '../contract/token-store'

/**
 * The tables of the grants and of the ids that were used once, and the functions that change them. `@` stands for the host's schema and prefix, and `%` for the prefix.
 *
 * Each function locks the row first and reads the clock then: a call that has waited for another one must neither decide by an earlier time nor
 * be applied after its deadline. A function returns its result as JSON text, so that drivers have one column to read.
 *
 * - `id` has 8 bytes for the customer and 8 for the grant, so that the primary key is the index of a customer's grants too.
 * - The index by client has hashes, which take a fifth of the room: those who use it compare the texts too. Its order is that of the pages.
 * - `kind` is n for no credential, c for a code, f for the first refresh token, which replaced the code, and r for every other refresh token.
 * - `claims` is JSON: the host's claims, or an array of what a remembered consent is for and the host's claims.
 * - `redeemed` has 22 characters for each credential that was redeemed last, newest first: 8 of its hash, the time in 13 digits, and a comma.
 * - `sweep_at` is when `sweep` looks at the row. Redemptions move `expires_at` alone, which no index has, so that they are HOT updates.
 */
export const recordsSql = `
create table if not exists @grants (
  created_at bigint not null,
  expires_at bigint not null,
  ends_at    bigint,
  swapped_at bigint,
  sweep_at   bigint not null,
  id         uuid primary key,
  kind       "char" not null,
  tenant_id  text collate "C" not null,
  grant_id   text collate "C" not null,
  client_id  text collate "C" not null,
  subject    text collate "C" not null,
  resource   text collate "C" not null,
  scopes     text collate "C" not null,
  claims     text collate "C",
  hash       text collate "C",
  attempt    text collate "C",
  redeemed   text collate "C" not null,
  request    text collate "C"
) with (fillfactor = 85);
create index if not exists %grants_by_client on @grants (hashtext(tenant_id), hashtext(client_id), id);
create index if not exists %grants_to_sweep on @grants (sweep_at);
-- The statistics of the planner would keep values that have been erased, and no plan needs them.
alter table @grants
  alter column tenant_id set statistics 0, alter column grant_id set statistics 0, alter column client_id set
  statistics 0, alter column subject set statistics 0, alter column resource set statistics 0, alter column
  scopes set statistics 0, alter column claims set statistics 0, alter column hash set statistics 0, alter
  column attempt set statistics 0, alter column redeemed set statistics 0, alter column request set statistics
  0;

-- The marks of owners whose grants were deleted. An id is a hash, and names nobody.
create table if not exists @ended (
  id       text collate "C" primary key,
  ended_at bigint not null
);
alter table @ended alter column id set statistics 0;

create or replace function @clock() returns bigint language sql volatile as $$
  select floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
$$;

create or replace function @create_grant(
  in_id uuid, in_tenant text, in_grant text, in_client text, in_subject text, in_resource text, in_scopes text, in_claims text,
  in_hash text, in_request text, in_lifetime float8, in_ends_after float8, in_deadline float8, in_asserted_at float8, in_marks text[]
) returns text language plpgsql as $$
declare
  present @grants;
  now bigint;
begin
  -- Held until the grant is committed, so that who leaves a mark afterwards finds the grant.
  if in_asserted_at is not null then perform pg_advisory_xact_lock_shared(hashtextextended('@ended' || in_tenant, 0)); end if;
  loop
    select * into present from @grants where id = in_id for update;
    now := @clock();
    if present.expires_at > now then return json_build_array('taken', now, present); end if;
    if exists (select from @ended where id = any (in_marks) and ended_at >= in_asserted_at) then
      return json_build_array('ended', now);
    end if;
    if now >= in_deadline then return json_build_array('late', now); end if;
    delete from @grants where id = in_id and expires_at <= now;

    insert into @grants (created_at, expires_at, ends_at, sweep_at, id, kind, tenant_id, grant_id, client_id, subject,
      resource, scopes, claims, hash, redeemed, request)
    values (now, least(now + in_lifetime, now + in_ends_after), now + in_ends_after, least(now + in_lifetime, now + in_ends_after),
      in_id, case when in_hash is null then 'n' else 'c' end, in_tenant, in_grant, in_client, in_subject, in_resource, in_scopes, in_claims, in_hash, '', in_request)
    on conflict do nothing returning * into present;
    if found then return json_build_array('created', now, present); end if;
  end loop;
end
$$;

-- Waits for those who have found no mark and are still committing their grants: the deletion that follows finds these.
create or replace function @mark_ended(in_tenant text, in_mark text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('@ended' || in_tenant, 0));
  insert into @ended as old values (in_mark, @clock())
  on conflict (id) do update set ended_at = greatest(old.ended_at, excluded.ended_at);
end
$$;

create or replace function @swap_credential(
  in_id uuid, in_deadline float8, in_from text, in_to text, in_attempt text, in_marks text,
  in_remember float8, in_rest float8, in_lifetime float8, in_resource text
) returns text language plpgsql as $$
declare
  live @grants;
  now bigint;
  at bigint;
  kept int := 0;
begin
  select * into live from @grants where id = in_id for no key update;
  now := @clock();
  if live.expires_at > now is not true then return json_build_array('missing', now); end if;
  if (live.hash = in_from) is not true then return json_build_array('mismatch', now, live); end if;
  if live.resource <> in_resource then return json_build_array('wrong_resource', now, live); end if;
  -- Where the clock has gone back, it is not new but of an unknown age.
  if live.kind = 'r' and now >= live.swapped_at and now - live.swapped_at < in_rest then
    return json_build_array('fresh', now, live);
  end if;
  if now >= in_deadline then return json_build_array('late', now); end if;

  -- A clock that has gone back must not make a swap older than the one before.
  at := greatest(now, live.swapped_at, live.created_at);
  while at - in_remember <= nullif(substr(live.redeemed, kept + 9, 13), '')::bigint loop
    kept := kept + 22;
  end loop;
  update @grants set
    kind = case live.kind when 'c' then 'f' else 'r' end,
    hash = in_to, attempt = in_attempt, swapped_at = at, request = null,
    redeemed = left(replace(in_marks, ',', at || ',') || left(live.redeemed, kept), 16 * 22),
    expires_at = least(now + in_lifetime, live.ends_at)
  where id = in_id returning * into live;
  return json_build_array('swapped', now, live);
end
$$;

create or replace function @reverse_swap(
  in_id uuid, in_deadline float8, in_to text, in_attempts text[], in_kind "char", in_hash text,
  in_request text, in_lifetime float8
) returns text language plpgsql as $$
declare
  live @grants;
  now bigint;
  earlier text;
  at bigint;
  expiry bigint;
begin
  select * into live from @grants where id = in_id for no key update;
  now := @clock();
  if live.expires_at > now is not true then return json_build_array('missing', now); end if;
  if (live.hash = in_to and live.attempt = any (in_attempts)) is not true then return json_build_array('mismatch', now); end if;
  if now >= in_deadline then return json_build_array('late', now); end if;

  earlier := substr(live.redeemed, 23);
  if in_request is null then
    at := coalesce(nullif(substr(earlier, 9, 13), '')::bigint, live.created_at);
    update @grants set kind = in_kind, hash = in_hash, redeemed = earlier, swapped_at = at
    where id = in_id;
  else
    expiry := least(live.created_at + in_lifetime, live.ends_at);
    update @grants set kind = in_kind, hash = in_hash, redeemed = earlier, swapped_at = null, attempt = null, request = in_request,
      expires_at = expiry, sweep_at = least(sweep_at, expiry)
    where id = in_id;
  end if;
  return json_build_array('reversed', now);
end
$$;

-- The planner knows neither the texts nor how many grants have expired, so it would rather sort all grants of a client than read a page of
-- them in the order of the index.
create or replace function @page_grants(
  in_tenant text, in_client text, in_after_client text, in_after_id uuid, in_limit int
) returns setof text language plpgsql set enable_sort to off set plan_cache_mode to force_custom_plan as $$
begin
  return query select row_to_json(live)::text from @grants as live
  where hashtext(tenant_id) = hashtext(in_tenant) and tenant_id = in_tenant
    and (in_client is null or hashtext(client_id) = hashtext(in_client) and client_id = in_client)
    and (in_after_id is null or in_client is null or id > in_after_id)
    and (in_after_id is null or in_client is not null
      or (hashtext(client_id), id) > (hashtext(in_after_client), in_after_id))
    and expires_at > @clock()
  order by hashtext(tenant_id), hashtext(client_id), id limit in_limit;
end
$$;

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

-- Deletes what has expired, in one transaction of one process at a time. It returns how many records it has deleted, and whether there is
-- nothing more to delete.
create or replace function @sweep(in_most int, out deleted int, out is_done boolean) language plpgsql as $$
declare
  now bigint := @clock();
  due_grants int;
  gone_grants int;
  gone_ids int;
  gone_marks int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('@sweep', 0)) then
    deleted := 0;
    is_done := true;
    return;
  end if;

  -- The grants come last: nobody who redeems one waits for the locks of the others.
  delete from @used_ids where (tenant_id, id) in (
    select tenant_id, id from @used_ids where expires_at <= now order by expires_at limit in_most for update skip locked
  );
  get diagnostics gone_ids = row_count;
  delete from @ended where id in (
    select id from @ended where ended_at <= now - ${endMarkLifetime} limit in_most for update skip locked
  );
  get diagnostics gone_marks = row_count;

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

  deleted := gone_grants + gone_ids + gone_marks;
  is_done := greatest(due_grants, gone_ids, gone_marks) < in_most;
end
$$;

-- The version of the schema that this version of the package installs.
create table if not exists @schema_version (
  version      int primary key,
  installed_at timestamptz not null default now()
);
insert into @schema_version (version) values (1) on conflict do nothing;
`
