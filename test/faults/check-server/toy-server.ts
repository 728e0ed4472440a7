import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A way in which a token endpoint can be wrong. */
export type Fault =
  | 'two winners'
  | 'no theft noticed'
  | 'a wrong client uses the token up'
  | 'a lost answer signs out'
  | 'a burst signs out'

interface Family {
  live: string
  ended: boolean
}

interface Token {
  family: Family
  usedAt?: number
}

// Milliseconds. A request of a burst comes earlier than the first, a repeat after a lost answer later.
const burst = 500
const window = 2500

/** A token endpoint in memory that is right, but for one fault. */
export class ToyServer {
  readonly #server: Server
  readonly #fault: Fault | undefined
  readonly #tokens = new Map<string, Token>()

  private constructor(fault: Fault | undefined) {
    this.#fault = fault
    this.#server = createServer(async (req, res) => {
      let body = ''
      for await (const chunk of req) body += chunk
      const [status, answer] = await this.#answer(new URLSearchParams(body))
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
    })
  }

  static async start(fault?: Fault): Promise<ToyServer> {
    const toy = new ToyServer(fault)
    await new Promise<void>((resolve) => toy.#server.listen(0, '127.0.0.1', resolve))
    return toy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/token`
  }

  /** A refresh token of a new sign-in. */
  newToken(): string {
    return this.#next({ live: '', ended: false })
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(form: URLSearchParams): Promise<[number, object]> {
    const presented = form.get('refresh_token') ?? ''
    const token = this.#tokens.get(presented)
    if (form.get('client_id') !== 'app') {
      if (this.#fault === 'a wrong client uses the token up') this.#tokens.delete(presented)
      return [401, { error: 'invalid_client' }]
    }
    if (form.get('grant_type') !== 'refresh_token') return [400, { error: 'unsupported_grant_type' }]
    if (form.has('scope')) return [400, { error: 'invalid_scope' }]
    if (form.has('resource')) return [400, { error: 'invalid_target' }]
    if (!token || token.family.ended) return [400, { error: 'invalid_grant' }]

    const { family, usedAt } = token
    const isLive = this.#fault === 'two winners' ? usedAt === undefined : family.live === presented
    if (this.#fault === 'two winners') await new Promise((resolve) => setTimeout(resolve, 30))
    if (isLive) {
      token.usedAt = performance.now()
      return [200, { access_token: 'an access token', refresh_token: this.#next(family) }]
    }
    if (this.#isAnswered(performance.now() - (usedAt ?? 0)))
      return [200, { access_token: 'another', refresh_token: family.live }]
    if (this.#fault !== 'no theft noticed' && this.#fault !== 'a burst signs out') family.ended = true
    if (this.#fault === 'a burst signs out' && performance.now() - (usedAt ?? 0) > window) family.ended = true
    return [400, { error: 'invalid_grant' }]
  }

  #isAnswered(age: number): boolean {
    if (this.#fault === 'a lost answer signs out') return age <= burst
    if (this.#fault === 'a burst signs out') return age > burst && age <= window
    return age <= window
  }

  #next(family: Family): string {
    const text = randomBytes(16).toString('base64url')
    family.live = text
    this.#tokens.set(text, { family })
    return text
  }
}
