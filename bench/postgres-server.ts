import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { postgresSchema } from 'customer-sign-in/postgres'
import { Client } from 'pg'
import { PostgresProcess, type PostgresSettings, postgresVersions } from '../scripts/postgres-process'
import type { Database } from './database'

/** Whether there is a PostgreSQL server on this machine. */
export const hasPostgres = postgresVersions.length > 0

/** A PostgreSQL server of the benchmark's own, with the tables of the library. */
export class PostgresServer implements Database {
  readonly #process: PostgresProcess
  readonly #client: Client

  private constructor(server: PostgresProcess) {
    this.#process = server
    this.#client = new Client({ connectionString: server.url })
    this.#client.on('error', () => {})
  }

  /** @param settings Settings that differ from the defaults of PostgreSQL. */
  static async start(settings: PostgresSettings = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await PostgresProcess.start({ settings: { fsync: 'on', ...settings } }))
    await server.#client.connect()
    await server.query(postgresSchema())
    return server
  }

  get port(): number {
    return this.#process.port
  }

  /** The name and version of the server that is started. */
  static async version(): Promise<string> {
    const server = await PostgresServer.start()
    try {
      const [row] = await server.query<{ server_version: string }>('show server_version')
      return `PostgreSQL ${row?.server_version.split(' ')[0]}`
    } finally {
      await server.stop()
    }
  }

  /** Runs a statement. Without values, it can be several statements. */
  async query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]> {
    return (await this.#client.query(sql, values)).rows as Row[]
  }

  /** NaN where the system does not say. */
  async usedCpu(): Promise<number> {
    const pid = this.#process.pid ?? 0
    const children = fileOf(pid, `task/${pid}/children`)?.trim().split(' ') ?? []
    const running = [pid, ...children.map(Number)].map(cpuOfRunning)
    return running.reduce((sum, each) => sum + each, cpuOfEnded(pid))
  }

  async sentDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const before = await this.#logAfter('all')
    await work()
    const log = (await this.#logAfter('none')).slice(before.length)
    const counts: Record<string, number> = {}
    for (const [, verb, name] of log.matchAll(/LOG: {2}execute <unnamed>: (\w+)[\s\S]*?"customer_sign_in"\.(\w+)/g)) {
      const statement = `${verb} ${name}`
      counts[statement] = (counts[statement] ?? 0) + 1
    }
    return counts
  }

  async stop(): Promise<void> {
    await this.#client.end().catch(() => {})
    await this.#process.stop()
  }

  /** Sets which statements the server logs from now on. @returns The log until then. */
  async #logAfter(statements: 'all' | 'none'): Promise<string> {
    await this.query(`alter system set log_statement = '${statements}'`)
    await this.query('select pg_reload_conf()')
    // Each of its processes reads the settings when it is told so, before its next statement.
    await setTimeout(200)
    return readFileSync(join(this.#process.folder, 'log'), 'utf8')
  }
}

/** The microseconds of CPU time of a process. A process that has ended meanwhile is one of the others. */
function cpuOfRunning(pid: number): number {
  const nanoseconds = fileOf(pid, 'schedstat')?.split(' ')[0]
  return Number(nanoseconds ?? 0) / 1000
}

/** The same of its children that have ended, which the system counts in hundredths of a second (proc(5): cutime and cstime). */
function cpuOfEnded(pid: number): number {
  const [user, system] = fileOf(pid, 'stat')?.split(') ').at(-1)?.split(' ').slice(13, 15) ?? []
  return (Number(user) + Number(system)) * 10_000
}

function fileOf(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}
