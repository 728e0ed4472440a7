import { type Check, isObject, optional, record, text } from '../configuration/checks'
import { ConfigurationError, listOfNames } from '../configuration/configuration-error'
import { languageTag } from './language-tag'
import { isQuotation } from './quotation-marks'
import { partsIn, type ReplacedWords } from './words'
import { english } from './words/english'

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
    needed.length === 0 ? 'plain text without braces' : `plain text with ${listOfNames(needed.map(inBraces))}`
  const isQuote = inEnglish === english.consent.quote
  return optional((given, name) => {
    const word = text(given, name)
    if (partsIn(word).join() !== needed.join() || /[{}]/.test(word.replaceAll(/\{\w+\}/g, ''))) {
      throw new ConfigurationError(name, word, rule, { quotes: true })
    }
    if (isQuote && !isQuotation(word)) {
      throw new ConfigurationError(
        name,
        word,
        '{name} between quotation marks that are no apostrophes, such as “{name}”',
        {
          quotes: true,
        },
      )
    }
    return word
  })
}

function inBraces(name: string): string {
  return `{${name}}`
}

function checksOf<Member>(
  members: Readonly<Record<string, Member>>,
  checkOf: (member: Member) => Check<unknown>,
): Record<string, Check<unknown>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, checkOf(member)]))
}
