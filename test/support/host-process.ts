import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { codeChallengeOf } from '../../src/protocol/pkce'
import { endedEarly, withComplaints } from './ended-early'
import type { HostMessage, HostSettings } from './host-process/settings'
import { clientId, formBody, redirectUri, signingKey, type Tokens } from './sign-in'

const root = join(__dirname, '..', '..')
const credentialSecret = randomBytes(32).toString('hex')

/** A response of a token endpoint. */
export interface TokenResponse {
  status: number
  body: Tokens & { error?: string; error_description?: string }
}

/** A Node process that mounts sign-in on Redis or PostgreSQL. All such processes share the tests' signing key. */
export class HostProcess {
  readonly url: string
  /** The messages of its `error` events. */
  readonly errors: string[] = []
  /** How often each event occurred. */
  readonly events: Record<string, number> = {}
  readonly #child: ChildProcess
  readonly #agent = new Agent({ keepAlive: true })

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
    child.on('message', (message: HostMessage) => {
      if (!('event' in message)) return
      this.events[message.event] = (this.events[message.event] ?? 0) + 1
      if (message.error !== undefined) this.errors.push(message.error)
    })
  }

  static async start(settings: Omit<HostSettings, 'signingKey' | 'credentialSecret'>): Promise<HostProcess> {
    const keys = { signingKey: String(signingKey.export({ format: 'pem', type: 'pkcs8' })), credentialSecret }
    const child = fork(join(__dirname, 'host-process', 'main.ts'), {
      execArgv: ['--import', 'tsx', '--import', join(__dirname, 'clock-shift.ts')],
      cwd: root,
      env: {
        PATH: process.env.PATH,
        CLOCK_SHIFT: String((settings.clockOffset ?? 0) * 1000),
        HOST_SETTINGS: JSON.stringify({ ...settings, ...keys } satisfies HostSettings),
        // Makes imports of the package's name lead to its sources.
        TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
      },
      stdio: withComplaints,
    })
    const listening = new Promise<string>((resolve) => {
      child.once('message', (message: HostMessage) => resolve('url' in message ? message.url : ''))
    })
    return new HostProcess(child, await Promise.race([listening, endedEarly(child, 'The host process')]))
  }

  static startAll(count: number, settings: Omit<HostSettings, 'signingKey' | 'credentialSecret'>) {
    return Promise.all(Array.from({ length: count }, () => HostProcess.start(settings)))
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill()
    await ended
  }

  /** A customer's first tokens. */
  async connected(subject = 'customer-1'): Promise<Tokens> {
    const codeVerifier = randomBytes(32).toString('base64url')
    const { code } = await this.#issueCode({ codeChallenge: codeChallengeOf(codeVerifier), subject })
    const { status, body } = await this.#token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    })
    expect(status).toBe(200)
    return body
  }

  /** Opens an authorization URL in the browser of a customer who agrees. @returns Where the browser is redirected. */
  async browse({ searchParams }: URL, subject = 'customer-1'): Promise<URL> {
    const asked = (name: string) => searchParams.get(name) ?? undefined
    const { redirectTo } = await this.#issueCode({
      codeChallenge: asked('code_challenge'),
      scopes: asked('scope'),
      resource: asked('resource'),
      state: asked('state'),
      subject,
    })
    return new URL(redirectTo)
  }

  refresh(refreshToken: string, headers: Record<string, string> = {}): Promise<TokenResponse> {
    return this.#token({ grant_type: 'refresh_token', refresh_token: refreshToken }, headers)
  }

  /** Presents an assertion of a trusted issuer. */
  present(assertion: string): Promise<TokenResponse> {
    return this.#token({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  }

  async #issueCode(request: Record<string, string | undefined>): Promise<{ code: string; redirectTo: string }> {
    const known = { tenantKey: 'acme', clientId, redirectUri, codeChallengeMethod: 'S256' }
    const { body } = await this.#post('/codes', 'application/json', JSON.stringify({ ...known, ...request }))
    return body as unknown as { code: string; redirectTo: string }
  }

  #token(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<TokenResponse> {
    const body = formBody({ client_id: clientId, ...fields })
    return this.#post('/v1/acme/oauth/token', 'application/x-www-form-urlencoded', body, headers)
  }

  #post(path: string, contentType: string, body: string, more: Record<string, string> = {}): Promise<TokenResponse> {
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body), ...more }
      request(this.url + path, { method: 'POST', agent: this.#agent, headers }, (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk) => chunks.push(chunk))
        res.on('error', reject)
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: res.statusCode ?? 0, body: JSON.parse(text) })
        })
      })
        .on('error', reject)
        .end(body)
    })
  }
}
