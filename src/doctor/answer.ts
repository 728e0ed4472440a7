import type { IncomingHttpHeaders } from 'node:http'
import { shownUrl } from './printable'

/** An HTTP response, with its whole body. */
export class Answer {
  readonly url: string
  readonly method: string
  readonly status: number
  readonly text: string
  readonly #headers: IncomingHttpHeaders

  constructor(url: string, method: string, status: number, headers: IncomingHttpHeaders, text: string) {
    this.url = url
    this.method = method
    this.status = status
    this.#headers = headers
    this.text = text
  }

  /** How findings name the request: `POST https://assistant.example/v1/acme/mcp`. */
  get request(): string {
    return `${this.method} ${shownUrl(this.url)}`
  }

  /** The value of a header, those of a repeated one joined with commas. The name is in lower case. */
  header(name: string): string | undefined {
    const value = this.#headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Each `Set-Cookie` header. */
  get cookies(): readonly string[] {
    return this.#headers['set-cookie'] ?? []
  }

  get isHtml(): boolean {
    return /^text\/html\b/i.test(this.header('content-type') ?? '') || /^\s*<(!doctype|html)\b/i.test(this.text)
  }

  /** Where the response redirects to, as an absolute URL. Undefined if it is no redirect. */
  get redirect(): URL | undefined {
    const location = this.header('location')
    const isRedirect = [301, 302, 303, 307, 308].includes(this.status)
    return isRedirect && location !== undefined && URL.canParse(location, this.url)
      ? new URL(location, this.url)
      : undefined
  }

  /** The body, if it is a JSON object. */
  get json(): Record<string, unknown> | undefined {
    try {
      const parsed: unknown = JSON.parse(this.text)
      return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined
    } catch {
      return undefined
    }
  }

  /** The `error` of an OAuth error (RFC 6749 section 5.2). */
  get error(): string | undefined {
    const error = this.json?.error
    return typeof error === 'string' ? error : undefined
  }

  get errorDescription(): string {
    const description = this.json?.error_description
    return typeof description === 'string' ? description : ''
  }

  /** Whether a firewall or a bot protection has answered in place of the app. */
  get isBotWall(): boolean {
    const marked = this.header('cf-mitigated') ?? this.header('x-amzn-waf-action') ?? this.header('x-datadome')
    const words =
      /captcha|just a moment|attention required|verify (that )?you are (a )?human|unusual traffic|are you a robot/i
    return (
      marked !== undefined || ([403, 405, 429, 503, 200].includes(this.status) && this.isHtml && words.test(this.text))
    )
  }
}
