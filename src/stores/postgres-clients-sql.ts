/**
 * The tables of registered clients and of the ids that were used once, and the functions that change them. `@` stands for the
 * host's schema and prefix, and `%` for the prefix.
 *
 * A client that is not in use makes room for others in the order of its `place`. `idle_clients` counts them for each tenant, so that a
 * registration costs the same however many there are. Whoever changes which clients are idle takes a lock before any row, so that the limits
 * hold and there are no deadlocks.
 */
export const clientsSql = `
create table if not exists @clients (
  created_at bigint not null,
  expires_at bigint not null,
  sweep_at   bigint not null,
  place      bigint not null,
  in_use     boolean not null,
  tenant_id  text collate "C" not null,
  client_id  text collate "C" not null,
  metadata   text collate "C" not null,
  used_at    bigint,
  primary key (tenant_id, client_id)
) with (fillfactor = 70);
create index if not exists %clients_to_make_room on @clients (tenant_id, place) where not in_use;
create index if not exists %clients_to_sweep on @clients (sweep_at);
create sequence if not exists @places;

create table if not exists @idle_clients (
  tenant_id text collate "C" primary key,
  clients   bigint not null
) with (fillfactor = 50);

create table if not exists @used_ids (
  tenant_id  text collate "C" not null,
  id         text collate "C" not null,
  expires_at bigint not null,
  primary key (tenant_id, id)
);
create index if not exists %used_ids_to_sweep on @used_ids (expires_at);
-- The statistics of the planner would keep values that have been erased, and no plan needs them.
alter table @clients alter column tenant_id set statistics 0, alter column client_id set statistics 0,
  alter column metadata set statistics 0;
alter table @idle_clients alter column tenant_id set statistics 0;
alter table @used_ids alter column tenant_id set statistics 0, alter column id set statistics 0;

create or replace function @count_idle_clients() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and not old.in_use then
    update @idle_clients set clients = clients - 1 where tenant_id = old.tenant_id;
    delete from @idle_clients where tenant_id = old.tenant_id and clients <= 0;
  end if;
  if tg_op <> 'DELETE' and not new.in_use then
    insert into @idle_clients as idle values (new.tenant_id, 1)
    on conflict (tenant_id) do update set clients = idle.clients + 1;
  end if;
  return null;
end
$$;
create or replace trigger count_idle_clients after insert or delete or update of in_use on @clients
  for each row execute function @count_idle_clients();

create or replace function @lock_idle_clients() returns void language sql volatile as $$
  select pg_advisory_xact_lock(hashtextextended('@idle_clients', 0))
$$;

-- Returns how many it has looked at, and how many of these had expired. Only under the lock.
create or replace function @sweep_clients(in_most int, out looked_at int, out deleted int) language plpgsql as $$
declare
  now bigint := @clock();
begin
  with due as (
    select tenant_id, client_id from @clients where sweep_at <= now order by sweep_at limit in_most
  ), gone as (
    delete from @clients as client using due
    where (client.tenant_id, client.client_id) = (due.tenant_id, due.client_id) and expires_at <= now returning 1
  ), kept as (
    update @clients as client set sweep_at = expires_at from due
    where (client.tenant_id, client.client_id) = (due.tenant_id, due.client_id) and expires_at > now
  )
  select (select count(*) from due), (select count(*) from gone) into looked_at, deleted;
end
$$;

create or replace function @save_client(
  in_tenant text, in_client text, in_metadata text, in_lifetime float8, in_per_tenant bigint, in_total bigint
) returns text language plpgsql as $$
declare
  saved @clients;
  now bigint;
  most text;
  any_expired boolean;
  own_expired boolean;
begin
  perform @lock_idle_clients();
  now := @clock();
  -- Those that have expired take no room. Each call deletes more than it adds, and never so many that others wait long for it.
  select looked_at = 50 into any_expired from @sweep_clients(50);
  own_expired := any_expired;
  insert into @clients values (now, now + in_lifetime, now + in_lifetime, nextval('@places'), false, in_tenant, in_client, in_metadata)
  on conflict (tenant_id, client_id) do update set created_at = excluded.created_at, expires_at = excluded.expires_at,
    sweep_at = excluded.sweep_at, place = excluded.place, in_use = false, metadata = excluded.metadata, used_at = null
  returning * into saved;

  for _ in 1..20 loop
    exit when (select clients <= in_per_tenant from @idle_clients where tenant_id = in_tenant);
    -- If that was not all of them, the others go before any that is alive.
    if own_expired then
      delete from @clients where (tenant_id, client_id) in (
        select tenant_id, client_id from @clients
        where tenant_id = in_tenant and not in_use and place < saved.place and expires_at <= now and sweep_at <= now limit 50
      );
      own_expired := found;
      continue when own_expired;
    end if;
    delete from @clients where (tenant_id, client_id) in (
      select tenant_id, client_id from @clients
      where tenant_id = in_tenant and not in_use and place < saved.place order by place limit 1
    );
  end loop;
  for _ in 1..20 loop
    exit when (select sum(clients) <= in_total from @idle_clients);
    if any_expired then
      select looked_at > 0 into any_expired from @sweep_clients(50);
      continue when any_expired;
    end if;
    -- Where each tenant has one, it is not the new one that goes.
    select tenant_id into most from @idle_clients order by clients desc, tenant_id = in_tenant limit 1;
    delete from @clients where (tenant_id, client_id) in (
      select tenant_id, client_id from @clients
      where tenant_id = most and not in_use and place < saved.place order by place limit 1
    );
  end loop;
  return row_to_json(saved);
end
$$;

-- Returns false if the client is not in use: then only touch_client, under the lock, may change it.
create or replace function @touch_client_in_use(in_tenant text, in_client text, in_lifetime float8, becomes_used boolean)
returns boolean language plpgsql as $$
declare
  live @clients;
  now bigint;
begin
  select * into live from @clients where tenant_id = in_tenant and client_id = in_client for no key update;
  now := @clock();
  if live.expires_at > now is not true then return true; end if;
  if not live.in_use then return false; end if;
  update @clients set expires_at = greatest(expires_at, now + in_lifetime), used_at = case when becomes_used then now else used_at end
  where tenant_id = in_tenant and client_id = in_client;
  return true;
end
$$;

create or replace function @touch_client(in_tenant text, in_client text, in_lifetime float8, becomes_used boolean)
returns void language plpgsql as $$
declare
  now bigint;
begin
  perform @lock_idle_clients();
  now := @clock();
  update @clients set expires_at = greatest(expires_at, now + in_lifetime), sweep_at = greatest(expires_at, now + in_lifetime),
    place = nextval('@places'), in_use = in_use or becomes_used, used_at = case when becomes_used then now else used_at end
  where tenant_id = in_tenant and client_id = in_client and expires_at > now;
end
$$;

create or replace function @delete_client(in_tenant text, in_client text) returns boolean language plpgsql as $$
declare
  expiry bigint;
begin
  perform @lock_idle_clients();
  delete from @clients where tenant_id = in_tenant and client_id = in_client returning expires_at into expiry;
  return coalesce(expiry > @clock(), false);
end
$$;

-- Deletes clients and used ids of a tenant. Returns whether there are no more of them.
create or replace function @delete_clients_of(in_tenant text, in_most int) returns boolean language plpgsql as $$
begin
  perform @lock_idle_clients();
  delete from @clients where tenant_id = in_tenant and client_id in (
    select client_id from @clients where tenant_id = in_tenant limit in_most
  );
  delete from @used_ids where tenant_id = in_tenant and id in (
    select id from @used_ids where tenant_id = in_tenant limit in_most
  );
  return not exists (select from @clients where tenant_id = in_tenant)
    and not exists (select from @used_ids where tenant_id = in_tenant);
end
$$;

-- The clock is read again once the row is locked.
create or replace function @use_once(in_tenant text, in_id text, in_lifetime float8) returns boolean language plpgsql as $$
begin
  insert into @used_ids as used values (in_tenant, in_id, @clock() + in_lifetime)
  on conflict (tenant_id, id) do update set expires_at = @clock() + in_lifetime where used.expires_at <= @clock();
  return found;
end
$$;
`
