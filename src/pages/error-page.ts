import type { IncomingMessage, ServerResponse } from 'node:http'
import { respondFinally } from '../http/responses'
import type { OAuthError } from '../protocol/oauth-error'
import type { Appearance } from './appearance'
import { type Html, html, isolate } from './html'
import { logo, respondWithPage } from './page'
import { sentence, type Words } from './words'

/**
 * Tells a customer why the sign-in did not work, when there is no safe address to redirect the browser to.
 *
 * @param tenantName The company, if the request is for one.
 */
export function respondWithErrorPage(
  res: ServerResponse,
  error: OAuthError,
  appearance: Appearance,
  tenantName?: string,
): void {
  respondFinally(res, () => {
    const { code, description, reason } = error
    const { words } = appearance.language
    const { title, noAnswer, forDeveloper } = words.error
    for (const [name, value] of Object.entries(pageHeaders(error))) res.setHeader(name, value)
    const repeat = repeatAddress(res.req, error)
    const inEnglish = html`<span lang="en" dir="ltr">${description} (${code}).</span>`
    const body = html`${logo(appearance)}
${tenantName !== undefined && html`<p class="company">${isolate(tenantName)}</p>`}
<h1>${title}</h1>
${reason === 'document_unavailable' && html`<p>${noAnswer}</p>`}
<p>${sentence(remedy(error, words), { tenant: isolate(tenantName ?? '') })}</p>
${repeat !== undefined && html`<p><a class="button" href="${repeat}">${words.error.repeat}</a></p>`}
${home(appearance, tenantName)}
<p class="soft">${sentence(forDeveloper, { error: inEnglish })}</p>`
    respondWithPage(res, pageStatus(error), { title, body }, appearance)
  })
}

/** What the customer can do. */
function remedy({ status, reason }: OAuthError, { error }: Words): string {
  if (status >= 500) return error.tryAgain
  switch (reason) {
    case 'client_not_allowed':
    case 'registration_off':
    case 'enterprise_only':
      return error.notAllowed
    // With `documents_off`, the app remembers the address of its document from a time when that was its id here.
    case 'client_gone':
    case 'documents_off':
      return error.unknownApp
    case 'wrong_redirect_uri':
      return error.wrongAddress
    case 'tenant_gone':
      return error.noCompany
    default:
      return error.goBack
  }
}

/** The link to where customers begin. Without a company, it has the name of its host. */
function home({ language: { words }, links }: Appearance, tenantName: string | undefined): Html | undefined {
  if (links.home === undefined) return undefined
  const tenant = isolate(tenantName ?? new URL(links.home).host)
  return html`<p><a class="button quiet" href="${links.home}">${sentence(words.links.home, { tenant })}</a></p>`
}

/** The status of a page about an error. It is not 401: a page has no challenge. */
export function pageStatus({ status }: OAuthError): number {
  return status === 401 ? 400 : status
}

/** The error's own headers, as far as a page has them. */
export function pageHeaders({ headers }: OAuthError): Record<string, string> {
  const { 'WWW-Authenticate': _, ...others } = headers
  return others
}

/**
 * The address of a link that repeats the request, where that can help. It has nothing but the request's own query, so it cannot lead to any
 * other page.
 */
export function repeatAddress(req: IncomingMessage | undefined, { status, reason }: OAuthError): string | undefined {
  return status >= 500 && reason !== 'misconfigured' ? /\?.*/s.exec(req?.url ?? '')?.[0] : undefined
}
