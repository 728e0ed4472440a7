import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { consentForm } from './consent-form'
import { testCertificate } from './tls-certificate'

interface Page {
  url: URL
  status: number
  text: string
}

/** A customer with a browser that keeps cookies, follows redirects, and presses Allow on a consent page. */
export class Customer {
  readonly #end: string | undefined
  readonly #cookies = new Map<string, Map<string, string>>()
  readonly #proxy: number | undefined

  /**
   * @param end The beginning of an address at which the browser arrives without asking the server.
   * @param proxy A port of this machine that every https address leads to.
   */
  constructor(end?: string, proxy?: number) {
    this.#end = end
    this.#proxy = proxy
  }

  /** Opens an address. @returns The page at which the browser ends. */
  async open(address: string, form?: Record<string, string>): Promise<Page> {
    const url = new URL(address)
    if (this.#end !== undefined && address.startsWith(this.#end)) return { url, status: 0, text: '' }
    const { response, text } = await this.#send(url, form)
    const { location } = response.headers
    if (location !== undefined) return this.open(new URL(location, url).href)
    if (text.includes('name="consent_token"')) {
      const { action, token } = consentForm({ text })
      return this.open(new URL(action, url).href, { consent_token: token, decision: 'allow' })
    }
    return { url, status: response.statusCode ?? 0, text }
  }

  async #send(url: URL, form?: Record<string, string>): Promise<{ response: IncomingMessage; text: string }> {
    const body = form && new URLSearchParams(form).toString()
    const jar = this.#jarOf(url)
    const options: RequestOptions = {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        host: url.host,
        accept: 'text/html',
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded', origin: url.origin }),
      },
      ca: testCertificate().cert,
      ...(this.#proxy !== undefined && leadingTo(this.#proxy, url)),
    }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = url.protocol === 'https:' ? httpsRequest : httpRequest
      request(url, options, resolve).on('error', reject).end(body)
    })
    for (const cookie of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { response, text: Buffer.concat(chunks).toString() }
  }

  #jarOf({ host }: URL): Map<string, string> {
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    return jar
  }
}

/** Sends a request for an https address to a port of this machine. */
export function leadingTo(port: number, { hostname }: URL): RequestOptions {
  return { hostname: '127.0.0.1', port, servername: hostname }
}
