import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePort } from '../../scripts/free-port'
import { ownedFolder, owner } from '../../scripts/postgres-process'
import { pathOf } from '../../scripts/redis-process'
import { describeWith } from './describe-with'
import { eventually } from './redis-server'

const program = pathOf('pgbouncer') ?? pathOf('/usr/sbin/pgbouncer')

/** `describe` for suites that need PgBouncer. Without it, they are skipped with a warning, and in CI they fail. */
export const describeWithPgBouncer = describeWith('PgBouncer', program)

/** A PgBouncer in front of the PostgreSQL server at a port, in transaction mode unless it is told otherwise. */
export class PgBouncer {
  readonly port: number
  readonly #folder: string
  readonly #process: ChildProcess

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port
    this.#folder = folder
    this.#process = child
  }

  /** @param poolSize How many connections it has to the server, for each database and user. */
  static async start(
    target: number,
    { poolSize = 2, users = ['postgres'], mode = 'transaction' } = {},
  ): Promise<PgBouncer> {
    const [port, folder] = [await freePort(), ownedFolder('pgbouncer-')]
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: join(folder, 'users'),
      pool_mode: mode,
      default_pool_size: poolSize,
      max_client_conn: 200,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    const file = join(folder, 'pgbouncer.ini')
    writeFileSync(file, ['[databases]', `* = host=127.0.0.1 port=${target}`, '[pgbouncer]', ...lines, ''].join('\n'))
    writeFileSync(settings.auth_file, users.map((user) => `"${user}" ""\n`).join(''))
    const child = spawn(String(program), [file], { ...owner, cwd: folder, stdio: 'ignore' })
    child.unref()
    const bouncer = new PgBouncer(port, folder, child)
    await eventually(() => bouncer.#answers())
    return bouncer
  }

  /** The address of the database `postgres`, as the server's superuser. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #answers(): Promise<boolean> {
    if (this.#process.exitCode !== null) throw new Error(`PgBouncer ended with ${this.#process.exitCode}`)
    const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 5000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select 1')
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  }
}
