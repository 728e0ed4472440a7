import { randomBytes } from 'node:crypto'
import type { ConsentRequest } from 'customer-sign-in'
import type { Response } from 'express'

export const scopes: Record<string, string> = { profile: 'know who you are', bookings: 'see and change your bookings' }

/** The option `pages.consent`: what the customer has answered, or else the page. */
export function consent(_req: object, res: Response, request: ConsentRequest): boolean | undefined {
  if (request.form) return request.form.get('answer') === 'allow'
  sendPage(res, request)
  return undefined
}

function sendPage(res: Response, request: ConsentRequest): void {
  const { tenant, client, customer, redirectUri, vouchedFor, publisher, proof, url } = request
  const nonce = randomBytes(16).toString('base64url')
  const name = client.clientName ?? publisher ?? client.clientId
  const { protocol, host } = new URL(redirectUri)
  const onDevice = client.redirectUris.every((uri) => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(uri))

  res.set({
    // No form-action: browsers apply it to every redirect after the form, also to those of the client.
    'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
    'X-Frame-Options': 'DENY',
    'Document-Policy': 'force-load-at-top',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  })
  res.send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Connect an app to ${text(tenant.name ?? tenant.key)}</title>
<style nonce="${nonce}">body { max-width: 30rem; margin: auto; overflow-wrap: anywhere } button:disabled { opacity: .4 } button::before { content: attr(aria-label) }</style>
<h1>Connect ${vouchedFor ? text(name) : `“${text(name)}”`} to ${text(tenant.name ?? tenant.key)}?</h1>
<p>You are signed in as ${text(customer.name ?? customer.subject)}. The app will be able to:</p>
<ul>${request.scopes.map((scope) => `<li>${text(scopes[scope] ?? scope)}</li>`).join('')}</ul>
${publisher === undefined ? '' : `<p>Published by ${text(publisher)}</p>`}
<p>You will be sent to ${text(protocol === 'https:' ? host : redirectUri)}.</p>
${onDevice ? '<p>Any app on this device can pretend to be this app.</p>' : ''}
${vouchedFor ? '' : `<p>${text(tenant.name ?? tenant.key)} has not checked this app. Allow it only if you started this yourself.</p>`}
<form method="post" action="${escaped(url)}">
<input type="hidden" name="consent_token" value="${proof}">
<button name="answer" value="deny" aria-label="Deny"></button>
<button name="answer" value="allow" aria-label="Allow"></button>
</form>
<script nonce="${nonce}">
  // Another page can vanish from above this one between the two clicks of a double click. So the buttons work only once the
  // page has been in front for most of a second, counted from a movement of the mouse, a touch or a key.
  const buttons = document.querySelectorAll('button')
  const enable = (enabled) => buttons.forEach((button) => { button.disabled = !enabled })
  let timer
  const rest = () => { timer = clearTimeout(timer); enable(false) }
  const begin = () => { timer ??= setTimeout(() => enable(document.visibilityState === 'visible'), 700) }
  for (const type of ['focus', 'pageshow', 'visibilitychange']) addEventListener(type, rest)
  for (const type of ['pointermove', 'touchstart', 'keydown']) addEventListener(type, begin)
  addEventListener('pointerdown', ({ target }) => target.closest('button') ?? rest())
  rest()
</script>
</html>`)
}

/** A name as HTML. If it is written from right to left, it does not turn the words around it. */
function text(name: string): string {
  return `\u2068${escaped(name)}\u2069`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
