import type { ServerResponse } from 'node:http'
import { OAuthError } from 'customer-sign-in'
import { presentableName } from '../../src/clients/client-name'
import { type ConsentQuestion, respondWithConsentPage } from '../../src/pages/consent-page'
import { respondWithErrorPage } from '../../src/pages/error-page'
import { type Html, html } from '../../src/pages/html'
import { english, type Words } from '../../src/pages/words'
import { textOf } from '../support/consent-form'

const question: ConsentQuestion = {
  tenantName: 'ACME',
  logoUri: undefined,
  clientName: 'CLIENT',
  vouchedFor: false,
  publisher: 'PUBLISHER',
  redirectUri: 'https://DESTINATION/callback',
  isAppOnDevice: true,
  answered: false,
  scopes: ['SCOPE'],
  customerName: 'ADA',
  action: '?',
  token: 'a token',
}

/** A language in which each text is its key in the table, in angle brackets. */
const another = translated(english, '') as Words

function translated(words: unknown, place: string): unknown {
  if (typeof words === 'string') return `⟨${place}⟩`
  if (typeof words === 'function') {
    return (...parts: (string | Html)[]) => html`⟨${place}${parts.map((part) => html` ${part}`)}⟩`
  }
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

/** The letters that are left of a text when the words of that language and the names in the request are removed. */
function untranslated(text: string): string {
  const withoutNames = text.replace(/CLIENT|ACME|PUBLISHER|destination|SCOPE|ADA|invalid_request/g, '')
  const withoutWords = withoutNames.replace(/⟨[^⟨⟩]*⟩/g, '')
  // A sentence can contain another one.
  return withoutWords === withoutNames ? withoutNames.replace(/\P{L}/gu, '') : untranslated(withoutWords)
}

describe('the words of the consent page', () => {
  it.each<[string, Partial<ConsentQuestion>]>([
    ['a client that nobody vouches for', {}],
    ['a client that the company vouches for', { vouchedFor: true }],
    ['the second question', { answered: true }],
    ['an app on this device', { redirectUri: 'http://127.0.0.1:1/' }],
    ['an app with a scheme of its own', { redirectUri: 'app.example:/' }],
  ])('are those of the language that the page is given: %s', (_, members) => {
    const { page, text } = sent((res) => respondWithConsentPage(res, { ...question, ...members }, another))
    expect(untranslated(text)).toBe('')
    expect(page).toContain('<html lang="⟨language⟩">')
    expect(text).toContain('⟨consent.allow⟩')
  })

  it('are complete sentences in English, whose order another language can change', () => {
    const { text } = sent((res) => respondWithConsentPage(res, question))
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

  it('quote a name with marks that no name can have', () => {
    const [open = '', close = ''] = english.consent.quote('').text
    expect(presentableName(`a${open}b${close}c`)).toBe("a'b'c")
  })
})

describe('the words of the error page', () => {
  it.each([400, 503])('are those of the language that the page is given: %d', (status) => {
    const error = new OAuthError('invalid_request', 'ADA', { status })
    const { page, text } = sent((res) => respondWithErrorPage(res, error, another))
    expect(untranslated(text)).toBe('')
    expect(page).toContain('<html lang="⟨language⟩">')
    expect(text).toContain(status === 503 ? '⟨error.tryAgain⟩' : '⟨error.goBack⟩')
  })

  it('are those of that language for a document that cannot be fetched', () => {
    const error = new OAuthError('invalid_request', 'ADA', { status: 503, reason: 'document_unavailable' })
    const { text } = sent((res) => {
      respondWithErrorPage(Object.assign(res, { req: { url: '/authorize?client_id=1' } }), error, another)
    })
    expect(untranslated(text)).toBe('')
    for (const word of ['noAnswer', 'tryAgain', 'repeat']) expect(text).toContain(`⟨error.${word}⟩`)
  })
})
