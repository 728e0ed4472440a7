import { type Check, must } from '../configuration/checks'

/** What two language tags are compared by (RFC 5646). */
export interface LanguageTag {
  /** As RFC 5646 section 4.5 spells it. */
  tag: string
  language: string
  /** The script that the tag names, or in which its language is usually written there: `Hant` for `zh-TW`. */
  script: string | undefined
  region: string | undefined
}

// The scripts that are written from right to left.
const rightToLeft = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Mend', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']

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

/** The direction in which a language is written. */
export function directionOf({ script }: LanguageTag): 'ltr' | 'rtl' {
  return script !== undefined && rightToLeft.includes(script) ? 'rtl' : 'ltr'
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
export const languageTag: Check<string> = must(
  'a language tag (RFC 5646) of at most 35 characters, such as de or pt-BR',
  (given) => typeof given === 'string' && languageTagOf(given) !== undefined,
  { quotes: true },
)
