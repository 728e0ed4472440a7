import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { redirectUri } from './sign-in'
import { testCertificate } from './tls-certificate'

const running: DocumentServer[] = []

afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())))

/** A web server on loopback that publishes client metadata documents; stopped after the test. */
export class DocumentServer {
  /** The requests received, in order. */
  readonly requests: IncomingMessage[] = []
  readonly #server: Server
  readonly #scheme: 'http' | 'https'
  readonly #port: number

  private constructor(server: Server, scheme: 'http' | 'https') {
    this.#server = server
    this.#scheme = scheme
    this.#port = (server.address() as AddressInfo).port
  }

  /** @param answer Answers every request; by default with a valid document for the requested address. */
  static async start(answer?: (server: DocumentServer) => RequestListener): Promise<DocumentServer> {
    return DocumentServer.#listening(createServer(), 'http', answer)
  }

  /** The same over TLS, under the names of `testCertificate`. */
  static async startTls(answer?: (server: DocumentServer) => RequestListener): Promise<DocumentServer> {
    return DocumentServer.#listening(createTlsServer(testCertificate()), 'https', answer)
  }

  static async #listening(
    listening: Server,
    scheme: 'http' | 'https',
    answer?: (server: DocumentServer) => RequestListener,
  ): Promise<DocumentServer> {
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
    const server = new DocumentServer(listening, scheme)
    const respond = answer?.(server) ?? publishing(server)
    listening.on('request', (req, res) => {
      server.requests.push(req)
      respond(req, res)
    })
    running.push(server)
    return server
  }

  get origin(): string {
    return this.originOf('127.0.0.1')
  }

  /** Its origin under another name. The test has to make that name lead here. */
  originOf(name: string): string {
    return `${this.#scheme}://${name}:${this.#port}`
  }

  /** The address of a document, which is also the client id. */
  url(path = '/client.json', name = '127.0.0.1'): string {
    return this.originOf(name) + path
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Responds with a valid document, except for the given changes. */
export function publishing(
  server: DocumentServer,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  status = 200,
): RequestListener {
  return (req, res) => {
    const document = {
      client_id: server.url(req.url, req.headers.host?.replace(/:\d+$/, '')),
      client_name: 'Assistant',
      redirect_uris: [redirectUri],
      ...changes,
    }
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(document))
  }
}
