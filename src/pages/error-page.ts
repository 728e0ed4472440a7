import type { ServerResponse } from 'node:http'
import { respondFinally } from '../http/responses'
import type { OAuthError } from '../protocol/oauth-error'
import { html } from './html'
import { respondWithPage } from './page'

/** Tells a customer why the sign-in cannot go on, where there is nowhere safe to send the browser. */
export function respondWithErrorPage(res: ServerResponse, error: OAuthError): void {
  respondFinally(res, () => sendErrorPage(res, error))
}

function sendErrorPage(res: ServerResponse, { status, code, description, headers }: OAuthError): void {
  for (const [name, value] of Object.entries(headers)) if (name !== 'WWW-Authenticate') res.setHeader(name, value)
  respondWithPage(res, status === 401 ? 400 : status, {
    title: 'Sign-in cannot go on',
    body: html`<h1>Sign-in cannot go on</h1>
<p>${status >= 500 ? 'Please try again in a moment.' : 'Please go back to the app that you came from, and connect it again.'}</p>
<p class="soft">For the maker of the app: ${description} (${code}).</p>`,
  })
}
