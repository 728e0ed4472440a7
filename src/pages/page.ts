import type { ServerResponse } from 'node:http'
import type { Logo } from '../contract/tenant-store'
import { keepsOpener, nosniff, sendResponse } from '../http/responses'
import type { Appearance } from './appearance'
import { Html, html } from './html'
import { logoSources } from './logo'
import { type Style, styleOf } from './style'

/** What is particular to one page. */
export interface Page {
  title: string | Html
  body: Html
}

/** Sends a page that runs no script, loads nothing except the company's logo, and cannot be framed. */
export function respondWithPage(
  res: ServerResponse,
  status: number,
  { title, body }: Page,
  appearance: Appearance,
): void {
  const { language, logoUri, theme } = appearance
  const style = styleOf(theme)
  const document = html`<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style.text)}</style>
</head>
<body>
<main>
${body}
</main>${footer(appearance)}
</body>
</html>
`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(document.text),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy(style, logoUri),
    // A text fragment does not decide where the Tab key begins. Browsers that do not know this header have the words of the buttons as objects.
    'Document-Policy': 'force-load-at-top',
    ...keepsOpener,
    'Referrer-Policy': 'same-origin',
    ...nosniff,
    'X-Frame-Options': 'DENY',
  }
  sendResponse(res, status, headers, document.text)
}

/** A link that opens beside the page, which waits for an answer. */
export function linkBeside(url: string, label: string): Html {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${label}</a>`
}

function footer({ language: { words }, links }: Appearance): Html | undefined {
  const shown = (['privacy', 'terms', 'imprint', 'support'] as const).flatMap((name) => {
    const url = links[name]
    return url === undefined ? [] : [html`\n${linkBeside(url, words.links[name])}`]
  })
  return shown.length > 0 ? html`\n<footer>${shown}\n</footer>` : undefined
}

/**
 * The content security policy. It has no `form-action`, which browsers apply to every redirect after the form: a client's redirect URI may
 * lead on to any scheme. The page has no form but ours.
 */
function policy({ source }: Style, logoUri: Logo | undefined): string {
  const images = logoSources(logoUri)
  const allowed = images.length > 0 ? `; img-src ${images.join(' ')}` : ''
  return `default-src 'none'; style-src ${source}; base-uri 'none'; frame-ancestors 'none'${allowed}`
}
