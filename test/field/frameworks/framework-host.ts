import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../../scripts/free-port'
import { root, snippetWith } from '../../docs/pages'
import { signingKey } from '../../support/sign-in'
import { testCertificate } from '../../support/tls-certificate'
import { http1Client, http2Client, type WireClient } from '../../support/wire-client'
import type { ServedHost } from '../hosts/mountings'

/** The file that every snippet of docs/hosts.md imports. */
const { code: signInSnippet } = snippetWith('export const guard = signIn.protectedResource(')
const signInFile = `import { authenticate, signingKeys, tenantStore, tokenStore } from './parts.mjs'\n${signInSnippet}`

// Milliseconds. It comes before the limit of the test, and says what the host has printed.
const maxStart = 300_000

/** The code of a host, and how it is run. */
export interface HostCode {
  /** Its files, by their names. The port 3000 and the addresses in them are replaced. */
  files: Record<string, string>
  /** The program with its arguments, for the folder of the files and a port. */
  command(folder: string, port: number): [program: string, ...args: string[]]
  /** The folder inside this one whose packages it imports. Default: this one. */
  packages?: string
  /** Default: HTTP/1.1 without TLS. */
  protocol?: 'HTTP/2' | 'HTTPS'
}

/** A host that runs a snippet of docs/hosts.md in a process of its own, on a loopback port. */
export class FrameworkHost implements ServedHost {
  readonly origin: string
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #protocol: HostCode['protocol']
  #output = ''

  private constructor(origin: string, process: ChildProcess, folder: string, protocol: HostCode['protocol']) {
    this.origin = origin
    this.#process = process
    this.#folder = folder
    this.#protocol = protocol
    for (const stream of [process.stdout, process.stderr]) {
      stream?.on('data', (data) => {
        this.#output += data
      })
    }
  }

  /**
   * Starts it, and waits until it serves sign-in.
   *
   * @param prefix The path of `baseUrl`.
   * @param attempts How often it tries, because another process may take a free port first.
   */
  static async start(code: HostCode, prefix: string, attempts = 3): Promise<FrameworkHost> {
    const port = await freePort()
    const origin = `${code.protocol ? 'https' : 'http'}://127.0.0.1:${port}`
    const folder = folderOf(code, { port, origin, prefix })
    const [program, ...args] = code.command(folder, port)
    const child = spawn(program, args, {
      cwd: folder,
      // A group of its own, so that what the program has started ends with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_ENV: undefined,
        NODE_OPTIONS: undefined,
        NEXT_TELEMETRY_DISABLED: '1',
        SIGNING_KEY: String(signingKey.export({ type: 'pkcs8', format: 'pem' })),
      },
    })
    const host = new FrameworkHost(origin, child, folder, code.protocol)
    try {
      await host.#ready(`${prefix}/v1/acme/oauth/jwks`)
      return host
    } catch (error) {
      await host.stop()
      if (attempts === 1 || !/in use|EADDRINUSE|AddrInUse/i.test(host.#output)) throw error
      return FrameworkHost.start(code, prefix, attempts - 1)
    }
  }

  connect(): WireClient {
    const { cert } = testCertificate()
    return this.#protocol === 'HTTP/2' ? http2Client(this.origin, cert) : http1Client(this.origin, cert)
  }

  async stop(): Promise<void> {
    if (this.#isRunning && this.#process.pid !== undefined) {
      const ended = new Promise((resolve) => this.#process.once('exit', resolve))
      process.kill(-this.#process.pid, 'SIGKILL')
      await ended
    }
    rmSync(this.#folder, { recursive: true, maxRetries: 5 })
  }

  get #isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Asks for the key set until it is that of the tests: another process may have taken the port. */
  async #ready(path: string): Promise<void> {
    const failed = new Promise<never>((_, reject) => {
      this.#process.once('error', reject)
      this.#process.once('exit', (code) => reject(new Error(`The host ended with ${code}: ${this.#output}`)))
    })
    const { x } = signingKey.export({ format: 'jwk' })
    const served = async () => {
      const client = this.connect()
      const { text } = await client.send({ path }).catch(() => ({ text: '' }))
      await client.close()
      return text.includes(`"${x}"`)
    }
    const asked = async () => {
      while (this.#isRunning && !(await served())) await setTimeout(50)
    }
    const gaveUp = setTimeout(maxStart, undefined, { ref: false }).then(() => {
      throw new Error(`The host does not serve sign-in: ${this.#output}`)
    })
    await Promise.race([asked(), failed, gaveUp])
  }
}

/** Writes the files of a host into a new folder, from which they find this package and those of the host. */
function folderOf(
  { files, packages = '.' }: HostCode,
  { port, origin, prefix }: { port: number; origin: string; prefix: string },
): string {
  const snippets = join(__dirname, packages, '.snippets')
  mkdirSync(snippets, { recursive: true })
  const folder = mkdtempSync(join(snippets, 'run-'))
  const adapted = (code: string) =>
    code
      .replaceAll('https://your.host', origin + prefix)
      .replace(/\b3000\b/g, String(port))
      .replaceAll('v1/:tenantKey/bookings', `${prefix}/v1/:tenantKey/bookings`.slice(1))
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  write('package.json', JSON.stringify({ type: 'module' }))
  write('sign-in.js', signInFile.replace('https://your.host', origin + prefix))
  for (const [name, code] of Object.entries(files)) write(name, adapted(code))
  const { key, cert } = testCertificate()
  write('key.pem', key)
  write('cert.pem', cert)
  cpSync(join(__dirname, 'harness', 'parts.mjs'), join(folder, 'parts.mjs'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'customer-sign-in'))
  return folder
}
