import type { ServerResponse } from 'node:http'
import { OAuthError, type OAuthErrorOptions } from 'customer-sign-in'
import { presentableName } from '../../../src/clients/client-metadata'
import type { Appearance } from '../../../src/pages/appearance'
import { type ConsentQuestion, respondWithConsentPage } from '../../../src/pages/consent-page'
import { respondWithErrorPage } from '../../../src/pages/error-page'
import { type Language, Languages, packagedWords, replacedWords } from '../../../src/pages/languages'
import { partsIn, type Words } from '../../../src/pages/words'
import { english } from '../../../src/pages/words/english'
import { textOf } from '../../support/consent-form'

const question: ConsentQuestion = {
  tenantName: 'ACME',
  clientName: 'CLIENT',
  vouchedFor: false,
  publisher: 'PUBLISHER',
  isKnown: false,
  redirectUri: 'https://DESTINATION/callback',
  asksTwice: true,
  answered: false,
  scopes: [{ text: 'SCOPE' }],
  lasts: { time: 30 * 86_400_000, isRenewed: true },
  customerName: 'ADA',
  switchAccount: true,
  action: '?',
  token: 'a token',
}

const links = {
  home: 'https://acme.example/',
  connectedApps: 'https://acme.example/apps',
  privacy: 'https://acme.example/privacy',
  terms: 'https://acme.example/terms',
  imprint: 'https://acme.example/imprint',
  support: 'https://acme.example/support',
}

/** How a page looks in a language. */
const inLanguage = (language: Language): Appearance => ({ language, logoUri: undefined, theme: {}, links })

const inEnglish = inLanguage(new Languages().choose([]))

/** A language in which each text is its key in the table, in angle brackets. */
const another = inLanguage({ ...inEnglish.language, tag: 'qaa', words: translated(english, '') as Words })

function translated(words: unknown, place: string): unknown {
  if (typeof words === 'string') return `⟨${[place, ...partsIn(words).map((part) => `{${part}}`)].join(' ')}⟩`
  const entries = Object.entries(words as object)
  return Object.fromEntries(entries.map(([name, word]) => [name, translated(word, place ? `${place}.${name}` : name)]))
}

/** The page that a function sends, and its visible text. */
function sent(respond: (res: ServerResponse) => void): { page: string; text: string } {
  let page = ''
  const res = { headersSent: false, setHeader: () => res, writeHead: () => res, end: (body: string) => (page = body) }
  respond(res as unknown as ServerResponse)
  const title = /<title>(.*)<\/title>/.exec(page)?.[1] ?? ''
  return { page, text: `${title}\n${textOf(page)}` }
}

/**
 * The letters that are left of a text when the words of that language and the names in the request are removed. There is no language `qaa`, so
 * its durations are in English.
 */
function untranslated(text: string): string {
  const withoutNames = text.replace(/CLIENT|ACME|PUBLISHER|destination|SCOPE|ADA|invalid_request|30 days|1 hour/g, '')
  const withoutWords = withoutNames.replace(/⟨[^⟨⟩]*⟩/g, '')
  // A sentence can contain another one.
  return withoutWords === withoutNames ? withoutNames.replace(/\P{L}/gu, '') : untranslated(withoutWords)
}

describe('the words of the consent page', () => {
  it.each<[string, Partial<ConsentQuestion>]>([
    ['a client that nobody vouches for', {}],
    ['a known assistant', { isKnown: true }],
    ['a client that the company vouches for', { vouchedFor: true }],
    ['a connection that no use renews', { lasts: { time: 3_600_000, isRenewed: false } }],
    ['the second question', { answered: true }],
    ['an app on this device', { redirectUri: 'http://127.0.0.1:1/' }],
    ['an app with a scheme of its own', { redirectUri: 'app.example:/' }],
  ])('are those of the language that the page is given: %s', (_, members) => {
    const { page, text } = sent((res) => respondWithConsentPage(res, { ...question, ...members }, another))
    expect(untranslated(text)).toBe('')
    expect(page).toContain('<html lang="qaa" dir="ltr">')
    for (const word of ['consent.allow', 'links.privacy', 'links.terms', 'links.imprint', 'links.support']) {
      expect(text).toContain(`⟨${word}⟩`)
    }
  })

  it('are complete sentences in English, whose order another language can change', () => {
    const onDevice = { ...question, redirectUri: 'http://127.0.0.1:1/' }
    const { text } = sent((res) => respondWithConsentPage(res, onDevice, inEnglish))
    for (const sentence of [
      'Connect “CLIENT” to ACME?',
      'You are signed in as ADA.',
      '“CLIENT” will be able to:',
      'Published by',
      'You will be sent to',
      'Any app on this device can pretend to be “CLIENT”. Go on only if you have started it yourself.',
      'ACME has not checked this app. Allow it only if you have just asked it to connect.',
      'Deny',
      'Allow',
    ]) {
      expect(text).toContain(sentence)
    }
  })

  it('ask the same in the title of the second question', () => {
    const { text } = sent((res) => respondWithConsentPage(res, { ...question, answered: true }, inEnglish))
    expect(text.split('\n')[0]).toBe('Please confirm: Connect “CLIENT” to ACME?')
  })
})

