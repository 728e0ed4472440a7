import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../scripts/free-port'
import { pathOf } from '../../../scripts/redis-process'
import { testCertificate } from '../../support/tls-certificate'

const harness = join(__dirname, 'harness')

/** Debian installs Python packages for its own Python, which need not be the first on the PATH. */
const python = ['/usr/bin/python3', 'python3'].find((candidate) =>
  works(candidate, ['-c', 'import authlib, requests_oauthlib, requests']),
)
const go = pathOf('go')
/** Where Debian installs Go packages. */
const goPath = '/usr/share/gocode'

/** What each kind of client needs, if it is there. */
export const installed = {
  npm: existsSync(join(__dirname, 'node_modules')),
  python,
  go: go && existsSync(join(goPath, 'src/golang.org/x/oauth2')) && go,
}

/** The snippets of a client, which run as an app of their own. */
export interface ClientCode {
  language: 'js' | 'python' | 'go'
  code: string
  /** How to refresh, where the library does not. */
  refreshing?: string
}

/** An app that signs its visitors in with a snippet of the docs, in a process of its own, on a loopback port. */
export class ClientApp {
  readonly origin: string
  readonly #process: ChildProcess
  readonly #folder: string
  #errors = ''

  private constructor(origin: string, process: ChildProcess, folder: string) {
    this.origin = origin
    this.#process = process
    this.#folder = folder
    process.stderr?.on('data', (data) => {
      this.#errors += data
    })
  }

  /**
   * Starts it, and waits until it answers.
   *
   * @param host The origin that takes the place of `https://your.host` in the snippet.
   * @param attempts How often it tries, because another process may take a free port first.
   */
  static async start(client: ClientCode, host: string, attempts = 3): Promise<ClientApp> {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const folder = newFolder()
    const adapted = (code: string) =>
      code.replaceAll('https://your.host', host).replaceAll('https://app.example', origin)
    const command = commandOf(
      { ...client, code: adapted(client.code), refreshing: adapted(client.refreshing ?? '') },
      folder,
    )
    const certificate = join(folder, 'certificate.pem')
    writeFileSync(certificate, testCertificate().cert)
    const [program = '', ...before] = command.before
    const child = spawn(program, [...before, `${port}`, `${host}/v1/acme/bookings`, ...command.after], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        AUTH_SECRET: 'a secret of the app',
        SESSION_SECRET: 'a secret of the app',
        // How Node, Python's requests and Go are told of the certificate of the host.
        NODE_EXTRA_CA_CERTS: certificate,
        REQUESTS_CA_BUNDLE: certificate,
        SSL_CERT_FILE: certificate,
        NO_PROXY: '127.0.0.1',
      },
    })
    const app = new ClientApp(origin, child, folder)
    try {
      await app.#ready()
      return app
    } catch (error) {
      await app.stop()
      if (attempts === 1 || !app.#errors.includes('ddress already in use')) throw error
      return ClientApp.start(client, host, attempts - 1)
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = new Promise((resolve) => this.#process.once('exit', resolve))
      this.#process.kill('SIGKILL')
      await ended
    }
    rmSync(this.#folder, { recursive: true })
  }

  #ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#process.stdout?.once('data', () => resolve())
      this.#process.once('error', reject)
      this.#process.once('exit', (code) => reject(new Error(`The app ended with ${code}: ${this.#errors}`)))
    })
  }
}

/** A new folder, from which Node finds the packages of this folder. */
export function newFolder(): string {
  const folder = join(__dirname, '.snippets')
  mkdirSync(folder, { recursive: true })
  return mkdtempSync(join(folder, 'run-'))
}

function commandOf({ language, code, refreshing }: ClientCode, folder: string): { before: string[]; after: string[] } {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  if (language === 'python') {
    return { before: [`${python}`, join(harness, 'serve.py'), write('snippet.py', code)], after: [] }
  }
  if (language === 'go') {
    write('snippet.go', code)
    cpSync(join(harness, 'serve.go'), join(folder, 'serve.go'))
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: goPath, GOFLAGS: '' }
    execFileSync(`${go}`, ['build', '-o', 'app', 'snippet.go', 'serve.go'], { cwd: folder, env })
    return { before: [join(folder, 'app')], after: [] }
  }
  const after = refreshing ? [write('refresh.mjs', refreshing)] : []
  return { before: [process.execPath, join(harness, 'serve.mjs'), write('snippet.mjs', code)], after }
}

function works(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
