import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { SeededRandom } from './seeded-random'

type Leg = 'request' | 'response'

/** A message to or from the token endpoint that the front holds back. */
export interface HeldMessage {
  /** Resolves once the message has arrived. */
  arrived: Promise<void>
  letGo(): void
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/**
 * A proxy between the clients and a host's processes, on a free loopback port. It spreads the requests over the processes, and delays each
 * request and each response.
 */
export class SlowFront {
  readonly url: string
  /** The addresses of the processes. */
  targets: readonly string[] = []
  /** The refresh tokens for which the response had another one. */
  readonly redeemed = new Set<string>()
  readonly #server: Server
  readonly #random: SeededRandom
  readonly #maxDelay: number
  readonly #expired = new Set<string>()
  readonly #seen = new Set<string>()
  readonly #holds: { leg: Leg; come(): void; gone: Promise<void> }[] = []

  private constructor(server: Server, random: SeededRandom, maxDelay: number) {
    this.#server = server
    this.#random = random
    this.#maxDelay = maxDelay
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    // Closing a connection while a request is on its way would be another fault.
    server.keepAliveTimeout = 0
    server.on('request', (req, res) => {
      this.#answer(req).then(
        ({ status, headers, body }) => res.writeHead(status, headers).end(body),
        () => res.destroy(),
      )
    })
  }

  /** @param maxDelay The longest time that a request or a response takes, in milliseconds. */
  static async start(random: SeededRandom, maxDelay: number): Promise<SlowFront> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new SlowFront(server, random, maxDelay)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** From now on the API refuses this access token, as if its lifetime were over. */
  expire(accessToken: string): void {
    this.#expired.add(accessToken)
  }

  /** The same for all access tokens that clients have sent so far. */
  expireSeen(): void {
    for (const accessToken of this.#seen) this.#expired.add(accessToken)
  }

  /** Holds back the next request to the token endpoint, or the response to it, until the test releases it. */
  holdNext(leg: Leg): HeldMessage {
    let come = () => {}
    let letGo = () => {}
    const arrived = new Promise<void>((resolve) => {
      come = resolve
    })
    const gone = new Promise<void>((resolve) => {
      letGo = resolve
    })
    this.#holds.push({ leg, come, gone })
    return { arrived, letGo }
  }

  async #answer(req: IncomingMessage): Promise<Answer> {
    const body = await bytesOf(req)
    await this.#travel('request', req)
    const answer = await this.#ask(req, body)
    const refreshToken = isForTokens(req) ? new URLSearchParams(body.toString()).get('refresh_token') : null
    if (refreshToken !== null && answer.status === 200 && !answer.body.includes(refreshToken))
      this.redeemed.add(refreshToken)
    await this.#travel('response', req)
    return answer
  }

  async #travel(leg: Leg, req: IncomingMessage): Promise<void> {
    const wait = delay(this.#random.next() * this.#maxDelay)
    const index = isForTokens(req) ? this.#holds.findIndex((hold) => hold.leg === leg) : -1
    const [hold] = index < 0 ? [] : this.#holds.splice(index, 1)
    hold?.come()
    await Promise.all([wait, hold?.gone])
  }

  #ask({ method, url = '', headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    const target = this.targets[this.#random.below(this.targets.length)]
    const [, accessToken = ''] = headers.authorization?.split(' ') ?? []
    this.#seen.add(accessToken)
    // The host itself refuses the request, so that the challenge is the host's.
    const sent = this.#expired.has(accessToken) ? { ...headers, authorization: 'Bearer expired' } : headers
    return new Promise((resolve, reject) => {
      request(target + url, { method, headers: sent, agent: false }, (res) => {
        const { 'transfer-encoding': _, connection: __, ...kept } = res.headers
        bytesOf(res).then((bytes) => resolve({ status: res.statusCode ?? 0, headers: kept, body: bytes }), reject)
      })
        .on('error', reject)
        .end(body)
    })
  }
}

function isForTokens({ url = '' }: IncomingMessage): boolean {
  return url.endsWith('/token')
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}
