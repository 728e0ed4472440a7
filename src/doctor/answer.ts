import type { IncomingHttpHeaders } from 'node:http'
import { isUrl } from '../protocol/resource'
import { jsonObject } from '../protocol/unverified-jwt'
import { type Fault, fault } from './findings'

/** An HTTP response, with its whole body, and what findings say of it. */
export type Answer = ReturnType<typeof answerOf>

export function answerOf(url: string, method: string, status: number, headers: IncomingHttpHeaders, text: string) {
  /** The value of a header, whose name is in lower case. */
  const header = (name: string) => headers[name]?.toString()
  const path = new URL(url).pathname
  const type = header('content-type') ?? 'missing'
  const isHtml = /^text\/html\b/i.test(type) || /^\s*<(!doctype|html)\b/i.test(text)
  const botMark = header('cf-mitigated') ?? header('x-amzn-waf-action') ?? header('x-datadome')
  const botWords =
    /captcha|just a moment|attention required|verify (that )?you are (a )?human|unusual traffic|are you a robot/i
  const location = [301, 302, 303, 307, 308].includes(status) ? header('location') : undefined
  const challenge = header('www-authenticate') ?? ''
  const json = isEventStream(type) ? messageIn(text) : jsonObject(text)
  const { error, error_description: description } = json ?? {}
  return {
    url,
    status,
    header,
    text,
    /** How findings name the request: `POST https://assistant.example/v1/acme/mcp`. */
    request: `${method} ${shownUrl(url)}`,
    path,
    /** The location of nginx that serves the path. */
    place: path.startsWith('/.well-known/') ? '/.well-known/' : path.replace(/[^/]*$/, ''),
    type,
    isHtml,
    isJson: json !== undefined,
    /** The members of the body, if it is a JSON object. */
    members: json ?? {},
    /** The `error` of an OAuth error (RFC 6749 section 5.2), or nothing. */
    error: typeof error === 'string' ? error : '',
    description: typeof description === 'string' ? description : '',
    /** How a challenge asks for credentials: its first word (RFC 9110 section 11.3). */
    scheme: challenge.replace(/[ ,].*/s, ''),
    challenge: bearerChallenge(challenge),
    /** Each `Set-Cookie` header. */
    cookies: headers['set-cookie'] ?? [],
    /** Where the response redirects to. Undefined if it is no redirect. */
    redirect: location !== undefined && isUrl(location, url) ? new URL(location, url) : undefined,
    /** Whether a firewall or a bot protection has answered in place of the app. */
    isBotWall: botMark !== undefined || ([403, 405, 429, 503, 200].includes(status) && isHtml && botWords.test(text)),
  }
}

/** Whether a content type is that of a stream of events, which may never end. */
export function isEventStream(type: string | undefined): boolean {
  return /^text\/event-stream\b/.test(type ?? '')
}

/** The response to a JSON-RPC request in a stream of events, which may begin with other messages. */
export function messageIn(stream: string): Record<string, unknown> | undefined {
  const messages = [...stream.matchAll(/^data: ?(\{.*\})\r?$/gm)].map(([, data = '']) => jsonObject(data))
  return messages.find((message) => message && ('result' in message || 'error' in message))
}

/** An address without its query and fragment, in which there may be a code. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*/s, '')
}

/**
 * Reads the `Bearer` or `DPoP` challenge in a `WWW-Authenticate` header (RFC 9110 section 11.6.1).
 *
 * @returns Its attributes, such as `resource_metadata`, `scope` and `error`. Undefined if the header has none.
 */
export function bearerChallenge(header: string): Record<string, string | undefined> | undefined {
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

/** @throws {Fault} if an answer cannot be the app's own: something in front has redirected, refused or replaced it. */
export function checkOwn(answer: Answer): void {
  const { status, redirect } = answer
  if (answer.isBotWall) throw fault('bot-wall', answer)
  if (redirect) throw redirection(answer, redirect)
  if (status === 429) throw fault('rate-limited', answer)
  if (status === 413) throw fault('body-limit', answer)
  const asksForPassword = /\b(basic|digest|negotiate|ntlm)\b/i.test(answer.header('www-authenticate') ?? '')
  if (status === 401 && asksForPassword && !answer.challenge && !answer.error) throw fault('password-asked', answer)
  if (status < 500) return
  if (answer.error === 'temporarily_unavailable') throw fault('temporarily-unavailable', answer)
  const isProxy = status === 502 || status === 504 || (status === 503 && answer.isHtml)
  throw fault(isProxy ? 'no-upstream' : 'server-error', answer)
}

/** The body of an answer that is always a JSON object. @throws {Fault} if it is none. */
export function jsonOf(answer: Answer): Record<string, unknown> {
  checkOwn(answer)
  const { isJson, members, status, isHtml } = answer
  if (isJson) return members
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
