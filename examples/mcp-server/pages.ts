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
      input, textarea, button { font: inherit; padding: .3rem .7rem }
      input[readonly], textarea { box-sizing: border-box; width: 100%; font-family: ui-monospace, monospace }
      a, h1, h2, li, p, dd { overflow-wrap: anywhere }
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

/** A script or style as a content security policy names it. */
export function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
