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

const program = pathOf('nginx') ?? pathOf('/usr/sbin/nginx')

/** `describe` for suites that need nginx. Without it, they are skipped with a warning, and in CI they fail. */
export const describeWithNginx = describeWith('nginx', program)

const running: Nginx[] = []

afterEach(() => Promise.all(running.splice(0).map((nginx) => nginx.stop())))

/** What an nginx is told, given its port. The folder is its own, and has `cache` as the name of a cache. */
export type NginxConfig = (port: number, folder: string) => string

/** An nginx with a configuration of its own, in a folder of its own. It is stopped after the test. */
export class Nginx {
  readonly port: number
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port
    this.#child = child
    this.#folder = folder
  }

  /**
   * Starts nginx with what stands in its `http` block.
   *
   * @param clock How far its clock is ahead, in seconds.
   */
  static async start(http: NginxConfig, { clock = 0 } = {}): Promise<Nginx> {
    const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'nginx-'))]
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, configuration(http(port, folder), folder))
    const args = ['-p', folder, '-e', 'stderr', '-c', file]
    const [command, ...before] = clock ? ['faketime', '-f', `+${clock}s`, String(program)] : [String(program)]
    const child = spawn(command, [...before, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const nginx = new Nginx(port, child, folder)
    running.push(nginx)
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`nginx has ended: ${said}`)
      return answersAt(port)
    })
    return nginx
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill()
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function configuration(http: string, folder: string): string {
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  return `daemon off; worker_processes 1; pid ${join(folder, 'pid')};
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 256; }
http {
  access_log off; default_type application/octet-stream;
  ${bodies.join(' ')}
  proxy_cache_path ${join(folder, 'cache')} keys_zone=cache:1m;
  ${http}
}
`
}

/** Whether something listens at a port of 127.0.0.1. */
function answersAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
