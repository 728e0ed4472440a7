import http, { type IncomingHttpHeaders } from 'node:http'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders as Http2Headers } from 'node:http2'
import https from 'node:https'

/** A request, as a client puts it on the wire. */
export interface WireRequest {
  method?: string
  /** The path with its query. */
  path: string
  headers?: Record<string, string>
  /** A list is sent in chunks, without `Content-Length`. */
  body?: string | Buffer | readonly string[] | undefined
}

/** A response, with its body as text and, if it is JSON, parsed. */
export interface WireResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: as in supertest's responses.
  body: any
}

/** A client of one server. */
export interface WireClient {
  send(request: WireRequest): Promise<WireResponse>
  /** Sends the head of a request and a part of its body, and hangs up once they are sent. */
  hangUp(request: WireRequest): Promise<void>
  close(): Promise<void>
}

/** A client of HTTP/1.1, which keeps one connection. @param ca The certificate to trust. */
export function http1Client(origin: string, ca?: string): WireClient {
  const { Agent, request } = origin.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const opened = ({ method = 'GET', path, headers = {}, body }: WireRequest, by: http.Agent | false) => {
    const isWhole = typeof body === 'string' || Buffer.isBuffer(body)
    const length = isWhole ? { 'Content-Length': Buffer.byteLength(body) } : {}
    return request(new URL(path, origin), { method, agent: by, headers: { ...length, ...headers }, ca })
  }
  const send = (sent: WireRequest): Promise<WireResponse> =>
    new Promise((resolve, reject) => {
      const req = opened(sent, agent)
      // On a busy machine, a request may be sent just as the server closes a connection that was idle.
      req.once('error', (error: NodeJS.ErrnoException) => {
        if (req.reusedSocket && error.code === 'ECONNRESET') resolve(send(sent))
        else reject(error)
      })
      req.once('response', (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk) => chunks.push(chunk))
        res.once('error', reject)
        res.once('end', () => resolve(received(res.statusCode, res.headers, chunks)))
      })
      writeBody(req, sent.body)
    })
  return {
    send,
    hangUp: (sent) =>
      new Promise((resolve) => {
        const req = opened(sent, false)
        req.on('error', () => {})
        req.once('close', resolve)
        req.write(String(sent.body), () => req.destroy())
      }),
    close: async () => agent.destroy(),
  }
}

/** A client of HTTP/2, on one connection. @param ca The certificate to trust. */
export function http2Client(origin: string, ca?: string): WireClient {
  const connected = () => connect(origin, { ca }).on('error', () => {})
  const session = connected()
  const opened = ({ method = 'GET', path, headers = {}, body }: WireRequest, by: ClientHttp2Session) =>
    by.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined })
  return {
    send: (sent) =>
      new Promise((resolve, reject) => {
        const stream = opened(sent, session)
        const chunks: Buffer[] = []
        let head: Http2Headers & { ':status'?: number } = {}
        stream.once('error', reject)
        stream.once('response', (responded) => {
          head = responded
        })
        stream.on('data', (chunk) => chunks.push(chunk))
        stream.once('end', () => resolve(received(head[':status'], head, chunks)))
        if (sent.body !== undefined) writeBody(stream, sent.body)
      }),
    hangUp: (sent) =>
      new Promise((resolve) => {
        const other = connected()
        const stream = opened(sent, other)
        stream.on('error', () => {})
        stream.once('close', resolve)
        stream.write(String(sent.body), () => other.destroy())
      }),
    close: () =>
      new Promise((resolve) => {
        if (session.destroyed) resolve()
        else session.close(resolve)
      }),
  }
}

function writeBody(stream: NodeJS.WritableStream, body: WireRequest['body']): void {
  for (const chunk of [body ?? []].flat()) stream.write(chunk)
  stream.end()
}

function received(status = 0, headers: IncomingHttpHeaders, chunks: readonly Buffer[]): WireResponse {
  const text = Buffer.concat(chunks).toString()
  return { status, headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
