import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Answer, answerOf, isEventStream, messageIn } from './answer'
import { Fault, type FindingCode, fault } from './findings'

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

  /** @param timeLimit How long one request may take, from the look-up of the name to the last byte. In milliseconds. */
  constructor(readonly timeLimit = 15_000) {}

  /** @throws {Fault} if there is no answer. */
  async ask(address: string, { method = 'GET', timeLimit = this.timeLimit, ...more }: Asked = {}): Promise<Answer> {
    const url = new URL(address)
    const sent = Date.now()
    const answer = await exchange(url, method, timeLimit, more)
    const date = Date.parse(answer.header('date') ?? '')
    // The answer to a GET may come from a cache, with the date at which it was made.
    if (method === 'POST' && !Number.isNaN(date)) this.tellTime(`the Date header of ${url.host}`, date / 1000, sent)
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

async function exchange(url: URL, method: string, timeLimit: number, { headers, body }: Asked): Promise<Answer> {
  const shown = url.origin + url.pathname
  const signal = AbortSignal.timeout(timeLimit)
  const options = { method, headers: { 'User-Agent': 'customer-sign-in-doctor', ...headers }, agent: false, signal }
  const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
  // Some servers switch to another protocol in place of an answer.
  const switched = once(sent, 'upgrade').then(([, socket]) => {
    socket.destroy()
    throw fault('not-http', { host: url.host })
  })
  try {
    const [response] = await Promise.race([once(sent.end(body), 'response'), switched])
    const { statusCode, headers: received } = response as IncomingMessage
    const chunks: Buffer[] = []
    let size = 0
    // In the stream of a POST is the response of JSON-RPC.
    const isStream = isEventStream(received['content-type'])
    for await (const chunk of isStream && method !== 'POST' ? [] : response) {
      size += chunk.length
      if (size > maxBody) throw fault('too-large', { url: shown, limit: `${maxBody / 1024} KiB` })
      chunks.push(chunk)
      if (isStream && messageIn(Buffer.concat(chunks).toString('utf8'))) break
    }
    return answerOf(url.href, method, statusCode ?? 0, received, Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    if (error instanceof Fault) throw error
    throw signal.aborted
      ? fault('timeout', { url: shown, seconds: timeLimit / 1000 })
      : unreachable(error as Error, url)
  } finally {
    sent.destroy()
  }
}

/** What the code and the message of an error say. The first row that fits counts. */
const reasons = [
  ['dns', /^ENOTFOUND /],
  ['dns-server', /^EAI_AGAIN /],
  ['refused', /^ECONNREFUSED /],
  ['no-route', /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH) /],
  ['tls-expired', /^CERT_HAS_EXPIRED /],
  ['tls-not-yet-valid', /^CERT_NOT_YET_VALID /],
  ['tls-incomplete-chain', /^UNABLE_TO_VERIFY_LEAF_SIGNATURE /],
  ['tls-self-signed', /^DEPTH_ZERO_SELF_SIGNED_CERT /],
  ['tls-unknown-authority', /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?) /],
  ['tls-wrong-host', /^ERR_TLS_CERT_ALTNAME_INVALID /],
  ['tls-plain-http', /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG) /],
  ['tls-plain-http', /^EPROTO .*(wrong version number|packet length too long)/s],
  ['tls-failed', /^(EPROTO |ERR_SSL_|ERR_TLS_)/],
  ['too-large', /^HPE_HEADER_OVERFLOW /],
  ['not-http', /^HPE_/],
] as const satisfies (readonly [FindingCode, RegExp])[]

/** Says in plain words why there is no answer: DNS, the network, or TLS. */
export function unreachable(
  { code = '', message, cert }: NodeJS.ErrnoException & { cert?: { subjectaltname?: string | undefined } },
  { host, hostname, origin, pathname, port, protocol }: URL,
): Fault {
  const [finding] = reasons.find(([, pattern]) => pattern.test(`${code} ${message}`)) ?? ['closed' as const]
  const isAboutName = ['dns', 'dns-server', 'refused', 'tls-wrong-host'].includes(finding)
  return fault(finding, {
    host: isAboutName ? hostname.replace(/[[\]]/g, '') : host,
    port: port || (protocol === 'https:' ? '443' : '80'),
    names: cert?.subjectaltname?.replaceAll(/DNS:|IP Address:/g, '') || 'no name',
    // OpenSSL's words stand between colons: `error:0A000410:SSL routines::sslv3 alert handshake failure:…`.
    reason: code === 'EPROTO' ? (/::([^:]+):/.exec(message)?.[1] ?? 'the handshake failed') : code || message,
    url: origin + pathname,
    limit: '16 KiB of headers',
  })
}
