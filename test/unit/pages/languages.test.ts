import { type CustomerSignInOptions, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import request from 'supertest'
import { agoIn, packagedWords } from '../../../src/pages/languages'
import { Authorization, asTheySay } from '../../support/authorization'
import { consentForm, textOf } from '../../support/consent-form'
import type { FormFields } from '../../support/sign-in'
import { clientId, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

/** Who says what about the language. */
interface Wishes {
  client?: string
  company?: string | null
  browser?: string
  host?: string
}

async function hostWith(tenant: Partial<Tenant>, options: Partial<CustomerSignInOptions> = {}) {
  const clients = [{ clientId, redirectUris: [redirectUri] }]
  return started({
    tenantStore: new MemoryTenantStore([{ key: 'acme', name: 'Acme', clients, ...tenant }]),
    authenticate: asTheySay,
    ...options,
  })
}

/** The language tags of the consent page and of the error page. */
async function languagesFor({ client, company, browser = '', host = 'en' }: Wishes): Promise<(string | undefined)[]> {
  const app = await hostWith({ locale: company }, { pages: { locale: host } })
  const open = (parameters: FormFields) =>
    new Authorization(app, { ui_locales: client, ...parameters }).open().set('Accept-Language', browser)
  const pages = [await open({}), await open({ client_id: 'nobody' })]
  expect(pages.map(({ status }) => status)).toEqual([200, 400])
  return pages.map(({ text }) => /<html lang="([^"]*)"/.exec(text)?.[1])
}

describe('the language of both pages', () => {
  it.each<[string, Wishes, string]>([
    ['what the client asks for', { client: 'fr', company: 'de', browser: 'es', host: 'pl' }, 'fr'],
    ['the company’s, if the client asks for none', { company: 'de', browser: 'es', host: 'pl' }, 'de'],
    ['what the browser asks for, if the company has none', { company: null, browser: 'es', host: 'pl' }, 'es'],
    ['the host’s, if nobody asks for one', { host: 'pl' }, 'pl'],
    ['English by default', {}, 'en'],
    ['the first that there is of those that the client asks for', { client: 'sv tlh it fr' }, 'it'],
    ['the language of a region', { client: 'de-AT' }, 'de'],
    ['the language, whatever its capitals', { client: 'PT-br' }, 'pt'],
    ['Chinese in simplified characters', { client: 'zh-CN', browser: 'ja' }, 'zh-Hans'],
    ['Chinese, of which the simplified characters are the usual ones', { client: 'zh', browser: 'ja' }, 'zh-Hans'],
    ['not Chinese for whoever reads the traditional characters', { client: 'zh-TW zh-Hant', browser: 'ja' }, 'ja'],
    ['the browser’s, if there is none that the company names', { company: 'sv', browser: 'ja' }, 'ja'],
    ['what the browser prefers', { browser: 'sv, es;q=0.5, it;q=0.8, nl; q=0.7' }, 'it'],
    ['the first of several that the browser likes equally', { browser: 'tr,fr' }, 'tr'],
    ['what the browser prefers, whatever else it says', { browser: 'fr;iq=0, nl;q=0.5' }, 'fr'],
    ['not the only one that the browser names, if it refuses it', { browser: 'fr;q=0', host: 'pl' }, 'pl'],
    ['not what the browser refuses', { browser: 'fr;q=0, *, nl;q=0.1' }, 'nl'],
  ])('is %s', async (_, wishes, tag) => {
    expect(await languagesFor(wishes)).toEqual([tag, tag])
  })

  it.each([
    '!!',
    'de_AT',
    '"><script>',
    ' ',
    '*',
    'x-',
    'a'.repeat(1000),
    'fr,de',
    'und',
    '\u0000',
    'constructor __proto__',
    `${'xx '.repeat(1000)}de`,
  ])('is never spoilt by a malformed ui_locales: %j', async (client) => {
    expect(await languagesFor({ client, browser: 'it' })).toEqual(['it', 'it'])
  })

  it.each(['!!', ';q=1', 'de;q=x', ',,,', `${'xx,'.repeat(1000)}de`])(
    'is never spoilt by a malformed Accept-Language: %j',
    async (browser) => {
      expect(await languagesFor({ browser, host: 'nl' })).toEqual(['nl', 'nl'])
    },
  )

  it('is that of the browser for a company that does not exist', async () => {
    const app = await hostWith({})
    const { text } = await new Authorization(app, {}, 'nobody').open().set('Accept-Language', 'de').expect(404)
    const asked = await request(app.url).get('/v1/nobody/oauth/authorize?ui_locales=de').expect(404)
    expect(textOf(asked.text)).toBe(textOf(text))
    expect(textOf(text)).toContain('Unter dieser Adresse gibt es kein Unternehmen.')
  })

  it('stays the same when the customer is asked again', async () => {
    const app = await hostWith({})
    const authorization = new Authorization(app, { ui_locales: 'ar' })
    const first = await authorization.open()
    const second = await authorization.answer(consentForm(first), 'confirm').expect(200)
    for (const { text } of [first, second]) expect(text).toContain('<html lang="ar" dir="rtl">')
    expect(textOf(second.text)).toContain('هل تريد حقًا ربط هذا التطبيق؟')
  })

  it('is told to the host’s own pages', async () => {
    const told: string[] = []
    const app = await hostWith(
      { locale: 'de' },
      {
        authenticate: (_req, _res, { language }) => {
          told.push(language)
          return { subject: 'customer-1' }
        },
        pages: {
          consent: (_req, _res, { language }) => {
            told.push(language)
            return true
          },
        },
      },
    )
    await new Authorization(app, { ui_locales: 'zh-CN' }).open().expect(303)
    await new Authorization(app).open().expect(303)
    expect(told).toEqual(['zh-Hans', 'zh-Hans', 'de', 'de'])
  })
})

describe('a language tag', () => {
  const [longest, longer] = [35, 36].map((length) => 'de-x-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa'.slice(0, length))

  it('is read up to 35 characters, and passed over beyond that', async () => {
    expect(await languagesFor({ client: longest, browser: 'it' })).toEqual(['de', 'de'])
    expect(await languagesFor({ client: longer, browser: 'it' })).toEqual(['it', 'it'])
    expect(await languagesFor({ browser: longest, host: 'it' })).toEqual(['de', 'de'])
    expect(await languagesFor({ browser: longer, host: 'it' })).toEqual(['it', 'it'])
  })
})

describe('a company’s locale', () => {
  it.each(['deutsch!', '', 'de_AT', 7])('is refused if it is no language tag: %j', async (locale) => {
    const app = await hostWith({ locale: locale as string })
    await new Authorization(app).open().expect(500)
    const [event] = await app.told('error')
    expect(event?.error.message).toContain('tenant.locale must be a language tag (RFC 5646)')
  })
})

describe('how long ago something was', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

  it.each([
    [-5000, 'now'],
    [minute - 1, 'now'],
    [minute, '1 minute ago'],
    [hour - 1, '59 minutes ago'],
    [5 * hour, '5 hours ago'],
    // No "yesterday": where the reader is, it may be the day before.
    [day, '1 day ago'],
    [30 * day - 1, '29 days ago'],
    [30 * day, '1 month ago'],
    [365 * day - 1, '12 months ago'],
    [800 * day, '2 years ago'],
  ])('is said in the largest unit that has passed: %d ms are %s', (milliseconds, said) => {
    expect(agoIn('en', milliseconds)).toBe(said)
  })

  it('is said in each language, with a word of its own for now', () => {
    const said = Object.keys(packagedWords).map((tag) => [agoIn(tag, 0), agoIn(tag, 3 * day)])
    expect(new Set(said.flat()).size).toBe(2 * said.length)
    expect(agoIn('pl', 3 * day)).toBe('3 dni temu')
    expect(agoIn('ar', 2 * day)).toBe('قبل يومين')
  })
})
