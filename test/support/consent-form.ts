import type { Response } from 'supertest'

/** The form of a consent page. */
export interface ConsentForm {
  action: string
  token: string
}

/** Reads the form of a consent page as a browser does. Fails if the page has none. */
export function consentForm({ text }: Pick<Response, 'text'>): ConsentForm {
  return {
    action: read(text, /<form method="post" action="([^"]*)">/),
    token: read(text, /<input type="hidden" name="consent_token" value="([^"]*)">/),
  }
}

/** The text of a page, without its tags and its pictures. Names that stand apart are in quotation marks, as in a browser without a style. */
export function textOf(html: string): string {
  const body = html
    .replace(/^.*<body>/s, '')
    .replace(/<div [^>]*aria-hidden="true">.*?<\/div>/s, '')
    .replace(/<q>/g, '“')
    .replace(/<\/q>/g, '”')
    .replace(/<[^>]*>/g, '')
  return unescaped(body)
}

/** Replaces the character references in a text, as a browser does. */
export function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

/** The hidden fields of the forms of a page. */
export function hiddenFields({ text }: { text: string }): Record<string, string> {
  const fields = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, unescaped(value)]))
}

function read(page: string, pattern: RegExp): string {
  const [, value] = pattern.exec(page) ?? []
  if (value === undefined) throw new Error(`The page has no ${pattern}`)
  return unescaped(value)
}
