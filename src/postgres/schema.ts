import { mustBeText, optional, record } from '../configuration/checks'
import { recordsSql } from './records-sql'

/** Where the tables are, and whose they are. */
export interface PostgresSchemaOptions {
  /** The schema that has the tables and functions. Default `customer_sign_in`. */
  schema?: string | undefined
  /** What the names of all tables and functions begin with. Default none. */
  tablePrefix?: string | undefined
  /** The role as which the host's processes connect, if it does not own the schema. It is granted what they need, and nothing else. */
  role?: string | undefined
}

const nameCheck = mustBeText(
  '1 to 40 lower-case letters, digits and underscores, a letter or an underscore first',
  (text) => /^[a-z_][a-z0-9_]{0,39}$/.test(text),
)

const prefixCheck = mustBeText(
  'at most 20 lower-case letters, digits and underscores, a letter or an underscore first',
  (text) => /^([a-z_][a-z0-9_]{0,19})?$/.test(text),
)

/** The checks of `schema` and `tablePrefix`, for the SQL and for the store. */
export const placeChecks = { schema: optional(nameCheck, 'customer_sign_in'), tablePrefix: optional(prefixCheck, '') }

const checks = {
  ...placeChecks,
  role: optional(
    mustBeText(
      'the name of a role, of at most 63 bytes and without double quotes',
      (text) => /^[^"\0]+$/.test(text) && Buffer.byteLength(text) <= 63,
    ),
  ),
}

// `create schema if not exists` needs the right to create one, even if there is one.
const schemaSql = (schema: string) => `do $$ begin
  if to_regnamespace('"${schema}"') is null then create schema "${schema}"; end if;
end $$;
`

// Everybody may call a new function, but some databases take that away from `public`.
const privilegesSql = (place: string, schema: string, role: string, functions: readonly string[]) => `
grant usage on schema "${schema}" to "${role}";
grant select, insert, update, delete on ${place}grants, ${place}used_ids, ${place}ended to "${role}";
grant execute on function ${functions.join(', ')} to "${role}";
`

/**
 * The SQL that creates the tables and functions of a `PostgresTokenStore`, and that brings those of an earlier version up to date. It can be
 * run again, and while hosts use the store. Run it as one transaction: `psql -1 -f -`, or one step of a migration tool.
 *
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * await ownerPool.query(postgresSchema({ schema: 'sign_in' }))
 */
export function postgresSchema(options: PostgresSchemaOptions = {}): string {
  const { schema, tablePrefix, role } = record(checks)(options, 'postgresSchema')
  const place = `"${schema}".${tablePrefix}`
  const sql = recordsSql.replaceAll('@', place).replaceAll('%', tablePrefix)
  const functions = [...sql.matchAll(/^create or replace function ([^(]+)\(/gm)].map(([, name = '']) => name)
  return [schemaSql(schema), sql, role === undefined ? '' : privilegesSql(place, schema, role, functions)].join('')
}
