import { once } from 'node:events'
import type { Server } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import express, { type Express, type Response as ExpressResponse, type Request } from 'express'
import { leadingTo } from '../../support/customer'
import { signingKey } from '../../support/sign-in'
import { testCertificate } from '../../support/tls-certificate'
import { snippetWith } from '../pages'

export const sharedAddress = 'https://assistant.example'
export const ownAddress = 'https://assistant.acme.com'

/** An app behind a proxy: `globex` is at the shared address, and `acme` has a domain of its own. Its MCP server streams two events. */
export class ProxiedHost {
  readonly app: Express = express()
  /** The requests that have arrived. */
  readonly requests: Request[] = []
  readonly #server: Server
  #sendSecond = () => {}

  private constructor(path: string, server: Server | undefined) {
    const signIn = createCustomerSignIn({
      tenantStore: new MemoryTenantStore([
        { key: 'globex', id: 'globex', name: 'Globex' },
        { key: 'acme', id: 'acme', name: 'Acme Air', baseUrl: ownAddress },
      ]),
      tokenStore: new MemoryTokenStore(),
      baseUrl: sharedAddress + path,
      keys: { signing: [signingKey] },
      refreshRetryWindow: 300,
      onEvent: () => {},
      authenticate: (req, res: ExpressResponse, { url }) =>
        req.headers.cookie?.includes('customer=ada')
          ? { subject: 'ada', name: 'Ada' }
          : res.redirect(`/login?next=${encodeURIComponent(url)}`),
    })
    this.#server = server ?? listening(this.app)
    this.app.use((req, _res, next) => {
      this.requests.push(req)
      next()
    })
    this.app.get('/login', (req, res) => res.cookie('customer', 'ada').redirect(String(req.query.next)))
    this.app.use(signIn.wellKnown)
    this.app.use(path || '/', signIn)
    const mcp = `${path}/v1/:tenantKey/mcp`
    this.app.all([mcp, '/mcp'], signIn.protectedResource({ path: '/v1/:tenantKey/mcp' }))
    this.app.post([mcp, '/mcp'], (req, res) => res.json(signIn.auth(req).subject))
    this.app.get([mcp, '/mcp'], (_req, res) => {
      res.type('text/event-stream').write('data: first\n\n')
      this.#sendSecond = () => res.end('data: second\n\n')
    })
  }

  /** @param path The path of `baseUrl`. */
  static async start(path = ''): Promise<ProxiedHost> {
    const host = new ProxiedHost(path, undefined)
    if (!host.#server.listening) await once(host.#server, 'listening')
    return host
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Lets the MCP server go on with its stream. */
  sendSecondEvent(): void {
    this.#sendSecond()
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Listens as the page says, at any free port of loopback. */
function listening(app: Express): Server {
  const code = snippetWith('server.keepAliveTimeout', ['docs/proxies.md']).code.replace(
    'listen(8080)',
    "listen(0, '127.0.0.1')",
  )
  return new Function('app', `${code}\nreturn server`)(app)
}

/** A `fetch` for https addresses, all of which lead to a proxy at a port of this machine. */
export function fetchThrough(port: number) {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input)
    const headers = { host: url.host, ...Object.fromEntries(new Headers(init.headers)) }
    const isForm = init.body instanceof URLSearchParams
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const { cert: ca } = testCertificate()
      const options = { ...leadingTo(port, url), method: init.method ?? 'GET', headers, ca, agent: false as const }
      const request = httpsRequest(url, options, resolve).on('error', reject)
      if (isForm) request.setHeader('content-type', 'application/x-www-form-urlencoded')
      request.end(init.body == null ? undefined : String(init.body))
    })
    const { statusCode: status = 0, rawHeaders } = response
    const pairs = rawHeaders.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
    )
    const body = new ReadableStream({
      start(controller) {
        response.on('data', (chunk: Buffer) => controller.enqueue(new Uint8Array(chunk)))
        response.on('end', () => controller.close())
        response.on('error', (error) => controller.error(error))
      },
      cancel: () => void response.destroy(),
    })
    return new Response([204, 304].includes(status) ? null : body, { status, headers: pairs })
  }
}
