import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { redirectUri } from './sign-in'

const running: DocumentServer[] = []

afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())))

/** A web server on loopback that publishes client metadata documents; stopped after the test. */
export class DocumentServer {
  /** The requests that have come, in their order. */
  readonly requests: IncomingMessage[] = []
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** @param answer Answers every request; by default with a good document of the address that is asked for. */
  static async start(answer?: (server: DocumentServer) => RequestListener): Promise<DocumentServer> {
    const listening = createServer()
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
    const server = new DocumentServer(listening)
    const respond = answer?.(server) ?? publishing(server)
    listening.on('request', (req, res) => {
      server.requests.push(req)
      respond(req, res)
    })
    running.push(server)
    return server
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The address of a document, which is its client's id. */
  url(path = '/client.json'): string {
    return this.origin + path
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Answers with a good document, save what is given otherwise. */
export function publishing(
  server: DocumentServer,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  status = 200,
): RequestListener {
  return (req, res) => {
    const document = {
      client_id: server.url(req.url),
      client_name: 'Assistant',
      redirect_uris: [redirectUri],
      ...changes,
    }
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(document))
  }
}
