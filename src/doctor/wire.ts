import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Answer } from './answer'
import { type Fault, type FindingCode, fault } from './findings'

/** How much of a body is read. The documents and errors of a sign-in are a few kilobytes. */
const maxBody = 256 * 1024

export interface Asked {
  method?: string | undefined
  headers?: Record<string, string> | undefined
  body?: string | undefined
  /** In milliseconds, if it is not that of all requests. */
  timeLimit?: number | undefined
}

/**
 * Sends the doctor's requests, each on a connection of its own. A server is a stranger to the doctor: what it sends is limited in time and
 * size, no redirect is followed, and no cookie is kept.
 */
export class Wire {
  /** By how many seconds the clocks of the servers are ahead of that of this machine, with what says so. */
  readonly clocks: { source: string; ahead: number }[] = []
  readonly #timeLimit: number

  /** @param timeLimit How long one request may take, from the look-up of the name to the last byte. In milliseconds. */
  constructor(timeLimit = 15_000) {
    this.#timeLimit = timeLimit
  }

  /** @throws {Fault} if there is no answer. */
  async ask(url: string, { method = 'GET', headers = {}, body, timeLimit }: Asked = {}): Promise<Answer> {
    const sent = Date.now()
    const answer = await exchange(new URL(url), method, headersOf(headers, body), body, timeLimit ?? this.#timeLimit)
    const date = Date.parse(answer.header('date') ?? '')
    // The answer to a GET may come from a cache, with the date at which it was made.
    if (method === 'POST' && !Number.isNaN(date))
      this.tellTime(`the Date header of ${new URL(url).host}`, date / 1000, sent)
    return answer
  }

  /**
   * Compares a time that a server has just told with the clock of this machine.
   *
   * @param seconds The server's time, since 1970.
   * @param sent When the request was sent, in milliseconds: the server read its clock between then and now.
   */
  tellTime(source: string, seconds: number, sent: number): void {
    // A whole second in which the server's clock may have stood.
    const [earliest, latest] = [seconds - Date.now() / 1000, seconds + 1 - sent / 1000]
    this.clocks.push({ source, ahead: Math.round(Math.max(earliest, Math.min(latest, 0))) })
  }
}

function headersOf(headers: Record<string, string>, body: string | undefined): Record<string, string> {
  const length: Record<string, string> = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  return { 'User-Agent': 'customer-sign-in-doctor', ...length, ...headers }
}

function exchange(
  url: URL,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
  timeLimit: number,
): Promise<Answer> {
  const shown = `${url.origin}${url.pathname}`
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = request(url, { method, headers, agent: false })
    const timer = setTimeout(() => {
      reject(fault('timeout', { url: shown, seconds: timeLimit / 1000 }))
      sent.destroy()
    }, timeLimit)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      settle()
      sent.destroy()
    }
    sent.on('error', (error) => end(() => reject(unreachable(error, url))))
    sent.on('response', (response) => {
      const made = (text: string) => new Answer(url.href, method, response.statusCode ?? 0, response.headers, text)
      // A stream of events may never end.
      if (/^text\/event-stream\b/.test(response.headers['content-type'] ?? '')) return end(() => resolve(made('')))
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBody) end(() => reject(fault('too-large', { url: shown, limit: `${maxBody / 1024} KiB` })))
        else chunks.push(chunk)
      })
      response.on('error', (error) => end(() => reject(unreachable(error, url))))
      response.on('end', () => {
        end(() => resolve(made(Buffer.concat(chunks).toString('utf8'))))
      })
    })
    // Some servers switch to another protocol in place of an answer.
    sent.on('upgrade', () => end(() => reject(fault('not-http', { host: url.host }))))
    sent.end(body)
  })
}

const unreachableCodes = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns-server',
  ETIMEDOUT: 'no-route',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-not-yet-valid',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-incomplete-chain',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-unknown-authority',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-unknown-authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-unknown-authority',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls-plain-http',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls-plain-http',
} as const satisfies Record<string, FindingCode>

/** Says in plain words why there is no answer: DNS, the network, or TLS. */
export function unreachable(
  error: NodeJS.ErrnoException & { cert?: { subjectaltname?: string | undefined } },
  { host, hostname, origin, pathname, port, protocol }: URL,
): Fault {
  const code = error.code ?? ''
  const name = hostname.replace(/^\[|\]$/g, '')
  const known = unreachableCodes[code as keyof typeof unreachableCodes]
  if (known) return fault(known, { host: known.startsWith('dns') ? name : host })
  if (code === 'ECONNREFUSED')
    return fault('refused', { host: name, port: port || (protocol === 'https:' ? '443' : '80') })
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = error.cert?.subjectaltname?.replaceAll('DNS:', '').replaceAll('IP Address:', '')
    return fault('tls-wrong-host', { host: name, names: names || 'no name' })
  }
  if (code === 'EPROTO' && /wrong version number|packet length too long/.test(error.message))
    return fault('tls-plain-http', { host })
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_'))
    return fault('tls-failed', { host, reason: code === 'EPROTO' ? reasonIn(error.message) : code })
  if (code === 'HPE_HEADER_OVERFLOW') return fault('too-large', { url: origin + pathname, limit: '16 KiB of headers' })
  if (code.startsWith('HPE_')) return fault('not-http', { host })
  return fault('closed', { host, reason: code || error.message })
}

/** OpenSSL's words, which stand between colons: `error:0A000410:SSL routines::sslv3 alert handshake failure:…`. */
function reasonIn(message: string): string {
  return /::([^:]+):/.exec(message)?.[1] ?? 'the handshake failed'
}
