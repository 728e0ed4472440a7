import type { IncomingMessage } from 'node:http'
import { parametersOf } from '../http/form'

// Of those that a stranger names.
const maxTags = 20

/** The languages that the client asks for, the preferred one first: `ui_locales` (OpenID Connect Core section 3.1.2.1). */
export function askedByClient({ url = '' }: IncomingMessage): string[] {
  const query = url.slice(url.indexOf('?') + 1)
  const [locales = ''] = [parametersOf(query).ui_locales].flat()
  return locales.split(' ', maxTags)
}

/** The languages that the browser asks for, the preferred one first: `Accept-Language` (RFC 9110 section 12.5.4). */
export function askedByBrowser({ headers }: IncomingMessage): string[] {
  return (headers['accept-language'] ?? '')
    .split(',', maxTags)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => /^q=/i.test(parameter))
      return { tag, quality: weight === undefined ? 1 : Number(weight.slice(2)) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}