describe('the words of the error page', () => {
  it.each<[keyof Words['error'], OAuthErrorOptions]>([
    ['goBack', {}],
    ['tryAgain', { status: 503 }],
    ['notAllowed', { status: 403, reason: 'client_not_allowed' }],
    ['notAllowed', { reason: 'registration_off' }],
    ['notAllowed', { reason: 'enterprise_only' }],
    ['unknownApp', { reason: 'client_gone' }],
    ['unknownApp', { reason: 'documents_off' }],
    ['wrongAddress', { reason: 'wrong_redirect_uri' }],
    ['noCompany', { status: 404, reason: 'tenant_gone' }],
  ])('are those of the language that the page is given, and say what to do for each cause: %s, %j', (word, options) => {
    const error = new OAuthError('invalid_request', 'ADA', options)
    const { page, text } = sent((res) => respondWithErrorPage(res, error, another, 'ACME'))
    expect(untranslated(text)).toBe('')
    expect(page).toContain('<html lang="qaa" dir="ltr">')
    const remedies = ['goBack', 'tryAgain', 'notAllowed', 'unknownApp', 'wrongAddress', 'noCompany']
    expect(remedies.filter((remedy) => text.includes(`⟨error.${remedy}`))).toEqual([word])
    for (const shown of ['ACME', '⟨links.privacy⟩', '⟨links.home ACME⟩']) expect(text).toContain(shown)
  })

  it('are those of that language for a document that cannot be fetched', () => {
    const error = new OAuthError('invalid_request', 'ADA', { status: 503, reason: 'document_unavailable' })
    const { text } = sent((res) => {
      respondWithErrorPage(Object.assign(res, { req: { url: '/authorize?client_id=1' } }), error, another)
    })
    expect(untranslated(text)).toBe('')
    for (const word of ['noAnswer', 'tryAgain', 'repeat']) expect(text).toContain(`⟨error.${word}⟩`)
  })

  it('name the company in a sentence about what it does not allow', () => {
    const error = new OAuthError('unauthorized_client', 'ADA', { status: 403, reason: 'client_not_allowed' })
    const { text } = sent((res) => respondWithErrorPage(res, error, inEnglish, 'ACME'))
    expect(text).toContain('ACME does not allow this app to connect. If you need it, please ask ACME.')
  })

  it('say what the developer needs in English, marked as such', () => {
    const error = new OAuthError('invalid_request', 'redirect_uri is wrong')
    const { page } = sent((res) => respondWithErrorPage(res, error, inLanguage(new Languages().choose(['ar']))))
    expect(page).toContain('<html lang="ar" dir="rtl">')
    expect(page).toContain('<span lang="en" dir="ltr">redirect_uri is wrong (invalid_request).</span>')
  })
})

describe.each(Object.entries(packagedWords))('the words in %s', (tag, { scopes, ...words }) => {
  const places = placesIn({ scopes, ...words })

  it('are all there, each with the parts that it has in English', () => {
    expect([...places.keys()]).toEqual([...placesIn(english).keys()])
    expect(() => replacedWords({ [tag]: words }, 'words')).not.toThrow()
    expect(scopes.profile).toMatch(/\p{L}/u)
  })

  it('are not in English', () => {
    const inBoth = [...placesIn(english)].filter(([place, word]) => places.get(place) === word).map(([place]) => place)
    if (tag !== 'en') expect(inBoth.filter((place) => place !== 'consent.quote')).toEqual([])
  })

  it('have no Latin letters where the language has others', () => {
    const latin = [...places.values()].filter((word) => /[a-z]/i.test(word.replace(/\{\w+\}/g, '')))
    if (['ar', 'ja', 'zh-Hans'].includes(tag)) expect(latin).toEqual([])
  })

  it('are written without spaces at the ends, and without markup', () => {
    for (const word of places.values()) {
      expect(word).toBe(word.trim())
      expect(word).not.toMatch(/[<>&]/)
    }
  })

  it('tell Allow, Deny and the links apart', () => {
    const { allow, deny } = words.consent
    expect(new Set([allow, deny, words.error.repeat, ...Object.values(words.links)]).size).toBe(8)
  })

  it('quote a name with marks that no name can have', () => {
    const marks = words.consent.quote.replace('{name}', '').replace(/\s/g, '')
    expect(marks).toHaveLength(2)
    for (const mark of marks) expect(presentableName(`a${mark}b`)).toBe("a'b")
  })
})

/** Each word, by its place in the table. */
function placesIn(words: Words): Map<string, string> {
  const pages = Object.entries(words)
  return new Map(
    pages.flatMap(([page, own]) =>
      Object.entries(own).map(([name, word]) => [`${page}.${name}`, String(word)] as const),
    ),
  )
}
