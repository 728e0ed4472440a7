import type { ServerResponse } from 'node:http'
import type { Logo } from '../contract/tenant-store'
import { keepsOpener, nosniff, sendResponse } from '../http/responses'
import type { Appearance } from './appearance'
import { Html, html } from './html'
import { hashSource, type PageKind, type Style, styleOf } from './style'
import { palettesOf } from './theme'

/** What is particular to one page. */
export interface Page {
  title: string | Html
  body: Html
  /** Default `sign-in`. The buttons of a list may be pressed at once; those of all others take no press that was not meant for them. */
  kind?: PageKind | undefined
  /** What makes the page easier to use. It must not need it. */
  script?: string | undefined
}

/** Sends a page that runs no script but its own, loads nothing except the company's logo, and cannot be framed. */
export function respondWithPage(
  res: ServerResponse,
  status: number,
  { title, body, kind = 'sign-in', script }: Page,
  appearance: Appearance,
): void {
  const { language, logoUri, theme } = appearance
  const style = styleOf(theme, kind)
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
</main>${footer(appearance)}${script !== undefined && html`\n<script>${new Html(script)}</script>`}
</body>
</html>
`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(document.text),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy(style, logoUri, script),
    // A text fragment does not decide where the Tab key begins. Browsers that do not know this header have the words of the buttons as objects.
    'Document-Policy': 'force-load-at-top',
    // A client that opened the sign-in in a window waits for its answer.
    ...(kind === 'sign-in' ? keepsOpener : { 'Cross-Origin-Opener-Policy': 'same-origin' }),
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
function policy({ source }: Style, logoUri: Logo | undefined, script: string | undefined): string {
  const images = typeof logoUri === 'object' ? [logoUri.light, logoUri.dark] : [logoUri ?? []].flat()
  // Source expressions (CSP 3 section 2.3.1). The origin of a data URL is "null", so its scheme allows it.
  const sources = new Set(images.map((url) => (url.startsWith('data:') ? 'data:' : new URL(url).origin)))
  const allowed = sources.size > 0 ? `; img-src ${[...sources].join(' ')}` : ''
  const scripts = script === undefined ? '' : `; script-src ${hashSource(script)}`
  return `default-src 'none'; style-src ${source}; base-uri 'none'; frame-ancestors 'none'${allowed}${scripts}`
}

/** The company's logo, if it has one: that of the scheme that the page has, or of the one that the device asks for. */
export function logo({ logoUri, theme }: Pick<Appearance, 'logoUri' | 'theme'>): Html | undefined {
  if (logoUri === undefined) return undefined
  if (typeof logoUri === 'string') return html`<img src="${logoUri}" alt="">`
  const palettes = palettesOf(theme)
  if (!palettes.light || !palettes.dark)
    return html`<img src="${palettes.light ? logoUri.light : logoUri.dark}" alt="">`
  return html`<picture><source srcset="${candidate(logoUri.dark)}" media="(prefers-color-scheme: dark)"><img src="${logoUri.light}" alt=""></picture>`
}

/** An address in a list of them, which white space and a comma at the end would divide. */
function candidate(imageUrl: string): string {
  return imageUrl.trim().replace(/\s|,$/g, encodeURIComponent)
}
