import { isObject, listOf, scopeToken, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { type LanguageTag, languageTag, languageTagOf, lookUp, packagedWords } from './languages'

/** What a scope is called on the consent page: in one text, or in one for each language tag. */
export type ScopeWords = string | Readonly<Record<string, string>>

/** What a scope is called on one page. */
export interface ShownScope {
  text: string
  /** The language tag of the text, if it is not the language of the page. */
  lang?: string | undefined
}

interface Text extends LanguageTag {
  text: string
}

/** The default of the option `scopes`: `profile`, in all languages of this package. */
export const defaultScopes: Readonly<Record<string, ScopeWords>> = {
  profile: Object.fromEntries(Object.entries(packagedWords).map(([tag, { scopes }]) => [tag, scopes.profile])),
}

/** Checks the option `scopes`. The words for a scope in a list are the scope itself. */
export function scopesWithWords(given: unknown, name: string): Readonly<Record<string, ScopeWords>> {
  if (given === undefined) return defaultScopes
  if (Array.isArray(given)) return Object.fromEntries(listOf(scopeToken)(given, name).map((scope) => [scope, scope]))
  if (!isObject(given)) throw new ConfigurationError(name, given, 'an array or an object', { quotes: true })
  for (const [scope, words] of Object.entries(given)) checkWords(words, `${name}.${scopeToken(scope, name)}`)
  return given as Readonly<Record<string, ScopeWords>>
}

function checkWords(given: unknown, name: string): void {
  const allowed = 'a string that is not empty, or an object with one for each language tag'
  if (typeof given === 'string') text(given, name)
  else if (!isObject(given) || Object.keys(given).length === 0) throw new ConfigurationError(name, given, allowed)
  else for (const [tag, words] of Object.entries(given)) text(words, `${name}.${languageTag(tag, name)}`)
}

/** What the scopes are called on the consent page. */
export class ScopeTexts {
  readonly #texts: ReadonlyMap<string, string | readonly Text[]>
  readonly #fallbacks: readonly LanguageTag[]

  /** @param locale The language of a scope that has no words in the language of the page; then it is English. */
  constructor(scopes: Readonly<Record<string, ScopeWords>>, locale: string) {
    this.#texts = new Map(Object.entries(scopes).map(([scope, words]) => [scope, textsOf(words)]))
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
  return Object.entries(words).flatMap(([tag, text]) => {
    const read = languageTagOf(tag)
    return read ? [{ ...read, text }] : []
  })
}
