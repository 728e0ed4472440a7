import type { IncomingHttpHeaders } from 'node:http'
import { type Fault, fault } from './findings'
import { shownUrl } from './printable'

/** An HTTP response, with its whole body, and what findings say of it. */
export class Answer {
  /** How findings name the request: `POST https://assistant.example/v1/acme/mcp`. */
  readonly request: string
  /** The path of the request. */
  readonly path: string
  /** The location of nginx that serves the path. */
  readonly place: string
  readonly type: string
  /** The body, if it is a JSON object. */
  readonly json: Record<string, unknown> | undefined
  /** The `error` of an OAuth error (RFC 6749 section 5.2), or nothing. */
  readonly error: string
  readonly description: string
  readonly #headers: IncomingHttpHeaders

  constructor(
    readonly url: string,
    method: string,
    readonly status: number,
    headers: IncomingHttpHeaders,
    readonly text: string,
  ) {
    this.#headers = headers
    this.request = `${method} ${shownUrl(url)}`
    this.path = new URL(url).pathname
    this.place = this.path.startsWith('/.well-known/') ? '/.well-known/' : this.path.replace(/[^/]*$/, '')
    this.type = headers['content-type'] ?? 'missing'
    this.json = jsonObject(text)
    const { error, error_description: description } = this.json ?? {}
    this.error = typeof error === 'string' ? error : ''
    this.description = typeof description === 'string' ? description : ''
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
    return /^text\/html\b/i.test(this.type) || /^\s*<(!doctype|html)\b/i.test(this.text)
  }

  /** Where the response redirects to, as an absolute URL. Undefined if it is no redirect. */
  get redirect(): URL | undefined {
    const location = this.header('location')
    const isRedirect = [301, 302, 303, 307, 308].includes(this.status)
    return isRedirect && location !== undefined && URL.canParse(location, this.url)
      ? new URL(location, this.url)
      : undefined
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

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined
  } catch {
    return undefined
  }
}

/** The attributes of a challenge that asks for an access token, such as `resource_metadata`, `scope` and `error`. */
export type Challenge = Readonly<Record<string, string | undefined>>

/** Reads the `Bearer` or `DPoP` challenge in a `WWW-Authenticate` header (RFC 9110 section 11.6.1). @returns Undefined if it has none. */
export function bearerChallenge(header: string): Challenge | undefined {
  const [, , rest] = /(^|,\s*)(?:Bearer|DPoP)\b(.*)$/is.exec(header) ?? []
  if (rest === undefined) return undefined
  const attributes = rest.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)
  return Object.fromEntries(
    [...attributes].map(([, name = '', quoted, bare = '']) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, '$1') ?? bare,
    ]),
  )
}

/** How a challenge asks for credentials: its first word (RFC 9110 section 11.3). */
export function schemeOf(challenge: string): string {
  return challenge.split(/[ ,]/, 1)[0] ?? ''
}

/** @throws {Fault} if an answer cannot be the app's own: something in front has redirected, refused or replaced it. */
export function checkOwn(answer: Answer): void {
  const { status, redirect } = answer
  if (answer.isBotWall) throw fault('bot-wall', answer)
  if (redirect) throw redirection(answer, redirect)
  if (status === 429) throw fault('rate-limited', answer)
  if (status === 413) throw fault('body-limit', answer)
  const challenge = answer.header('www-authenticate') ?? ''
  const asksForPassword = /\b(basic|digest|negotiate|ntlm)\b/i.test(challenge) && !bearerChallenge(challenge)
  if (status === 401 && asksForPassword && !answer.error)
    throw fault('password-asked', { ...answer, scheme: schemeOf(challenge) })
  if (status < 500) return
  if (answer.error === 'temporarily_unavailable') throw fault('temporarily-unavailable', answer)
  const isProxy = status === 502 || status === 504 || (status === 503 && answer.isHtml)
  throw fault(isProxy ? 'no-upstream' : 'server-error', answer)
}

/** The body of an answer that is always a JSON object. @throws {Fault} if it is none. */
export function jsonOf(answer: Answer): Record<string, unknown> {
  checkOwn(answer)
  const { json, status, isHtml } = answer
  if (json) return json
  if (status === 404) throw fault('not-routed', answer)
  if (status === 405) throw fault('method-refused', answer)
  if (isHtml) throw fault(status >= 400 ? 'error-page' : 'html-page', answer)
  if (status >= 400) throw fault('unexpected-status', { ...answer, expected: 'JSON' })
  throw fault('not-json', answer)
}

function redirection(answer: Answer, redirect: URL): Fault {
  const [from, to] = [new URL(answer.url), shownUrl(redirect.href)]
  const [fromPath, toPath] = [from, redirect].map(({ pathname }) => pathname.replace(/\/+$/, ''))
  const isElsewhere = fromPath !== toPath
  const about = { ...answer, to, host: redirect.host }
  if (/\b(log-?in|sign-?in|sso|saml|authorize|cdn-cgi\/access|oauth2\/start)\b/i.test(to) && isElsewhere)
    return fault('login-wall', about)
  if (isElsewhere) return fault('redirected', about)
  if (from.hostname !== redirect.hostname) return fault('redirect-host', about)
  if (from.protocol !== redirect.protocol) return fault('redirect-https', about)
  if (from.pathname !== redirect.pathname) return fault('redirect-slash', about)
  return fault('redirected', about)
}
