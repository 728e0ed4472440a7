import { randomBytes } from 'node:crypto'
import type { ConsentRequest } from 'customer-sign-in'
import type { Response } from 'express'

export const scopes: Record<string, string> = { profile: 'know who you are', bookings: 'see and change your bookings' }

// A press of Allow counts once the mouse has been over it for 0.7 s, or Deny has had the focus for so long. Until then a cover (<i>) lies on it. A
// finger, or a window that is too small, gets Go on in place of Allow (`.first`), and then a second page.
const style = `
body { max-width: 30rem; margin: auto; overflow-wrap: anywhere }
q { padding: 0 .3em; border: 1px solid; quotes: none }
form { display: flex; align-items: start; gap: 1rem }
button::before { content: attr(aria-label) }
@keyframes covered { from, to { visibility: visible } }
@keyframes seen { from, to { --cover: visible; --wait: 0s } }
.press { position: relative; --cover: hidden; --wait: .7s; animation: seen 1ms }
.press i { position: absolute; inset: 0; z-index: 1; visibility: var(--cover); transition: visibility var(--wait) }
.press i:active { visibility: visible; transition: none }
@media (hover: hover) { .press:not(:hover) { --cover: visible; --wait: 0s; animation: none } }
.press:not(:has([tabindex])) { --cover: visible; animation: none }
@supports (-moz-appearance: none) {
  @media (hover: none) { .press:has([tabindex]) i:not(:active) { animation: covered .7s } }
}
.press [tabindex]:focus:not(:active, :focus-visible) { visibility: hidden }
.press .key { position: absolute; inset: 0; visibility: hidden; transition: visibility 0s .1s }
[value=deny]:focus ~ .press .key { visibility: visible; transition: visibility 0s .7s }
.press .key:focus { visibility: visible; transition: none }
.first ~ .press { display: none }
@media (hover: hover) and (min-width: 15rem) and (min-height: 20rem) { .first { display: none } .first ~ .press { display: block } }
`

/** The option `pages.consent`: what the customer has answered, or else the page. */
export function consent(_req: object, res: Response, request: ConsentRequest): boolean | undefined {
  const answer = request.form?.get('answer')
  if (answer && answer !== 'go on') return answer === 'allow'
  sendPage(res, request, answer === 'go on')
  return undefined
}

function sendPage(res: Response, request: ConsentRequest, isSecond: boolean): void {
  const { tenant, client, customer, redirectUri, vouchedFor, publisher, proof, url } = request
  const nonce = randomBytes(16).toString('base64url')
  const name = client.clientName ?? publisher ?? client.clientId
  const company = text(tenant.name ?? tenant.key)
  const question = `Connect ${vouchedFor ? text(name) : `<q>${text(name)}</q>`} to ${company}?`
  const { protocol, host } = new URL(redirectUri)
  const onDevice = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)/.test(redirectUri)
  const details = `<p>You are signed in as ${text(customer.name ?? customer.subject)}. The app will be able to:</p>
<ul>${request.scopes.map((scope) => `<li>${text(scopes[scope] ?? scope)}</li>`).join('')}</ul>
${publisher === undefined ? '' : `<p>Published by ${text(publisher)}</p>`}
<p>You will be sent to ${text(protocol === 'https:' ? host : redirectUri)}.</p>
${onDevice ? '<p>Any app on this device can pretend to be this app.</p>' : ''}
${vouchedFor ? '' : `<p>${company} has not checked this app. Allow it only if you started this yourself.</p>`}`
  // Whoever has opened the page knows its address, and could scroll the second one by a fragment of it.
  const form = `<form method="post" action="${escaped(url)}&amp;consent_page=${nonce}">
<input type="hidden" name="consent_token" value="${proof}">
<button name="answer" value="deny" aria-label="Deny"></button>
${isSecond ? '' : `<span class="press first">${coveredButton('go on', 'Go on')}</span>`}
<span class="press">${coveredButton('allow', 'Allow')}</span>
</form>`

  res.set({
    // No form-action: browsers apply it to every redirect after the form, also to those of the client.
    'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
    'X-Frame-Options': 'DENY',
    'Document-Policy': 'force-load-at-top',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  })
  res.send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Connect an app to ${company}</title>
<style nonce="${nonce}">${style}</style>
${isSecond ? `<p>Are you sure?</p>${form}<h1>${question}</h1>${details}` : `<h1>${question}</h1>${details}${form}`}
</html>`)
}

/** A button under its cover, and the one to which the Tab key leads from the button before. */
function coveredButton(answer: string, label: string): string {
  const button = `<button name="answer" value="${answer}" aria-label="${label}"`
  return `<i></i>${button} class="key"></button>${button} tabindex="-1"></button>`
}

/** A name as HTML. If it is written from right to left, it does not turn the words around it. */
function text(name: string): string {
  return `\u2068${escaped(name)}\u2069`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
