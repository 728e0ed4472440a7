import type { CustomerSignInOptions, PageOptions } from 'customer-sign-in'
import { Authorization, asTheySay } from '../../support/authorization'
import { textOf } from '../../support/consent-form'
import { testSignIn } from '../../support/host-app'
import { elementsOf } from '../../support/html-elements'
import { registered } from '../../support/registration'
import { started } from '../../support/started'

type OwnWords = NonNullable<PageOptions['words']>

/** The consent page of a client that registered itself. */
async function pageWith(words: OwnWords, ui_locales: string, scopes?: CustomerSignInOptions['scopes']) {
  const host = await started({ authenticate: asTheySay, pages: { words }, scopes })
  const client_id = await registered(host, { client_name: 'Travel' })
  return (await new Authorization(host, { client_id, ui_locales }).open().expect(200)).text
}

function create(options: object) {
  return () => testSignIn(options)
}

describe('the host’s own words', () => {
  it('replace single words, and leave the others of the language', async () => {
    const page = await pageWith({ de: { consent: { allow: 'Zulassen' } } }, 'de')
    const buttons = [...page.matchAll(/<button[^>]*><span>([^<]*)</g)].map(([, word]) => word)
    expect([...new Set(buttons)]).toEqual(['Ablehnen', 'Zulassen'])
  })

  it('replace sentences, with their parts in another order', async () => {
    const question = '{tenant} ↔ {client}'
    const page = await pageWith({ en: { consent: { question } } }, 'en')
    expect(page).toContain('<h1><bdi>Acme</bdi> ↔ <q><bdi>Travel</bdi></q></h1>')
    expect(page).toContain('<title>Acme ↔ “Travel”</title>')
  })

  it('add a language, whose other words are in English', async () => {
    const page = await pageWith({ sv: { consent: { allow: 'Tillåt', deny: 'Neka' } } }, 'sv-SE')
    expect(page).toContain('<html lang="sv" dir="ltr">')
    expect(textOf(page)).toMatch(/Neka\s+Tillåt/)
    expect(textOf(page)).toContain('will be able to:')
  })

  it('add a language that is written from right to left', async () => {
    expect(await pageWith({ he: { consent: { allow: 'אישור' } } }, 'he')).toContain('<html lang="he" dir="rtl">')
  })

  it('add a region to a language, whose other words it has, the replaced ones included', async () => {
    const words: OwnWords = {
      'de-CH': { consent: { confirm: 'Bitte bestätigen Sie' } },
      de: { consent: { allow: 'Zulassen' } },
    }
    const swiss = await pageWith(words, 'de-CH')
    expect(swiss).toContain('<html lang="de-CH" dir="ltr">')
    expect(textOf(swiss)).toContain('Zulassen')
    expect(await pageWith(words, 'de-AT')).toContain('<html lang="de" dir="ltr">')
  })

  it('are those of simplified Chinese under each of its names', async () => {
    for (const tag of ['zh', 'zh-Hans', 'ZH-hans']) {
      const page = await pageWith({ [tag]: { consent: { allow: '同意' } } }, 'zh-CN')
      expect(page).toContain('<html lang="zh-Hans" dir="ltr">')
      expect(textOf(page)).toContain('同意')
    }
  })

  it('add traditional Chinese', async () => {
    const words: OwnWords = { 'zh-Hant': { consent: { allow: '允許' } } }
    expect(await pageWith(words, 'zh-TW')).toContain('<html lang="zh-Hant" dir="ltr">')
    expect(await pageWith(words, 'zh-CN')).toContain('<html lang="zh-Hans" dir="ltr">')
  })

  it('never become markup', async () => {
    const attack = '</title></style><script>alert(1)</script><img src=x onerror="alert(1)">&amp;'
    const words: OwnWords = {
      en: {
        consent: { question: `${attack}{client}{tenant}`, allow: attack, notChecked: `${attack}{tenant}` },
        error: { title: attack },
        links: { privacy: attack },
      },
    }
    const plain = await pageWith({}, 'en')
    const page = await pageWith(words, 'en')
    expect(elementsOf(page)).toEqual(elementsOf(plain))
    expect(textOf(page).split(attack)).toHaveLength(7)
  })

  it('can be the language that takes the place of all others', () => {
    expect(create({ pages: { locale: 'sv', words: { sv: {} } } })).not.toThrow()
    expect(create({ pages: { locale: 'de-AT' } })).not.toThrow()
  })
})

