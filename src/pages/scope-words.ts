import { type Check, isObject, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { type Html, html, isolate } from './html'
import { type LanguageTag, languageTag, languageTagOf, lookUp } from './languages'

/** What a scope is called on the consent page: in one text, or in one for each language tag. */
export type ScopeWords = string | Readonly<Record<string, string>>

/** What a scope is called on one page. */
export interface ShownScope {
  /** Its words. The scope token itself, if the option `scopes` does not have it. */
  text: string
  /** The language tag of the words, if they are in another language than the one that was asked for. */
  lang?: string | undefined
}

interface Text extends LanguageTag {
  text: string
}

/** What a scope permits, in a list. */
export function scopeItem({ text, lang }: ShownScope): Html {
  return lang === undefined ? html`<li>${isolate(text)}</li>` : html`<li lang="${lang}">${isolate(text)}</li>`
}

/** Checks the words for a scope. */
export const scopeWords: Check<ScopeWords> = (given, name) => {
  if (typeof given === 'string') return text(given, name)
  const allowed = 'a string that is not empty, or an object with one for each language tag'
  if (!isObject(given) || Object.keys(given).length === 0) throw new ConfigurationError(name, given, allowed)
  return Object.fromEntries(
    Object.entries(given).map(([tag, words]) => [languageTag(tag, name), text(words, `${name}.${tag}`)]),
  )
}

/** What the scopes are called on the consent page. */
export class ScopeTexts {
  readonly #texts: ReadonlyMap<string, string | readonly Text[]>
  readonly #fallbacks: readonly LanguageTag[]

  /** @param locale The language of a scope that has no words in the language of the page; then it is English. */
  constructor(scopes: Readonly<Record<string, { words: ScopeWords }>>, locale: string) {
    this.#texts = new Map(Object.entries(scopes).map(([scope, { words }]) => [scope, textsOf(words)]))
    this.#fallbacks = [locale, 'en'].flatMap((tag) => languageTagOf(tag) ?? [])
  }

  /** What a scope is called in a language. If there are no words in it, or in a fallback, it is the first text there is. */
  in(language: LanguageTag, scope: string): ShownScope {
    const texts = this.#texts.get(scope) ?? scope
    if (typeof texts === 'string') return { text: texts }
    const own = lookUp(language, texts)
    if (own) return { text: own.text }
    const other = this.#fallbacks.map((tag) => lookUp(tag, texts)).find((found) => found !== undefined) ?? texts[0]
    return other ? { text: other.text, lang: other.tag } : { text: scope }
  }
}

function textsOf(words: ScopeWords): string | Text[] {
  if (typeof words === 'string') return words
  return Object.entries(words).map(([tag, text]) => ({ ...(languageTagOf(tag) as LanguageTag), text }))
}
