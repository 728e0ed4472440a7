/**
 * A function of the session that has so many grants as rows, a thousand for each company, as bench/grants.ts makes them. The id of a row is that of
 * src/postgres/rows.ts.
 */
export const grantsFunctionSql = `
create function pg_temp.digest(of text) returns bytea language sql stable as $$ select sha256(convert_to(of, 'UTF8')) $$;

create function pg_temp.text(of text, bytes int) returns text language sql stable as $$
  select rtrim(translate(encode(substr(pg_temp.digest(of), 1, bytes), 'base64'), '+/', '-_'), '=')
$$;

create function pg_temp.row_id(tenant text, customer text, grant_id text) returns uuid language sql stable as $$
  select encode(substr(pg_temp.digest(customer), 1, 8) || substr(pg_temp.digest(
    '2:v1,9:grant row,' || length(tenant) || ':' || tenant || ',' || length(grant_id) || ':' || grant_id || ','), 1, 8), 'hex')::uuid
$$;

create function pg_temp.grants(count int) returns table (number int, id uuid, tenant_id text, grant_id text, subject text)
language sql stable as $$
  select number, pg_temp.row_id(tenant_id, subject, grant_id), tenant_id, grant_id, subject
  from (
    select number, subject, left(encode(pg_temp.digest('tenant ' || number % greatest(1, count / 1000)), 'hex'), 32)::uuid::text as tenant_id,
      pg_temp.text(subject, 9) || pg_temp.text('grant ' || number, 12) as grant_id
    from (
      select number, left(encode(pg_temp.digest('customer ' || number), 'hex'), 40) as subject
      from generate_series(0, count - 1) as number
    ) as customers
  ) as made
$$;
`
