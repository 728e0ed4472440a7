import type { ServerResponse } from 'node:http'
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
  const { status, code, description, headers, reason } = error
  const { words } = appearance.language
  const { title, noAnswer, tryAgain, goBack, notAllowed, forDeveloper } = words.error
  const ofFault = status >= 500 ? tryAgain : goBack
  for (const [name, value] of Object.entries(headers)) if (name !== 'WWW-Authenticate') res.setHeader(name, value)
  const inEnglish = html`<span lang="en" dir="ltr">${description} (${code}).</span>`
  const body = html`${logo(appearance)}
<h1>${title}</h1>
${reason === 'document_unavailable' && html`<p>${noAnswer}</p>`}
<p>${reason === 'client_not_allowed' ? sentence(notAllowed, { tenant: isolate(tenantName) }) : ofFault}</p>
${status === 503 && again(res, words)}
<p class="soft">${sentence(forDeveloper, { error: inEnglish })}</p>`
  respondWithPage(res, status === 401 ? 400 : status, { title, body }, appearance)
}

/** A link that repeats the request. It has nothing but the request's own query, so it cannot lead to any other address. */
function again({ req }: ServerResponse, words: Words): Html | undefined {
  const query = /\?.*/s.exec(req?.url ?? '')?.[0]
  return query === undefined ? undefined : html`<p><a class="button" href="${query}">${words.error.repeat}</a></p>`
}
