import { connect, type Socket } from 'node:net'

/** A response as it arrived over the socket. */
export interface RawResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Sends exactly these bytes, which a client library would correct first. The request must ask the server to close the connection after
 * it, as `head` does.
 */
export function rawRequest(url: string, ...parts: (string | Buffer)[]): Promise<RawResponse> {
  return sent(url, parts, (socket) => socket)
}

/** The same, but ends its half of the connection afterwards, although the head has announced more. */
export function cutOffRequest(url: string, ...parts: (string | Buffer)[]): Promise<RawResponse> {
  return sent(url, parts, (socket) => socket.end())
}

function sent(url: string, parts: (string | Buffer)[], finish: (socket: Socket) => void): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.on('data', (data) => received.push(data))
    socket.once('end', () => {
      socket.destroy()
      resolve(parsed(Buffer.concat(received).toString()))
    })
    socket.once('error', reject)
    for (const part of parts) socket.write(part)
    finish(socket)
  })
}

/** The head of a request that is the last one on its connection. */
export function head(requestLine: string, headers: Record<string, string | number> = {}): string {
  const lines = Object.entries({ Host: 'localhost', Connection: 'close', ...headers })
  return `${[`${requestLine} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`
}

function parsed(response: string): RawResponse {
  const [top = '', body = ''] = response.split(/\r\n\r\n(.*)/s)
  const [statusLine = '', ...lines] = top.split('\r\n')
  const headers = lines.map((line) => {
    const [name = '', value = ''] = line.split(/: *(.*)/s)
    return [name.toLowerCase(), value]
  })
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body }
}
