import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/free-port'
import { pathOf } from '../../scripts/redis-process'
import { describeWith } from './describe-with'
import { eventually } from './redis-server'
import { testCertificate } from './tls-certificate'

export const nginx = pathOf('nginx') ?? pathOf('/usr/sbin/nginx')
const caddy = pathOf('caddy')

/** `describe` for suites that need nginx. Without it, they are skipped with a warning, and in CI they fail. */
export const describeWithNginx = describeWith('nginx', nginx)

/** The same for Caddy. */
export const describeWithCaddy = describeWith('Caddy', caddy)

/** What the configuration of a web server is made from. */
export interface FrontPlace {
  /** The port to listen at, on loopback. */
  port: number
  /** The server's own folder. */
  folder: string
  /** Files with the certificate and the key of `testCertificate`. */
  certificate: string
  key: string
}

/** A real nginx or Caddy on a free loopback port, with a folder of its own. */
export class FrontServer {
  readonly port: number
  readonly #folder: string
  readonly #process: ChildProcess
  #output = ''

  private constructor(port: number, folder: string, command: readonly string[], env: NodeJS.ProcessEnv) {
    const [program = '', ...args] = command
    this.port = port
    this.#folder = folder
    const environment = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...env }
    this.#process = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: environment })
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on('data', (data: Buffer) => {
        this.#output = (this.#output + data).slice(-10_000)
      })
    running.add(this.#process)
    this.#process.once('exit', () => running.delete(this.#process))
  }

  /**
   * @param site What stands in the `http` block: a whole `server`, with what belongs to it. `cache` is the name of a cache.
   * @param clock How far its clock is ahead, in seconds.
   */
  static nginx(site: (place: FrontPlace) => string, { clock = 0 } = {}): Promise<FrontServer> {
    const command = (place: FrontPlace) => {
      const { folder } = place
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join(' ')
      const file = join(folder, 'nginx.conf')
      const main = `daemon off; master_process off; pid ${folder}/nginx.pid; events {}`
      const cache = `proxy_cache_path ${folder}/cache keys_zone=cache:1m;`
      writeFileSync(file, `${main}\nhttp { access_log off; ${paths} ${cache}\n${site(place)}\n}\n`)
      return [String(nginx), '-p', folder, '-e', 'stderr', '-c', file]
    }
    return FrontServer.#start(command, clock === 0 ? {} : withClock(clock))
  }

  /** @param file The whole Caddyfile. */
  static caddy(file: (place: FrontPlace) => string): Promise<FrontServer> {
    return FrontServer.#start((place) => {
      const caddyfile = join(place.folder, 'Caddyfile')
      writeFileSync(caddyfile, file(place))
      return [String(caddy), 'run', '--adapter', 'caddyfile', '--config', caddyfile]
    })
  }

  // Another process may take a free port first.
  static async #start(
    command: (place: FrontPlace) => string[],
    env: NodeJS.ProcessEnv = {},
    attempts = 3,
  ): Promise<FrontServer> {
    const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'front-'))]
    const [certificate, key] = [join(folder, 'test.crt'), join(folder, 'test.key')]
    writeFileSync(certificate, testCertificate().cert)
    writeFileSync(key, testCertificate().key)
    const server = new FrontServer(port, folder, command({ port, folder, certificate, key }), env)
    try {
      await eventually(() => server.#accepts())
      return server
    } catch (error) {
      await server.stop()
      if (attempts === 1) throw error
      return FrontServer.#start(command, env, attempts - 1)
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #accepts(): Promise<boolean> {
    if (this.#process.exitCode !== null) throw new Error(`The server ended: ${this.#output}`)
    const socket = connect(this.port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** The environment of a process whose clock is this many seconds ahead (libfaketime). */
function withClock(seconds: number): NodeJS.ProcessEnv {
  const FAKETIME = `${seconds > 0 ? '+' : ''}${seconds}s`
  return { LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1', FAKETIME, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}
