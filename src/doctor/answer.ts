import type { IncomingHttpHeaders } from 'node:http'
import { type Fault, fault } from './findings'
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

/** The attributes of a `Bearer` challenge, such as `resource_metadata`, `scope` and `error`. */
export type Challenge = Readonly<Record<string, string | undefined>>

/** Reads the Bearer challenge in a `WWW-Authenticate` header (RFC 9110 section 11.6.1). @returns Undefined if it has none. */
export function bearerChallenge(header: string): Challenge | undefined {
  const [, , rest] = /(^|,\s*)Bearer\b(.*)$/is.exec(header) ?? []
  if (rest === undefined) return undefined
  const attributes = rest.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)
  return Object.fromEntries(
    [...attributes].map(([, name = '', quoted, bare = '']) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, '$1') ?? bare,
    ]),
  )
}

/**
 * Why an answer cannot be the app's own, whatever was asked for: something in front has redirected, refused or replaced it.
 *
 * @returns Undefined if it can be.
 */
export function interference(answer: Answer): Fault | undefined {
  const { request, status } = answer
  if (answer.isBotWall) return fault('bot-wall', { request, status: String(status) })
  const { redirect } = answer
  if (redirect) return redirection(answer, redirect)
  if (status === 429) return fault('rate-limited', { request })
  if (status === 413) return fault('body-limit', { request })
  const challenge = answer.header('www-authenticate') ?? ''
  const asksForPassword = /\b(basic|digest|negotiate|ntlm)\b/i.test(challenge) && !bearerChallenge(challenge)
  if (status === 401 && asksForPassword && !answer.error)
    return fault('password-asked', { request, scheme: challenge.split(/[ ,]/, 1)[0] ?? '' })
  if (status >= 500) return failure(answer)
  return undefined
}

/** Why an answer is no JSON object, where every answer is one. */
export function notJson(answer: Answer): Fault | undefined {
  const { request, status } = answer
  const other = interference(answer)
  if (other) return other
  if (answer.json) return undefined
  const place = placeOf(answer.url)
  if (status === 404) return fault('not-routed', { request, ...place })
  if (status === 405) return fault('method-refused', { request, path: place.path })
  if (answer.isHtml && status >= 400) return fault('error-page', { request, status: String(status) })
  if (answer.isHtml) return fault('html-page', { request, ...place })
  if (status >= 400) return fault('unexpected-status', { request, status: String(status), expected: 'JSON' })
  return fault('not-json', { request, type: answer.header('content-type') ?? 'no Content-Type' })
}

/** The path of an address, and the location of nginx that serves it. */
export function placeOf(url: string): { path: string; place: string } {
  const path = new URL(url).pathname
  return { path, place: path.startsWith('/.well-known/') ? '/.well-known/' : path.replace(/[^/]*$/, '') }
}

function redirection({ request, url }: Answer, redirect: URL): Fault {
  const [from, to] = [new URL(url), shownUrl(redirect.href)]
  const [fromPath, toPath] = [withoutSlash(from.pathname), withoutSlash(redirect.pathname)]
  const isElsewhere = fromPath !== toPath
  if (/\b(log-?in|sign-?in|sso|saml|authorize|cdn-cgi\/access|oauth2\/start)\b/i.test(to) && isElsewhere)
    return fault('login-wall', { request, to })
  if (isElsewhere) return fault('redirected', { request, to })
  if (from.hostname !== redirect.hostname) return fault('redirect-host', { request, to, host: redirect.host })
  if (from.protocol !== redirect.protocol) return fault('redirect-https', { request, to })
  if (from.pathname !== redirect.pathname) return fault('redirect-slash', { request, to, path: from.pathname })
  return fault('redirected', { request, to })
}

function failure({ request, status, error, isHtml }: Answer): Fault {
  if (error === 'temporarily_unavailable')
    return fault('temporarily-unavailable', { request, status: String(status), error })
  const isProxy = status === 502 || status === 504 || (status === 503 && isHtml)
  return fault(isProxy ? 'no-upstream' : 'server-error', { request, status: String(status) })
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '')
}
