import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>customer-sign-in doctor</title>
<h1>Back at the doctor</h1><p>You can close this window. The result is in the terminal.</p>`

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
}

/** The address on this machine to which the browser comes back (RFC 8252 section 7.3), at a free port. */
export class Callback {
  readonly redirectUri: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  }

  static async listen(): Promise<Callback> {
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve)
    })
    return new Callback(server)
  }

  /** @param limit In milliseconds. @returns The parameters with which the browser comes back, or undefined if it does not. */
  answer(limit: number): Promise<URLSearchParams | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limit, undefined)
      this.#server.on('request', (req, res) => {
        const target = req.url ?? '/'
        // Any program of this machine can send anything here. A browser also asks for an icon.
        const url = URL.canParse(target, this.redirectUri) ? new URL(target, this.redirectUri) : undefined
        if (url?.pathname !== '/callback') {
          res.writeHead(404).end()
          return
        }
        res.writeHead(200, headers).end(page)
        clearTimeout(timer)
        resolve(url.searchParams)
      })
    })
  }

  close(): void {
    this.#server.close()
    this.#server.closeIdleConnections()
    setTimeout(() => this.#server.closeAllConnections(), 1000).unref()
  }
}
