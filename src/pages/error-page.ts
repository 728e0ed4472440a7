import type { ServerResponse } from 'node:http'
import { respondFinally } from '../http/responses'
import type { OAuthError } from '../protocol/oauth-error'
import { type Html, html } from './html'
import { respondWithPage } from './page'
import { english, type Words } from './words'

/** Tells a customer why the sign-in cannot go on, when there is no safe address to redirect the browser to. */
export function respondWithErrorPage(res: ServerResponse, error: OAuthError, words: Words = english): void {
  respondFinally(res, () => sendErrorPage(res, error, words))
}

function sendErrorPage(res: ServerResponse, error: OAuthError, words: Words): void {
  const { status, code, description, headers, reason } = error
  const { title, noAnswer, tryAgain, goBack, forDeveloper } = words.error
  for (const [name, value] of Object.entries(headers)) if (name !== 'WWW-Authenticate') res.setHeader(name, value)
  const body = html`<h1>${title}</h1>
${reason === 'document_unavailable' && html`<p>${noAnswer}</p>`}
<p>${status >= 500 ? tryAgain : goBack}</p>
${status === 503 && again(res, words)}
<p class="soft">${forDeveloper(description, code)}</p>`
  respondWithPage(res, status === 401 ? 400 : status, { title, body }, words)
}

/** A link that repeats the request. It has nothing but the request's own query, so it cannot lead to any other address. */
function again({ req }: ServerResponse, words: Words): Html | undefined {
  const query = /\?.*/s.exec(req?.url ?? '')?.[0]
  return query === undefined ? undefined : html`<p><a class="button" href="${query}">${words.error.repeat}</a></p>`
}
