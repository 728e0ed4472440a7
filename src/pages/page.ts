import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { keepsOpener, nosniff } from '../http/browser-headers'
import { Html, html } from './html'
import { style } from './style'

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
      ...keepsOpener,
      'Referrer-Policy': 'same-origin',
      ...nosniff,
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
