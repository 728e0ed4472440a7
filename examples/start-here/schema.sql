create table companies (
  id text primary key,
  slug text not null unique,
  name text not null,
  -- Which assistants may connect. The company's staff decide.
  allowed_clients jsonb,
  blocked_clients jsonb
);
create table customers (
  id text primary key default gen_random_uuid(),
  company_id text not null references companies,
  email text not null,
  name text not null,
  is_staff boolean not null default false,
  unique (company_id, email)
);
create table rate_limits (
  key text primary key,
  hits integer not null,
  ends_at timestamptz not null
);
insert into companies values ('company-1', 'acme', 'Acme Air'), ('company-2', 'globex', 'Globex');
insert into customers (company_id, email, name, is_staff) values
  ('company-1', 'ada@example.com', 'Ada Lovelace', false),
  ('company-1', 'sam@example.com', 'Sam of Acme', true),
  ('company-2', 'bob@example.com', 'Bob Miller', false);
