import { createHash } from 'node:crypto'

/** The company's own login form. A real one asks for more than a name. */
export function loginPage(company: string): string {
  return page(
    `Log in to ${company}`,
    `<form method="post">
      <p><label>Your name <input name="name" required autofocus autocomplete="username"></label> <button>Log in</button></p>
    </form>`,
  )
}

/** The style of every page. */
export const style = `
      :root { color-scheme: light dark; background: canvas; color: canvastext; font: 17px/1.5 system-ui, sans-serif }
      body { max-width: 30rem; margin: 12vh auto; padding: 0 1.5rem }
      h1 { font-size: 1.4rem; line-height: 1.3 }
      h2 { font-size: 1.1rem; margin-top: 2.5rem }
      h3 { font-size: 1rem; margin-top: 2rem }
      input, select, textarea, button { font: inherit; padding: .3rem .7rem }
      input, select { box-sizing: border-box; max-width: 100% }
      input[readonly], textarea { box-sizing: border-box; width: 100%; font-family: ui-monospace, monospace }
      a, h1, h2, h3, li, p, dd { overflow-wrap: anywhere }
      dt { font-weight: 600 }
      dd { margin: 0 0 .5rem }
    `

/** The page that an app on the customer's own machine shows after the sign-in. */
export function connectedPage(): string {
  return page('Back in the assistant', '<p>You can close this window.</p>')
}

/** A page without assets. `body` is HTML, with its values escaped, and `more` goes into the head. */
export function page(title: string, body: string, { more = '', lang = 'en' } = {}): string {
  return `<!doctype html>
<html lang="${lang}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <style>${style}</style>
    ${more}
  </head>
  <body>
    <main>
      <h1>${escaped(title)}</h1>
      ${body}
    </main>
  </body>
</html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** A text that is somebody else's. Its direction of writing does not change that of the text around it. */
export function isolated(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`
}

/** A time, in milliseconds since 1970. */
export function time(at: number, language: string): string {
  const date = new Date(at)
  const shown = date.toLocaleString(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return `<time datetime="${date.toISOString()}">${escaped(shown)} UTC</time>`
}

/** A script or style as a content security policy names it. */
export function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** What a page without a script may load and send: its own style, and its forms to this app. */
export const formPagePolicy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
