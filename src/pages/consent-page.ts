import type { ServerResponse } from 'node:http'
import { isLoopbackHost } from '../protocol/loopback'
import { type Html, html } from './html'
import { respondWithPage } from './page'

// Of an address, in characters.
const maxLength = 60

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
  /** Whether they have answered once, in a browser that cannot tell a press that was meant for another page. */
  answered: boolean
  /** What is asked for, in words. */
  scopes: readonly string[]
  /** The customer as they know themselves, where the host says it. */
  customerName: string | undefined
  /** Where the answer goes, and the token that it must carry. */
  action: string
  token: string
}

/**
 * Asks the customer whether the client may act for them (RFC 6749 section 4.1.1). For a client that nobody vouches for, browsers that
 * cannot tell a deliberate press answer `confirm` instead of `allow`, and are to be asked again with `answered`: there the buttons
 * are at another place.
 */
export function respondWithConsentPage(res: ServerResponse, question: ConsentQuestion): void {
  const { tenantName, logoUri, clientName, vouchedFor, answered } = question
  const title = `Connect ${vouchedFor ? clientName : `“${endOf(clientName)}”`} to ${tenantName}?`
  const logo = logoUri !== undefined && html`<img src="${logoUri}" alt="">`
  const heading = html`Connect ${nameOf(question)} to <bdi>${tenantName}</bdi>?`
  respondWithPage(res, 200, {
    title: answered ? `Please confirm: ${title}` : title,
    imageUrl: logoUri,
    body: answered
      ? html`<h1>Please confirm</h1>
${buttons(question)}
${logo}
<h2>${heading}</h2>
${details(question)}`
      : html`${logo}
<h1>${heading}</h1>
${details(question)}
${buttons(question)}`,
  })
}

/** A name that nobody vouches for is a quotation. */
function nameOf({ clientName, vouchedFor }: ConsentQuestion): Html {
  return vouchedFor ? html`<bdi>${clientName}</bdi>` : html`“<bdi>${endOf(clientName)}</bdi>”`
}

function details(question: ConsentQuestion): Html {
  const { tenantName, vouchedFor, publisher, redirectUri, scopes, customerName } = question
  return html`${customerName !== undefined && html`<p>You are signed in as <bdi>${customerName}</bdi>.</p>`}
<p id="scopes">${nameOf(question)} will be able to:</p>
<ul aria-labelledby="scopes">
${scopes.map((scope) => html`<li><bdi>${scope}</bdi></li>`)}
</ul>
<dl>
${publisher !== undefined && html`<dt>Published by</dt><dd><bdi>${endOf(publisher)}</bdi></dd>`}
<dt>You will be sent to</dt>
<dd>${destination(redirectUri)}</dd>
</dl>
${!vouchedFor && html`<p class="soft"><bdi>${tenantName}</bdi> has not checked this app. Allow it only if you have just asked it to connect.</p>`}`
}

function buttons({ action, token, vouchedFor, answered }: ConsentQuestion): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="consent_token" value="${token}">
<button type="submit" name="decision" value="deny">Deny</button>
${!vouchedFor && !answered && html`<button type="submit" name="decision" value="confirm">Allow</button>`}
<button type="submit" name="decision" value="allow">Allow</button>
<span class="end" tabindex="0">End of the page</span>
</form>`
}

/** The part of a redirect URI that says whose it is. */
function destination(redirectUri: string): Html {
  const { protocol, hostname, host } = new URL(redirectUri)
  if (isLoopbackHost(hostname)) return html`an app on this device (${host})`
  if (protocol === 'https:') return html`<bdi>${endOf(host)}</bdi>`
  return html`the app on this device that opens ${protocol.length > maxLength ? `${protocol.slice(0, maxLength)}…` : `${protocol}//`}`
}

/** The end of a host's name says whose it is. */
function endOf(host: string): string {
  return host.length > maxLength ? `…${host.slice(-maxLength)}` : host
}
