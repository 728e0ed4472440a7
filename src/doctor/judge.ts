import type { Answer } from './answer'
import { bearerChallenge } from './challenge'
import { shownUrl } from './printable'
import { type Fault, fault } from './report'

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
