import { Client } from 'pg'
import {
  PostgresProcess,
  type PostgresProcessOptions,
  type PostgresSettings,
  type PostgresVersion,
  postgresVersions,
} from '../../scripts/postgres-process'
import { pathOf } from '../../scripts/redis-process'
import { describeWith } from './describe-with'
import { ServerClock } from './server-clock'

const [oldest, newest] = [postgresVersions[0], postgresVersions.at(-1)]

/**
 * `describe` for suites that need a PostgreSQL server. Without one, they are skipped with a warning, and in CI they fail.
 */
export const describeWithPostgres = describeWith('PostgreSQL', newest)

/** The same for suites that need a server with its own clock. */
export const describeWithPostgresClock = describeWith('PostgreSQL, or faketime,', newest && pathOf('faketime'))

/** The same for suites that run on the oldest and on the newest version that is installed. In CI there must be two. */
export function describeOnEachPostgres(name: string, define: (version: PostgresVersion) => void): void {
  if (oldest) describe(`${name} (PostgreSQL ${oldest.major})`, () => define(oldest))
  const another = newest !== oldest && newest
  describeWith('a second version of PostgreSQL', another)(`${name} (PostgreSQL ${newest?.major})`, () => {
    if (another) define(another)
  })
}

/** How a test starts its server. */
export interface PostgresServerOptions extends Pick<PostgresProcessOptions, 'version' | 'port' | 'folder'> {
  /** Whether it has a clock of its own. */
  clock?: boolean
  /** The server whose streaming replica it is. Both must have been started a moment ago. */
  standbyOf?: PostgresServer
}

/** A separate PostgreSQL server for a test. */
export class PostgresServer {
  readonly #process: PostgresProcess
  readonly #clock: ServerClock | undefined

  private constructor(server: PostgresProcess, clock?: ServerClock) {
    this.#process = server
    this.#clock = clock
  }

  /** Starts a server. Its data survives when it is killed, but not when the machine is: `fsync` is off, unless the settings say otherwise. */
  static async start(
    settings: PostgresSettings = {},
    { clock = false, standbyOf, ...options }: PostgresServerOptions = {},
  ): Promise<PostgresServer> {
    let serverClock: ServerClock | undefined
    const environment = (folder: string) => {
      if (clock) serverClock ??= new ServerClock(folder)
      return serverClock?.environment ?? {}
    }
    const server = await PostgresProcess.start({
      ...options,
      settings,
      environment,
      ...(standbyOf && { standbyOf: standbyOf.#process }),
    })
    return new PostgresServer(server, serverClock)
  }

  get port(): number {
    return this.#process.port
  }

  /** The address of the database `postgres`, as its superuser. */
  get url(): string {
    return this.#process.url
  }

  /** The clock of a server that was started with its own clock. */
  get clock(): ServerClock {
    if (!this.#clock) throw new Error('The server was started without a clock of its own')
    return this.#clock
  }

  /**
   * Starts the server again after a `kill`, and waits until it takes connections.
   *
   * @param settings Settings for this time only.
   */
  start(settings: PostgresSettings = {}): Promise<void> {
    return this.#process.run(settings)
  }

  /** Runs one statement over a separate connection, as the superuser. Without values, it can be several statements. @returns Its rows. */
  async query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]> {
    const client = new Client({ connectionString: this.url })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(sql, values)).rows as Row[]
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** Does some work while another session holds what a statement locks, and ends that session's transaction then. */
  async whileLocked(statement: string, work: () => Promise<unknown>): Promise<void> {
    const other = new Client({ connectionString: this.url })
    await other.connect()
    try {
      await other.query('begin')
      await other.query(statement)
      await work()
      await other.query('commit')
    } finally {
      await other.end()
    }
  }

  /** How many sessions wait for a lock. */
  async countOfWaiting(): Promise<number> {
    return (await this.query(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length
  }

  /** Sends a signal to all its processes: SIGSTOP freezes the server, SIGCONT lets it go on. */
  signal(signal: NodeJS.Signals): void {
    this.#process.signal(signal)
  }

  /** Kills all processes of the server and waits for their end. */
  kill(signal?: NodeJS.Signals): Promise<void> {
    return this.#process.kill(signal)
  }

  /** Ends the server and removes its files. */
  stop(): Promise<void> {
    return this.#process.stop()
  }
}
