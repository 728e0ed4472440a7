import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { HostProcess } from './host-process'

/** Stands for a load balancer: one address in front of all processes. Each request goes to the next process in turn. */
export class Front {
  processes: HostProcess[] = []
  readonly #server: Server
  #losesNext = false

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (req, res) => this.#answer(req, res))
  }

  static async listen(port: number): Promise<Front> {
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    return new Front(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close().closeAllConnections()
  }

  /** Kills the process that gets the next request: after it has done the work, and before it sends the answer. */
  killNext(): void {
    this.#losesNext = true
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const answer = await this.#forward(req, await buffer(req))
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(res)
    } catch {
      res.writeHead(502).end()
    }
  }

  async #forward(req: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const [next, ...others] = this.processes
    if (!next) throw new Error('No process is left')
    this.processes = [...others, next]
    try {
      const answer = await send(req, body, next.port)
      if (!this.#losesNext) return answer
      this.#losesNext = false
      await next.end('SIGKILL')
      throw new Error('The answer was lost')
    } catch (error) {
      // Only a request that never arrived may go to another process. All others are for the client to repeat.
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
      this.processes = this.processes.filter((process) => process !== next)
      return this.#forward(req, body)
    }
  }
}

function send({ method, url, headers }: IncomingMessage, body: Buffer, port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ method, path: url, headers, host: '127.0.0.1', port, agent: false }, resolve)
      .on('error', reject)
      .end(body)
  })
}
