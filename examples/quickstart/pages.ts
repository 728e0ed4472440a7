import { OAuthError, type Tenant } from 'customer-sign-in'
import type { ErrorRequestHandler } from 'express'

const inWords: Record<string, string> = {
  profile: 'see your name and address',
  bookings: 'see your bookings',
}

interface Consent {
  tenant: Tenant
  /** The client's name. */
  app: string
  customer: string
  scopes: readonly string[]
}

/** Asks a customer whether a client may act for them. The form is sent to the page's own address. */
export function consentPage({ tenant, app, customer, scopes }: Consent): string {
  const items = scopes.map((scope) => `<li>${escaped(inWords[scope] ?? scope)}</li>`)
  return page(
    'Allow access?',
    `<h1>${escaped(app)} asks to use your ${escaped(tenant.name ?? tenant.key)} account</h1>
    <p>You are signed in as <strong>${escaped(customer)}</strong>. If you allow it, the app can:</p>
    <ul>${items.join('')}</ul>
    <form method="post"><button name="answer" value="deny">Deny</button> <button name="answer" value="allow">Allow</button></form>
    <p><small>Close this page if you did not expect it.</small></p>`,
  )
}

/** Shows an error on a page, and never redirects the browser. */
export const showError: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) return next(error)
  const { status, description } =
    error instanceof OAuthError ? error : { status: 500, description: 'Something went wrong here' }
  res.status(status).send(page('This did not work', `<h1>This did not work</h1><p>${escaped(description)}.</p>`))
}

/** A page without scripts or assets. `body` is HTML, with its values escaped. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <style>
      :root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif }
      body { max-width: 30rem; margin: 12vh auto; padding: 0 1.5rem }
      h1 { font-size: 1.4rem; line-height: 1.3 }
      button { font: inherit; padding: .6rem 2rem; border: 0; border-radius: .5rem; background: #1a56db; color: #fff }
      button:focus-visible { outline: 3px solid #7aa2f7; outline-offset: 2px }
      pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: .5rem }
    </style>
  </head>
  <body>
    ${body}
  </body>
</html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
