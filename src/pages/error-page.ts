import type { IncomingMessage, ServerResponse } from 'node:http'
import { respondFinally } from '../http/responses'
import type { OAuthError } from '../protocol/oauth-error'
import type { Appearance } from './appearance'
import { type Html, html, isolate } from './html'
import { logo, respondWithPage } from './page'
import { sentence, type Words } from './words'

/**
 * Tells a customer why the sign-in cannot go on, when there is no safe address to redirect the browser to.
 *
 * @param tenantName The company, if the request is for one.
 */
export function respondWithErrorPage(
  res: ServerResponse,
  error: OAuthError,
  appearance: Appearance,
  tenantName = '',
): void {
  respondFinally(res, () => sendErrorPage(res, error, appearance, tenantName))
}

function sendErrorPage(res: ServerResponse, error: OAuthError, appearance: Appearance, tenantName: string): void {
  const { status, code, description, reason } = error
  const { words } = appearance.language
  const { title, noAnswer, tryAgain, goBack, notAllowed, forDeveloper } = words.error
  const ofFault = status >= 500 ? tryAgain : goBack
  for (const [name, value] of Object.entries(pageHeaders(error))) res.setHeader(name, value)
  const repeat = repeatAddress(res.req, error)
  const inEnglish = html`<span lang="en" dir="ltr">${description} (${code}).</span>`
  const body = html`${logo(appearance)}
<h1>${title}</h1>
${reason === 'document_unavailable' && html`<p>${noAnswer}</p>`}
<p>${reason === 'client_not_allowed' ? sentence(notAllowed, { tenant: isolate(tenantName) }) : ofFault}</p>
${repeat !== undefined && again(repeat, words)}
<p class="soft">${sentence(forDeveloper, { error: inEnglish })}</p>`
  respondWithPage(res, pageStatus(error), { title, body }, appearance)
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
export function repeatAddress(req: IncomingMessage | undefined, { status }: OAuthError): string | undefined {
  return status === 503 ? /\?.*/s.exec(req?.url ?? '')?.[0] : undefined
}

function again(address: string, words: Words): Html {
  return html`<p><a class="button" href="${address}">${words.error.repeat}</a></p>`
}
