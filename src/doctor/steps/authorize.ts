import { randomBytes, randomUUID } from 'node:crypto'
import { codeChallengeOf } from '../../protocol/pkce'
import { type Answer, checkOwn, shownUrl } from '../answer'
import { fault } from '../findings'
import { type Found, Skipped, type Visit } from '../visit'
import { publicDocument } from './registration'

type Client = Found['registration']

/** The page on which a customer who is not logged in arrives (RFC 6749 section 4.1.1). */
export async function openSignIn(visit: Visit): Promise<Answer> {
  const [, client] = visit.found('server', 'registration', 'resource')
  const page = await openPage(visit, signInRequest(visit, client).url)
  await checkPage(visit, page, client)
  const stranger = { ...client, id: `customer-sign-in-doctor-${randomUUID()}` }
  const refusal = await openPage(visit, signInRequest(visit, stranger).url)
  checkRefusal(visit, page, refusal)
  checkHeaders(visit, page)
  return page
}

/** A page, or a redirect to the page on which the customer logs in. */
async function checkPage(visit: Visit, page: Answer, client: Client): Promise<void> {
  const { redirect, status } = page
  if (redirect) return followToLogin(visit, page, redirect, client)
  // A browser can pass it, and so can a person who sees a captcha on the page itself.
  if (page.isBotWall)
    return visit.note('The page is behind a bot protection, or has one on it. The doctor does not see further.')
  const error = errorIn(page)
  if (status >= 500 && error === 'temporarily_unavailable') throw fault('authenticate-fails', { ...page, error })
  checkOwn(page)
  if (status === 404 && error !== 'invalid_client') throw fault('authorize-missing', page)
  if (status < 400 && page.isHtml) return
  if (status < 400) throw fault('not-json', page)
  if (error === 'invalid_client' && client.source === 'registered') throw fault('client-not-shared', page)
  if (error === 'invalid_client' && client.source === 'given')
    throw fault('client-unknown', { ...page, client: client.id })
  throw fault('authorize-refused', { ...page, error })
}

async function followToLogin(visit: Visit, page: Answer, redirect: URL, client: Client): Promise<void> {
  const to = shownUrl(redirect.href)
  if (to === client.redirectUri) {
    if (redirect.searchParams.has('error')) throw fault('authorize-refused', { ...page, error: errorIn(page) })
    return visit.note('The sign-in issues a code without asking anybody to log in. That is right only for a test.')
  }
  if (redirect.protocol === 'http:' && page.url.startsWith('https:')) throw fault('authorize-http', { ...page, to })
  if (!/^https?:$/.test(redirect.protocol)) throw fault('redirected', { ...page, to })
  const login = await openPage(visit, redirect.href)
  if (login.isBotWall) visit.note(`The login page ${to} is behind a bot protection, which a browser may pass.`)
  else if (login.status >= 400) visit.find('login-page-fails', { ...page, to, status: login.status })
  else checkCookies(visit, [page, login])
}

/** The cookies of the login. Which one is that of the session, and whether it is set only after the login, nobody can see from here. */
function checkCookies(visit: Visit, answers: readonly Answer[]): void {
  for (const { request, cookies } of answers) {
    const strict = cookies.find((cookie) => /;\s*SameSite\s*=\s*Strict\b/i.test(cookie))
    if (strict !== undefined) visit.find('cookie-strict', { request, name: strict.split('=', 1)[0] ?? '' })
  }
  if (answers.every(({ url, cookies }) => url.startsWith('https:') && cookies.length === 0))
    visit.note(
      "No cookie is set before the login. If customers are asked to log in again and again: behind a proxy, express-session sends a Secure cookie only with app.set('trust proxy', 1).",
    )
}

function checkHeaders(visit: Visit, page: Answer): void {
  const value = page.header('cache-control') ?? ''
  const isPublic = /\bpublic\b|s-maxage=[1-9]|max-age=[1-9]/i.test(value) && !/no-store|private/i.test(value)
  if (isPublic || page.header('age') !== undefined)
    visit.find('authorize-cached', { ...page, value: value || `Age: ${page.header('age')}` })
  const opener = page.header('cross-origin-opener-policy') ?? 'unsafe-none'
  if (opener !== 'unsafe-none') visit.find('opener-cut', { ...page, value: opener })
  const policy = page.header('content-security-policy') ?? ''
  const isFramed = page.header('x-frame-options') === undefined && !/frame-ancestors/i.test(policy)
  if (page.status === 200 && isFramed) visit.find('page-framed', page)
}

/** A client that does not exist must be refused. If it is not, the page is not that of the sign-in. */
function checkRefusal(visit: Visit, page: Answer, refusal: Answer): void {
  const isRefused = refusal.status !== 200 || errorIn(refusal) !== '' || refusal.isBotWall
  if (page.status === 200 && !isRefused) throw fault('authorize-taken', page)
  const [to, too] = [page.redirect, refusal.redirect].map((url) => url && shownUrl(url.href))
  if (to !== undefined && to === too) visit.find('authorize-unchecked', { ...page, to })
}

/**
 * Clients whose id is the address of their metadata document. The doctor has no public address for one of its own, so it begins a sign-in as an
 * assistant whose document is public, and goes no further than its first page.
 */
export async function tryDocument(visit: Visit): Promise<void> {
  const [, server] = visit.found('authorize', 'server', 'resource')
  if (server.members.client_id_metadata_document_supported !== true)
    throw new Skipped('The metadata does not announce client_id_metadata_document_supported.')
  const page = await openPage(visit, signInRequest(visit, publicDocument).url)
  visit.note(
    `Tried with the document of Claude Code, ${publicDocument.id}. The documents of other assistants are not tried.`,
  )
  if (page.status >= 400)
    visit.find('document-refused', { client: publicDocument.id, status: page.status, error: errorIn(page) })
}

/** An authorization request (RFC 6749 section 4.1.1) with PKCE (RFC 7636), a resource (RFC 8707) and the scope of the API's challenge. */
export function signInRequest(visit: Visit, client: Client) {
  const [server, { resource }, { challenge }] = visit.found('server', 'resource', 'api')
  const [state, codeVerifier] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')]
  const url = new URL(server.authorization)
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    code_challenge: codeChallengeOf(codeVerifier),
    code_challenge_method: 'S256',
    state,
    resource,
    ...(challenge?.scope && { scope: challenge.scope }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, state, codeVerifier }
}

/** Opens the page as a browser does. */
function openPage({ wire }: Visit, url: string): Promise<Answer> {
  return wire.ask(url, { headers: { Accept: 'text/html,application/xhtml+xml', 'Accept-Language': 'en' } })
}

const errorWords =
  /\b(invalid_(request|client|scope|target|redirect_uri)|unauthorized_client|access_denied|server_error|temporarily_unavailable|unsupported_response_type|not_found)\b/

/** The error that a page or a redirect names, if it names one of RFC 6749 and its followers. */
function errorIn({ redirect, error, text }: Answer): string {
  return redirect?.searchParams.get('error') ?? (error || errorWords.exec(text)?.[0] || '')
}
