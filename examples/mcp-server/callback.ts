import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectedPage } from './pages'

/** The redirect URI of an app on the customer's own machine, at any port that is free (RFC 8252 section 7.3). */
export class Callback {
  readonly redirectUri: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
    server.on('request', ({ url = '' }, res) => {
      const { pathname, searchParams } = new URL(url, this.redirectUri)
      if (pathname === '/callback') server.emit('answer', searchParams)
      res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(connectedPage())
    })
  }

  /** The parameters of the next authorization response, as soon as the browser brings them. */
  async answer(): Promise<URLSearchParams> {
    const [parameters] = await once(this.#server, 'answer')
    return parameters
  }

  static async listen(): Promise<Callback> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Callback(server)
  }

  close(): void {
    this.#server.close().closeAllConnections()
  }
}
