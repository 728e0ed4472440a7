import type { CustomerSignInOptions } from 'customer-sign-in'
import { Authorization, asTheySay } from '../../support/authorization'
import { unescaped } from '../../support/consent-form'
import { testSignIn } from '../../support/host-app'
import { started } from '../../support/started'

/** The items of the list on the consent page. */
async function itemsOf(
  scopes: CustomerSignInOptions['scopes'],
  ui_locales: string,
  options: Partial<CustomerSignInOptions> = {},
): Promise<string[]> {
  const host = await started({ authenticate: asTheySay, scopes, ...options })
  const { text } = await new Authorization(host, { ui_locales }, 'globex').open().expect(200)
  return [...text.matchAll(/<li[^>]*>.*?<\/li>/g)].map(([item]) => unescaped(item))
}

const bookings = { de: 'Ihre Buchungen sehen', en: 'See your bookings', 'pt-BR': 'Ver suas reservas' }

describe('the words of a scope', () => {
  it.each([
    ['of the page', bookings, 'de', '<li><bdi>Ihre Buchungen sehen</bdi></li>'],
    ['of the page, whatever the region', bookings, 'pt-PT', '<li><bdi>Ver suas reservas</bdi></li>'],
    ['in English, if there are none of the page', bookings, 'fr', '<li lang="en"><bdi>See your bookings</bdi></li>'],
    ['the first that there are otherwise', { nl: 'Zien', da: 'Se' }, 'fr', '<li lang="nl"><bdi>Zien</bdi></li>'],
    ['the one text that is for all languages', 'Buchungen', 'fr', '<li><bdi>Buchungen</bdi></li>'],
  ])('are those %s', async (_, words, tag, item) => {
    expect(await itemsOf({ bookings: { words } }, tag)).toEqual([item])
  })

  it('are in the language of the option locale before English', async () => {
    const [item] = await itemsOf({ bookings: { words: bookings } }, 'fr', { pages: { locale: 'de-CH' } })
    expect(item).toBe('<li lang="de"><bdi>Ihre Buchungen sehen</bdi></li>')
  })

  it('are there for the default scope in every language', async () => {
    expect(await itemsOf(undefined, 'de')).toEqual(['<li><bdi>Erfahren, wer Sie sind</bdi></li>'])
    expect(await itemsOf(undefined, 'zh-CN')).toEqual(['<li><bdi>知道您是谁</bdi></li>'])
    expect(await itemsOf(undefined, 'en')).toEqual(['<li><bdi>Know who you are</bdi></li>'])
  })

  it('are the scope itself for a list', async () => {
    expect(await itemsOf(['profile'], 'de')).toEqual(['<li><bdi>profile</bdi></li>'])
  })

  it('are text, whatever is in them', async () => {
    const attack = '<script>alert(1)</script>'
    expect(await itemsOf({ bookings: { words: { de: attack } } }, 'de')).toEqual([`<li><bdi>${attack}</bdi></li>`])
  })

  it.each<[string, unknown, string]>([
    ['no text', '', 'scopes.bookings.words must be a string that is not empty'],
    [
      'a number',
      7,
      'scopes.bookings.words must be a string that is not empty, or an object with one for each language tag',
    ],
    [
      'no language',
      {},
      'scopes.bookings.words must be a string that is not empty, or an object with one for each language tag',
    ],
    [
      'a tag that is none',
      { de_AT: 'x' },
      'scopes.bookings.words must be a language tag (RFC 5646) of at most 35 characters, such as de or pt-BR, but is "de_AT"',
    ],
    ['no text in a language', { de: '' }, 'scopes.bookings.words.de must be a string that is not empty'],
  ])('are checked at start-up: %s', (_, words, message) => {
    const scopes = { bookings: { words } } as Record<string, object>
    expect(() => testSignIn({ scopes })).toThrow(message)
  })

  it('can be the only thing that is said of a scope', async () => {
    expect(await itemsOf({ bookings: 'See your bookings' }, 'de')).toEqual(['<li><bdi>See your bookings</bdi></li>'])
    expect(() => testSignIn({ scopes: { bookings: '' } })).toThrow('scopes.bookings must be a string')
  })

  it('are the scope itself where something else is said of it', async () => {
    expect(await itemsOf({ bookings: { implies: [] } }, 'de')).toEqual(['<li><bdi>bookings</bdi></li>'])
  })

  it('are not taken for languages: these are one level down', () => {
    const scopes = { bookings } as object as Record<string, string>
    expect(() => testSignIn({ scopes })).toThrow(
      'scopes.bookings.de is not a member of scopes.bookings. The members are words and implies',
    )
  })
})
