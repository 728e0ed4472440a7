import { directionOf, type LanguageTag, languageTagOf, lookUp } from './language-tag'
import type { ReplacedWords, Words } from './words'
import { arabic } from './words/arabic'
import { chinese } from './words/chinese'
import { dutch } from './words/dutch'
import { english } from './words/english'
import { french } from './words/french'
import { german } from './words/german'
import { italian } from './words/italian'
import { japanese } from './words/japanese'
import { polish } from './words/polish'
import { portuguese } from './words/portuguese'
import { spanish } from './words/spanish'
import { turkish } from './words/turkish'

/** A language of the pages. */
export interface Language extends LanguageTag {
  direction: 'ltr' | 'rtl'
  words: Words
}

/** The words that come with this package, by language tag. */
export const packagedWords: Readonly<Record<string, Words>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  nl: dutch,
  pt: portuguese,
  pl: polish,
  tr: turkish,
  ja: japanese,
  'zh-Hans': chinese,
  ar: arabic,
}

/** The languages of the pages: those of this package, with the words that the host has replaced, and those that it has added. */
export class Languages {
  readonly #languages: readonly Language[]
  readonly #fallback: Language

  /**
   * @param replaced The host's own words, by language tag. Those that it leaves out are the package's, or else English.
   * @param locale The language of a page for which no other is found. English, if there are no words in that language.
   */
  constructor(replaced: Readonly<Record<string, ReplacedWords>> = {}, locale = 'en') {
    this.#languages = allLanguages(replaced)
    this.#fallback = this.find(locale) ?? languageOf('en', english)
  }

  /** The tags of all languages. */
  get tags(): string[] {
    return this.#languages.map(({ tag }) => tag)
  }

  /** The language that a tag names, if there are words in it. */
  find(tag: string): Language | undefined {
    const wanted = languageTagOf(tag)
    return wanted && lookUp(wanted, this.#languages)
  }

  /** The first of these tags in whose language there are words. Malformed tags are passed over. */
  choose(tags: readonly string[]): Language {
    for (const tag of tags) {
      const found = this.find(tag)
      if (found) return found
    }
    return this.#fallback
  }
}

function allLanguages(replaced: Readonly<Record<string, ReplacedWords>>): Language[] {
  const languages = Object.entries(packagedWords).map(([tag, words]) => languageOf(tag, words))
  // A language without a region first, because those with one are made from it.
  const entries = Object.entries(replaced).sort(([one], [other]) => one.length - other.length)
  for (const [tag, own] of entries) {
    const added = languageOf(tag, english)
    const known = lookUp(added, languages)
    const words = withReplaced(known?.words ?? english, own)
    if (known?.region === added.region && known) languages[languages.indexOf(known)] = { ...known, words }
    else languages.push({ ...added, words })
  }
  return languages
}

function languageOf(tag: string, words: Words): Language {
  const read = languageTagOf(tag)
  if (read === undefined) throw new TypeError(`${tag} is not a language tag`)
  return { ...read, direction: directionOf(read), words }
}

function withReplaced(words: Words, { consent, error, links }: ReplacedWords): Words {
  return {
    ...words,
    consent: { ...words.consent, ...defined(consent) },
    error: { ...words.error, ...defined(error) },
    links: { ...words.links, ...defined(links) },
  }
}

function defined(words: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(words).flatMap(([name, word]) => (word === undefined ? [] : [[name, word]])))
}
