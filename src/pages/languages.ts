import { type Check, isObject, mustBeText, optional, record, text } from '../configuration/checks'
import { ConfigurationError, listOfNames } from '../configuration/configuration-error'
import { isQuotation, partsIn, type ReplacedWords, type Words } from './words'
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

// The scripts that are written from right to left.
const rightToLeft = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Mend', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']

function languageOf(tag: string, words: Words): Language {
  const read = languageTagOf(tag)
  if (read === undefined) throw new TypeError(`${tag} is not a language tag`)
  return { ...read, direction: rightToLeft.includes(read.script ?? '') ? 'rtl' : 'ltr', words }
}

function withReplaced({ scopes, ...pages }: Words, replaced: ReplacedWords): Words {
  const merged = Object.entries(pages).map(([page, words]) => {
    const own: Readonly<Record<string, string | undefined>> = replaced[page as keyof ReplacedWords] ?? {}
    return [page, Object.fromEntries(Object.entries(words).map(([name, word]) => [name, own[name] ?? word]))]
  })
  return { scopes, ...Object.fromEntries(merged) }
}

/** What two language tags are compared by (RFC 5646). */
export interface LanguageTag {
  /** As RFC 5646 section 4.5 spells it. */
  tag: string
  language: string
  /** The script that the tag names, or in which its language is usually written there: `Hant` for `zh-TW`. */
  script: string | undefined
  region: string | undefined
}

// RFC 5646 section 4.4.1 recommends room for as many. `Intl.Locale` takes long for a long tag, and strangers send tags.
const maxLength = 35

/** Reads a language tag. Undefined if it is malformed, or longer than 35 characters. */
export function languageTagOf(tag: string): LanguageTag | undefined {
  if (tag.length > maxLength) return undefined
  try {
    const locale = new Intl.Locale(tag)
    return { tag: locale.baseName, language: locale.language, script: locale.maximize().script, region: locale.region }
  } catch {
    return undefined
  }
}

// From the largest on, in milliseconds.
const units = { day: 86_400_000, hour: 3_600_000, minute: 60_000 }

/** A duration in the largest unit of which it is a whole number: 36 hours, but 2 days. Seconds are rounded up to a minute. */
export function durationIn(tag: string, milliseconds: number): string {
  const whole = Object.entries(units).find(([, length]) => milliseconds % length === 0)
  const [unit, length] = whole ?? ['minute', units.minute]
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.ceil(milliseconds / length),
  )
}

// From the largest on, in milliseconds. A month of 30 days is exact enough for what is months ago.
const unitsAgo = { year: 365 * units.day, month: 30 * units.day, ...units }

/**
 * How long ago something was, in the largest unit that has passed. It names no day, such as "yesterday": days begin by the clock of whoever
 * reads, which a server does not know.
 */
export function agoIn(tag: string, milliseconds: number): string {
  const passed = Object.entries(unitsAgo).find(([, length]) => milliseconds >= length)
  if (!passed) return new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(0, 'second')
  const [unit, length] = passed
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'always' })
  return format.format(-Math.floor(milliseconds / length), unit as Intl.RelativeTimeFormatUnit)
}

/**
 * The one of several that is for a language: `de` for `de-AT` (RFC 4647 section 3.4). If only another region is there, it is that one. But
 * it is nothing for `zh-TW` if only `zh-Hans` is there, because their scripts differ.
 */
export function lookUp<T extends LanguageTag>(wanted: LanguageTag, among: readonly T[]): T | undefined {
  const written = among.filter(({ language, script }) => language === wanted.language && script === wanted.script)
  const ofRegion = (wantedRegion: string | undefined) => written.find(({ region }) => region === wantedRegion)
  return ofRegion(wanted.region) ?? ofRegion(undefined) ?? written[0]
}

/** A language tag, of a language that the pages have or of another one. */
export const languageTag = mustBeText(
  'a language tag (RFC 5646) of at most 35 characters, such as de or pt-BR',
  (text) => languageTagOf(text) !== undefined,
)

const { scopes: _, ...pages } = english

const wordsOfPages = record(checksOf(pages, (words) => optional(record(checksOf(words, wordLike)))))

/** Words that replace those of this package, by language tag: plain text with the same names in braces as the word has in English. */
export const replacedWords: Check<Readonly<Record<string, ReplacedWords>>> = (given, name) => {
  if (!isObject(given)) throw new ConfigurationError(name, given, 'an object', { quotes: true })
  for (const [tag, words] of Object.entries(given)) wordsOfPages(words, `${name}.${languageTag(tag, name)}`)
  return given as Readonly<Record<string, ReplacedWords>>
}

/** Checks a word that stands for this one. */
function wordLike(inEnglish: string): Check<string | undefined> {
  const needed = partsIn(inEnglish)
  const rule =
    needed.length === 0
      ? 'plain text without braces'
      : `plain text with ${listOfNames(needed.map((part) => `{${part}}`))}`
  const isQuote = inEnglish === english.consent.quote
  return optional((given, name) => {
    const word = text(given, name)
    if (partsIn(word).join() !== needed.join() || /[{}]/.test(word.replaceAll(/\{\w+\}/g, ''))) {
      throw new ConfigurationError(name, word, rule, { quotes: true })
    }
    if (isQuote && !isQuotation(word)) {
      const marked = '{name} between quotation marks that are no apostrophes, such as “{name}”'
      throw new ConfigurationError(name, word, marked, { quotes: true })
    }
    return word
  })
}

function checksOf<Member>(
  members: Readonly<Record<string, Member>>,
  checkOf: (member: Member) => Check<unknown>,
): Record<string, Check<unknown>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, checkOf(member)]))
}
