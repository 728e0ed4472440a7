import type { ServerResponse } from 'node:http'
import { type Html, html } from './html'
import { respondWithPage } from './page'

/** What the consent page asks a customer. */
export interface ConsentQuestion {
  /** The company: its name, and its logo if it has one. */
  tenantName: string
  logoUri: string | undefined
  /** The client, by the name it gives itself. */
  clientName: string
  /** Whether the company itself vouches for that name. */
  vouchedFor: boolean
  /** The host that publishes the client's metadata document, where it has one: the one thing about it that is proven. */
  publisher: string | undefined
  redirectUri: string
  /** What is asked for, in words. */
  scopes: readonly string[]
  /** The customer as they know themselves, where the host says it. */
  customerName: string | undefined
  /** Where the answer goes, and the token that it must carry. */
  action: string
  token: string
}

/** Asks the customer whether the client may act for them (RFC 6749 section 4.1.1). */
export function respondWithConsentPage(res: ServerResponse, question: ConsentQuestion): void {
  const { tenantName, logoUri, clientName, vouchedFor, publisher, redirectUri, scopes, customerName, action, token } =
    question
  respondWithPage(res, 200, {
    title: `Connect ${clientName} to ${tenantName}?`,
    imageUrl: logoUri,
    body: html`${logoUri !== undefined && html`<img src="${logoUri}" alt="">`}
<h1>Connect <bdi>${clientName}</bdi> to <bdi>${tenantName}</bdi>?</h1>
${customerName !== undefined && html`<p>You are signed in as <bdi>${customerName}</bdi>.</p>`}
<p id="scopes"><bdi>${clientName}</bdi> will be able to:</p>
<ul aria-labelledby="scopes">
${scopes.map((scope) => html`<li><bdi>${scope}</bdi></li>`)}
</ul>
<dl>
${publisher !== undefined && html`<dt>Published by</dt><dd><bdi>${publisher}</bdi></dd>`}
<dt>You will be sent to</dt>
<dd>${destination(redirectUri)}</dd>
</dl>
${!vouchedFor && html`<p class="soft"><bdi>${tenantName}</bdi> has not checked this app. Allow it only if you have just asked it to connect.</p>`}
<form method="post" action="${action}">
<input type="hidden" name="consent_token" value="${token}">
<button type="submit" name="decision" value="deny">Deny</button>
<button type="submit" name="decision" value="allow">Allow</button>
</form>`,
  })
}

/** The part of a redirect URI that says whose it is. */
function destination(redirectUri: string): Html {
  const { protocol, hostname, host } = new URL(redirectUri)
  if (['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return html`an app on this device (${host})`
  return protocol === 'https:' ? html`<bdi>${host}</bdi>` : html`the app on this device that opens ${protocol}//`
}
