import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { credentialsIn, type Requests, written } from '../clients/requests'
import type { Exchange, History } from '../history'

/** What happens to one request on its way. Times are milliseconds. */
export interface Way {
  delay?: number
  /** The request arrives a second time, this much later. */
  repeatAfter?: number
  /** The connection breaks before the host has the request, or after the host has answered. */
  cut?: 'request' | 'answer'
}

/** A proxy in front of a host. It delays, repeats and cuts requests, and records the repeats in the history. */
export class FrontProxy {
  /** Decides about each request. */
  wayOf: (path: string) => Way = () => ({})
  readonly port: number
  readonly #server: Server
  readonly #host: { number: number; port: number }
  readonly #history: History
  readonly #requests: Requests
  readonly #agent = new Agent({ keepAlive: true })

  private constructor(server: Server, host: { number: number; port: number }, history: History, requests: Requests) {
    this.#server = server
    this.#host = host
    this.#history = history
    this.#requests = requests
    this.port = (server.address() as AddressInfo).port
    server.on('request', (req, res) => void this.#pass(req, res).catch(() => res.destroy()))
  }

  static async start(
    host: { number: number; port: number },
    history: History,
    requests: Requests,
  ): Promise<FrontProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new FrontProxy(server, host, history, requests)
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const exchange = this.#requests.underWay.get(String(req.headers['x-exchange']))
    const hungUp = new AbortController()
    res.on('close', () => hungUp.abort())
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { delay = 0, repeatAfter, cut } = this.wayOf(req.url ?? '')

    if (repeatAfter !== undefined && exchange?.presented !== undefined && !exchange.forged) {
      setTimeout(() => void this.#repeat(exchange, req, body), delay + repeatAfter).unref()
    }
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
    if (cut === 'request') return void res.destroy()
    const answered = await this.#send(req, body, hungUp.signal)
    if (cut === 'answer') return void res.destroy()
    const nonce = answered.nonce === undefined ? {} : { 'DPoP-Nonce': answered.nonce }
    res.writeHead(answered.status, { 'Content-Type': 'application/json', ...nonce }).end(answered.text)
  }

  /** Sends the same request a second time; nobody gets the answer. */
  async #repeat(of: Exchange, req: IncomingMessage, body: Buffer): Promise<void> {
    const { kind, act, grant, host, presented } = of
    const about = { kind, act, grant, host, id: this.#history.nextId(), begun: this.#history.now() }
    const exchange: Exchange = { ...about, by: 'network', ended: 0, answer: 'lost' }
    if (presented !== undefined) exchange.presented = presented
    await this.#send(req, body).then(
      ({ status, text }) => {
        const json = JSON.parse(text || 'null')
        Object.assign(exchange, { answer: status }, written(act, json, credentialsIn(status, json)))
      },
      () => {},
    )
    this.#history.add({ ...exchange, ended: this.#history.now() })
  }

  #send(
    req: IncomingMessage,
    body: Buffer,
    signal?: AbortSignal,
  ): Promise<{ status: number; text: string; nonce: string | string[] | undefined }> {
    const { method, url: path, headers } = req
    return new Promise((resolve, reject) => {
      const { port } = this.#host
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: this.#agent, signal }, (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk) => chunks.push(chunk))
        res.on('error', reject)
        const nonce = res.headers['dpop-nonce']
        res.on('end', () => resolve({ status: res.statusCode ?? 0, text: Buffer.concat(chunks).toString(), nonce }))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
