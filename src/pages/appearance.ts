import type { IncomingMessage } from 'node:http'
import type { Links, Logo, Theme } from '../contract/tenant-store'
import { parametersOf } from '../http/body'
import type { Language, Languages } from './languages'

/** What a company's pages have of its own. */
export interface PageLook {
  /** The tag of the language that the company has chosen. */
  locale?: string | undefined
  logoUri?: Logo | undefined
  theme: Theme
  links: Links
}

/** What is not in the text of a page: in which language it is, how it looks, and whose links it has. */
export interface Appearance extends Omit<PageLook, 'locale'> {
  language: Language
}

/** How the pages look, and in which language they are. */
export class Appearances {
  readonly #languages: Languages
  readonly #byDefault: PageLook

  /** @param byDefault For pages of no company. */
  constructor(languages: Languages, byDefault: PageLook) {
    this.#languages = languages
    this.#byDefault = byDefault
  }

  /**
   * How the answer to a request looks. Its language is the first in which there are words: what the client asks for, then the company's
   * own, then what the browser asks for, then the one that the host has chosen.
   */
  of(req: IncomingMessage, { locale, logoUri, theme, links }: PageLook = this.#byDefault): Appearance {
    const tags = [...askedByClient(req), ...(locale === undefined ? [] : [locale]), ...askedByBrowser(req)]
    return { language: this.#languages.choose(tags), logoUri, theme, links }
  }
}

// Of those that a stranger names.
const maxTags = 20

/** The languages that the client asks for, the preferred one first: `ui_locales` (OpenID Connect Core section 3.1.2.1). */
function askedByClient({ url = '' }: IncomingMessage): string[] {
  const query = url.slice(url.indexOf('?') + 1)
  const [locales = ''] = [parametersOf(query).ui_locales].flat()
  return locales.split(' ', maxTags)
}

/** The languages that the browser asks for, the preferred one first: `Accept-Language` (RFC 9110 section 12.5.4). */
function askedByBrowser({ headers }: IncomingMessage): string[] {
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
