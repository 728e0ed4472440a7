import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Html, html } from './html'

// Contrast is at least 4.5 to 1 in both schemes (WCAG 2.2, 1.4.3 and 1.4.11).
const style = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --back: #f4f5f7; --card: #fff; --line: #868e96; --strong: #1f4fd8; --on-strong: #fff }
@media (prefers-color-scheme: dark) { :root { --text: #eceef1; --soft: #a9b1bb; --back: #14171b; --card: #1e2228; --line: #7d8590; --strong: #9db8ff; --on-strong: #101624 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--card); border-radius: .75rem; overflow-wrap: anywhere }
img { display: block; max-width: 10rem; max-height: 3rem; margin-bottom: 1rem }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3 }
p, ul, dl { margin: 0 0 1rem }
main > :last-child { margin-bottom: 0 }
ul { padding-inline-start: 1.25rem }
dt { color: var(--soft); font-size: .875rem }
dd { margin: 0 0 .5rem; font-weight: 600 }
.soft { color: var(--soft); font-size: .875rem }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem }
button { flex: 1 1 8rem; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer }
button[value=allow] { background: var(--strong); border-color: var(--strong); color: var(--on-strong) }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px }
@media (forced-colors: active) { main { border: 1px solid } }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/** What a page shows besides its layout. */
export interface Page {
  title: string
  body: Html
  /** The only picture that the page may load. */
  imageUrl?: string | undefined
}

/** Answers with a page that runs no script, loads nothing else, and cannot be framed. */
export function respondWithPage(res: ServerResponse, status: number, { title, body, imageUrl }: Page): void {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
  res
    .writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(document.text),
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy(imageUrl),
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    })
    .end(document.text)
}

/**
 * No `form-action`: browsers hold it against every hop behind the form, and a client's redirect URI may lead on to a scheme that nobody
 * here knows. The form is ours and has no other action.
 */
function policy(imageUrl: string | undefined): string {
  const images = imageUrl === undefined ? '' : `; img-src ${sourceOf(imageUrl)}`
  return `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'${images}`
}

function sourceOf(imageUrl: string): string {
  const { protocol, origin } = new URL(imageUrl)
  return protocol === 'data:' ? 'data:' : origin
}
