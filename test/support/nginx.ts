import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/free-port'
import { pathOf } from '../../scripts/redis-process'
import { describeWith } from './describe-with'
import { eventually } from './redis-server'

export const nginxProgram = pathOf('nginx') ?? pathOf('/usr/sbin/nginx')

/** `describe` for suites that need nginx. Without it, they are skipped with a warning, and in CI they fail. */
export const describeWithNginx = describeWith('nginx', nginxProgram)

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
    const child = spawn(String(nginxProgram), ['-p', folder, '-e', 'stderr', '-c', file], {
      env: clock === 0 ? process.env : { ...process.env, ...withClock(clock) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const nginx = new Nginx(port, child, folder)
    running.push(nginx)
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`nginx has ended: ${said}`)
      // It is written when nginx listens.
      return existsSync(join(folder, 'pid'))
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

/** The environment of a process whose clock is this many seconds ahead (libfaketime). */
function withClock(seconds: number): NodeJS.ProcessEnv {
  const FAKETIME = `${seconds > 0 ? '+' : ''}${seconds}s`
  return { LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1', FAKETIME, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}
