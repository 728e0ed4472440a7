import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** An HTTP response. */
export interface Answer {
  status: number
  body: string
  /** Where a redirect leads. */
  location: string | undefined
}

/**
 * A keep-alive connection to a server, for one request at a time.
 *
 * Existing HTTP clients take more CPU for each request than the quickest servers here. With one of them the load would be the limit, and
 * not the server.
 */
export class Connection {
  readonly #socket: Socket
  readonly #host: string
  #received = ''
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined

  private constructor(socket: Socket, port: number) {
    this.#socket = socket
    this.#host = `127.0.0.1:${port}`
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => this.#receive(text))
    socket.on('close', () => this.#waiting?.reject(new Error('The server closed the connection')))
    socket.on('error', () => {})
  }

  static async open(port: number): Promise<Connection> {
    const socket = createConnection(port, '127.0.0.1')
    await once(socket, 'connect')
    return new Connection(socket, port)
  }

  /** @param headers More header lines, each with its end. */
  post(path: string, body: string, type = 'application/x-www-form-urlencoded', headers = ''): Promise<Answer> {
    return this.#send(
      `POST ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`,
    )
  }

  get(path: string, headers = ''): Promise<Answer> {
    return this.#send(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${headers}\r\n`)
  }

  close(): void {
    this.#socket.destroy()
  }

  #send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) throw new Error('The server closed the connection')
      this.#waiting = { resolve, reject }
      this.#socket.write(request, 'latin1')
    })
  }

  #receive(text: string): void {
    this.#received += text
    const answer = answerIn(this.#received)
    if (!answer) return
    this.#received = ''
    this.#waiting?.resolve(answer)
  }
}

/** The response in a text; undefined while the text is incomplete. */
function answerIn(text: string): Answer | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const body = text.slice(end + 4)
  const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
  const location = /\r\nlocation: *(\S+)/i.exec(head)?.[1]
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return body.length < Number(length) ? undefined : { status, body, location }
  return body.endsWith('0\r\n\r\n') ? { status, body: joined(body), location } : undefined
}

/** The chunks of a body, joined (RFC 9112 section 7.1). */
function joined(chunked: string): string {
  const end = chunked.indexOf('\r\n')
  const length = Number.parseInt(chunked.slice(0, end), 16)
  return length === 0 ? '' : chunked.slice(end + 2, end + 2 + length) + joined(chunked.slice(end + 2 + length + 2))
}
