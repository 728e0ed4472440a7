/** The company's own login form. A real one asks for more than a name. */
export function loginPage(company: string): string {
  return page(
    `Log in to ${company}`,
    `<form method="post">
      <p><label>Your name <input name="name" required autofocus autocomplete="username"></label> <button>Log in</button></p>
    </form>`,
  )
}

/** What a customer sees in place of the administration. */
export function staffOnlyPage(company: string, login: string): string {
  return page(
    'Administration',
    `<p>Only the staff of ${escaped(company)} can open this page.</p>
      <p><a href="${escaped(login)}">Log in as somebody else</a></p>`,
  )
}

const style = `
      :root { color-scheme: light dark; background: canvas; color: canvastext; font: 17px/1.5 system-ui, sans-serif }
      body { max-width: 30rem; margin: 12vh auto; padding: 0 1.5rem }
      h1 { font-size: 1.4rem; line-height: 1.3 }
      input, button { font: inherit; padding: .3rem .7rem }
      h1, p { overflow-wrap: anywhere }
    `

/** The page that an app on the customer's own machine shows after the sign-in. */
export function connectedPage(): string {
  return page('Back in the assistant', '<p>You can close this window.</p>')
}

/** A page without assets. `body` is HTML, with its values escaped. */
function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <style>${style}</style>
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

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
