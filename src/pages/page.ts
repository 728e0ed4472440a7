import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { keepsOpener, nosniff } from '../http/browser-headers'
import { Html, html } from './html'
import { style } from './style'
import type { Words } from './words'

const styleHash = createHash('sha256').update(style).digest('base64')

/** What is particular to one page. */
export interface Page {
  title: string | Html
  body: Html
  /** The only image that the page may load. */
  imageUrl?: string | undefined
}

/** Sends a page that runs no script, loads nothing except its image, and cannot be framed. */
export function respondWithPage(
  res: ServerResponse,
  status: number,
  { title, body, imageUrl }: Page,
  { language }: Words,
): void {
  const document = html`<!doctype html>
<html lang="${language}">
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
 * The content security policy. It has no `form-action`, which browsers apply to every redirect after the form: a client's redirect URI may
 * lead on to any scheme. The page has no form but ours.
 */
function policy(imageUrl: string | undefined): string {
  const images = imageUrl === undefined ? '' : `; img-src ${sourceOf(imageUrl)}`
  return `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'${images}`
}

/** The source expression that allows an image. */
function sourceOf(imageUrl: string): string {
  const { protocol, origin } = new URL(imageUrl)
  return protocol === 'data:' ? 'data:' : origin
}
