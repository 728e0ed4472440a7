select 'transaction' as what, pid::text as name, state, age(backend_xmin) as age, xact_start
  from pg_stat_activity where backend_xmin is not null
union all
select 'replication slot', slot_name, null, greatest(age(xmin), age(catalog_xmin)), null
  from pg_replication_slots where xmin is not null or catalog_xmin is not null
union all
select 'prepared transaction', gid, null, age(transaction), prepared from pg_prepared_xacts
order by age desc;
