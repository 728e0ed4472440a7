import { randomUUID } from 'node:crypto'
import type { Answer } from '../answer'
import { interference, placeOf } from '../judge'
import { shownUrl } from '../printable'
import { fault, type Notes } from '../report'
import type { Wire } from '../wire'
import { errorIn, openPage, signInRequest } from './first-page'
import type { Client } from './registration'
import type { ResourceFound } from './resource'
import type { ServerFound } from './server'

/** The page on which a customer who is not logged in arrives (RFC 6749 section 4.1.1). */
export async function openSignIn(
  notes: Notes,
  wire: Wire,
  server: ServerFound,
  client: Client,
  resource: ResourceFound,
  scope: string | undefined,
): Promise<void> {
  const page = await openPage(wire, signInRequest(server, client, resource, scope).url)
  await checkPage(notes, wire, page, client)
  const stranger = { id: `customer-sign-in-doctor-${randomUUID()}`, redirectUri: client.redirectUri }
  const refusal = await openPage(wire, signInRequest(server, stranger, resource, scope).url)
  checkRefusal(notes, page, refusal)
  checkHeaders(notes, page)
}

/** A page, or a redirect to the page on which the customer logs in. */
async function checkPage(notes: Notes, wire: Wire, page: Answer, client: Client): Promise<void> {
  const { request, redirect, status } = page
  if (redirect) {
    await followToLogin(notes, wire, page, redirect, client)
    return
  }
  // A browser can pass it, and so can a person who sees a captcha on the page itself.
  if (page.isBotWall) {
    notes.note('The page is behind a bot protection, or has one on it. The doctor does not see further.')
    return
  }
  const error = errorIn(page)
  if (status >= 500 && error === 'temporarily_unavailable')
    throw fault('authenticate-fails', { request, status: String(status), error })
  const replaced = interference(page)
  if (replaced) throw replaced
  if (status === 404 && error !== 'invalid_client') throw fault('authorize-missing', { request })
  if (status < 400 && page.isHtml) return
  if (status < 400) throw fault('not-json', { request, type: page.header('content-type') ?? 'no Content-Type' })
  if (error === 'invalid_client' && client.source === 'registered') throw fault('client-not-shared', { request })
  if (error === 'invalid_client' && client.source === 'given')
    throw fault('client-unknown', { request, client: client.id })
  throw fault('authorize-refused', { request, status: String(status), error })
}

async function followToLogin(notes: Notes, wire: Wire, page: Answer, redirect: URL, client: Client): Promise<void> {
  const { request } = page
  const to = shownUrl(redirect.href)
  if (to === client.redirectUri) {
    if (redirect.searchParams.has('error')) throw fault('authorize-error', { request, error: errorIn(page) })
    notes.note('The sign-in issues a code without asking anybody to log in. That is right only for a test.')
    return
  }
  if (redirect.protocol === 'http:' && page.url.startsWith('https:')) throw fault('authorize-http', { request, to })
  if (!/^https?:$/.test(redirect.protocol)) throw fault('redirected', { request, to })
  const login = await openPage(wire, redirect.href)
  if (login.isBotWall) notes.note(`The login page ${to} is behind a bot protection, which a browser may pass.`)
  else if (login.status >= 400) notes.find('login-page-fails', { request, to, status: String(login.status) })
  else checkCookies(notes, [page, login])
}

/** The cookies of the login. Which one is that of the session, and whether it is set only after the login, nobody can see from here. */
function checkCookies(notes: Notes, answers: readonly Answer[]): void {
  for (const { request, cookies } of answers) {
    const strict = cookies.find((cookie) => /;\s*SameSite\s*=\s*Strict\b/i.test(cookie))
    if (strict !== undefined) notes.find('cookie-strict', { request, name: strict.split('=', 1)[0] ?? '' })
  }
  if (answers.every(({ url, cookies }) => url.startsWith('https:') && cookies.length === 0))
    notes.note(
      "No cookie is set before the login. If customers are asked to log in again and again: behind a proxy, express-session sends a Secure cookie only with app.set('trust proxy', 1).",
    )
}

function checkHeaders(notes: Notes, page: Answer): void {
  const { request } = page
  const value = page.header('cache-control') ?? ''
  const isPublic = /\bpublic\b|s-maxage=[1-9]|max-age=[1-9]/i.test(value) && !/no-store|private/i.test(value)
  if (isPublic || page.header('age') !== undefined)
    notes.find('authorize-cached', { request, value: value || `Age: ${page.header('age')}` })
  const opener = page.header('cross-origin-opener-policy') ?? 'unsafe-none'
  if (opener !== 'unsafe-none') notes.find('opener-cut', { request, value: opener })
  const policy = page.header('content-security-policy') ?? ''
  const isFramed = page.header('x-frame-options') === undefined && !/frame-ancestors/i.test(policy)
  if (page.status === 200 && isFramed) notes.find('page-framed', { request })
}

/** A client that does not exist must be refused. If it is not, the page is not that of the sign-in. */
function checkRefusal(notes: Notes, page: Answer, refusal: Answer): void {
  const { request } = page
  const { path } = placeOf(page.url)
  const isRefused = refusal.status !== 200 || errorIn(refusal) !== '' || refusal.isBotWall
  if (page.status === 200 && !isRefused) throw fault('authorize-taken', { request, path })
  const [to, too] = [page.redirect, refusal.redirect].map((url) => url && shownUrl(url.href))
  if (to !== undefined && to === too) notes.find('authorize-unchecked', { request, to })
}