describe('a mistake in the option', () => {
  const longTag = 'de-x-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaa'

  it.each<[string, object, string]>([
    ['words that are no object', { pages: { words: [] } }, 'pages.words must be an object'],
    [
      'a language that is no tag',
      { pages: { words: { de_AT: {} } } },
      'pages.words must be a language tag (RFC 5646) of at most 35 characters, such as de or pt-BR, but is "de_AT"',
    ],
    [
      'a page that there is not',
      { pages: { words: { de: { consnt: {} } } } },
      'pages.words.de.consnt is not a member of pages.words.de. Did you mean consent?',
    ],
    [
      'a word that there is not',
      { pages: { words: { de: { consent: { alow: 'Ja' } } } } },
      'pages.words.de.consent.alow is not a member of pages.words.de.consent. Did you mean allow?',
    ],
    [
      'the words of scopes',
      { pages: { words: { de: { scopes: {} } } } },
      'pages.words.de.scopes is not a member of pages.words.de',
    ],
    [
      'a number',
      { pages: { words: { de: { consent: { allow: 7 } } } } },
      'pages.words.de.consent.allow must be a string that is not empty, but is 7',
    ],
    ['words that are no object', { pages: { words: 'de' } }, 'pages.words must be an object, but is "de"'],
    [
      'no text',
      { pages: { words: { de: { consent: { allow: '' } } } } },
      'pages.words.de.consent.allow must be a string that is not empty',
    ],
    [
      'a sentence without one of its parts',
      { pages: { words: { de: { consent: { question: '{client} verbinden?' } } } } },
      'pages.words.de.consent.question must be plain text with {client} and {tenant}, but is "{client} verbinden?"',
    ],
    [
      'a sentence with a part that it does not have',
      { pages: { words: { de: { consent: { notChecked: '{tenant} hat {client} nicht geprüft.' } } } } },
      'pages.words.de.consent.notChecked must be plain text with {tenant}, but is',
    ],
    [
      'a part of a plain word',
      { pages: { words: { de: { consent: { allow: '{client}' } } } } },
      'must be plain text without braces',
    ],
    ['a lone brace', { pages: { words: { de: { consent: { allow: 'Ja}' } } } } }, 'must be plain text without braces'],
    [
      'a function',
      { pages: { words: { de: { consent: { allow: () => 'Ja' } } } } },
      'must be a string that is not empty, but is a function',
    ],
    ...['{name}', '‘{name}’', "'{name}'", '“{name}', '{name}”', 'App “{name}”', '“{name} by”'].map(
      (quote): [string, object, string] => [
        `a quotation that a name can end: ${quote}`,
        { pages: { words: { de: { consent: { quote } } } } },
        `pages.words.de.consent.quote must be {name} between quotation marks that are no apostrophes, such as “{name}”, but is "${quote}"`,
      ],
    ),
    ['a locale that is no tag', { pages: { locale: 'german!' } }, 'pages.locale must be a language tag (RFC 5646)'],
    [
      'a locale of 36 characters',
      { pages: { locale: longTag } },
      'pages.locale must be a language tag (RFC 5646) of at most 35',
    ],
    [
      'words for a tag of 36 characters',
      { pages: { words: { [longTag]: {} } } },
      'pages.words must be a language tag (RFC 5646)',
    ],
    [
      'a locale without words',
      { pages: { locale: 'sv' } },
      'pages.locale must be a language of the pages: en, de, fr, es, it, nl, pt, pl, tr, ja, zh-Hans, ar, or one that the option pages.words adds, but is "sv"',
    ],
  ])('is told at start-up: %s', (_, options, message) => {
    expect(create(options)).toThrow(message)
  })

  it.each(['„{name}“', '« {name} »', '『{name}』', '“{name}”', '"{name}"', '《{name}》'])(
    'is not a quotation that no name can end: %s',
    (quote) => {
      expect(create({ pages: { words: { de: { consent: { quote } } } } })).not.toThrow()
    },
  )
})
