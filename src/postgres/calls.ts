/** The part of a `Pool` of `pg` (8) that the store uses. */
export interface PostgresPool {
  /** Sends a statement over any connection. Resolves to the rows of its result, or rejects with the server's error. */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

/** A value of a statement. Not undefined, which some drivers refuse. */
export type PostgresValue = string | number | boolean | null | readonly string[]

// What to do about the errors that a set-up can cause (PostgreSQL, appendix A), by SQLSTATE.
const advice: Readonly<Record<string, string>> = {
  '25006': 'the pool must connect to the primary server',
  '28000': "the pool's role may not log in",
  '28P01': "the pool's password is wrong",
  '3D000': 'the database of the pool does not exist',
  '3F000': 'run the SQL of `npx customer-sign-in postgres:schema` in this database, or set `schema`',
  '40001': 'the isolation level of the connection must be read committed',
  '42501': "grant the pool's role what `npx customer-sign-in postgres:schema --role` prints",
  '42703': 'run the SQL of `npx customer-sign-in postgres:schema` of this version',
  // The functions use the type of a table's rows.
  '42704': 'run the SQL of `npx customer-sign-in postgres:schema` in this database, or set `tablePrefix`',
  '42883': 'run the SQL of `npx customer-sign-in postgres:schema` of this version',
  '42P01': 'run the SQL of `npx customer-sign-in postgres:schema` in this database, or set `tablePrefix`',
  '53100': 'the disk of the server is full',
  '53300': 'the server has no connection left: make the pools smaller, or put PgBouncer in between',
  '55P03': 'another transaction holds a lock for too long',
  '57014': 'the statement took longer than the connection allows',
  '57P03': 'the server is starting, stopping, or a standby that takes no queries',
}

// The errors of `pg` itself have no code.
const adviceOnPool: readonly [RegExp, string][] = [
  [/timeout exceeded when trying to connect/, 'the pool has no connection to spare, or the server does not answer'],
  [/Cannot use a pool after calling end/, 'the pool has been closed'],
]

/**
 * Calls the functions of the schema, each as one statement. The statements have no names, so that any connection can serve them, also
 * one that PgBouncer lends for a single transaction; the functions keep their plans.
 */
export class PostgresCalls {
  readonly #pool: PostgresPool
  /** What stands before the name of each table and function. */
  readonly #place: string
  readonly #statements = new Map<string, string>()

  constructor(pool: PostgresPool, schema: string, tablePrefix: string) {
    this.#pool = pool
    this.#place = `"${schema}".${tablePrefix}`
  }

  /** Sends a statement, in which `@` stands for the schema and prefix. */
  async rows<Row>(statement: string, values: PostgresValue[]): Promise<Row[]> {
    try {
      const { rows } = await this.#pool.query(this.#inPlace(statement), values)
      return rows as Row[]
    } catch (error) {
      throw withAdvice(error)
    }
  }

  /** Sends a statement whose result is one row with one column of JSON. */
  async json<T>(statement: string, values: PostgresValue[]): Promise<T> {
    const [row] = await this.rows<{ value: string }>(statement, values)
    return JSON.parse(row?.value ?? 'null')
  }

  #inPlace(statement: string): string {
    const known = this.#statements.get(statement)
    if (known !== undefined) return known
    const placed = statement.replaceAll('@', this.#place)
    this.#statements.set(statement, placed)
    return placed
  }
}

/** The server's error with what to do about it. Not its details, which quote values of the row, nor the statement's values. */
function withAdvice(error: unknown): Error & { code?: string } {
  const { message, code } = error as { message?: unknown; code?: unknown }
  const text = String(message) || 'no connection'
  const hint = (typeof code === 'string' && advice[code]) || adviceOnPool.find(([pattern]) => pattern.test(text))?.[1]
  const advised = new Error(`PostgresTokenStore: ${text}${code ? ` (${String(code)})` : ''}${hint ? `; ${hint}` : ''}`)
  return Object.assign(advised, typeof code === 'string' && { code })
}
