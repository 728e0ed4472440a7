import { createHash } from 'node:crypto'
import { type Client, type LifetimeOptions, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import type { Response } from 'supertest'
import { visible } from '../../../src/protocol/visible-text'
import { Authorization } from '../../support/authorization'
import { textOf, unescaped } from '../../support/consent-form'
import { elementsOf } from '../../support/html-elements'
import { registered } from '../../support/registration'
import { clientId, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

/** The parts of a request that a test can choose. */
interface Question {
  tenant?: Partial<Tenant>
  client?: Partial<Client>
  customerName?: string
  words?: string
  parameters?: Record<string, string>
  lifetimes?: LifetimeOptions
}

/** The consent page for it. */
async function pageOf(question: Question = {}): Promise<Response> {
  const response = await responseTo(question)
  expect(response.status).toBe(200)
  return response
}

async function responseTo({
  tenant,
  client,
  customerName,
  words = 'Words',
  parameters,
  lifetimes = {},
}: Question): Promise<Response> {
  const clients = [{ clientId, redirectUris: [redirectUri], ...client }]
  const host = await started({
    tenantStore: new MemoryTenantStore([{ key: 'acme', clients, ...tenant }]),
    scopes: { profile: words },
    lifetimes,
    authenticate: () => ({ subject: 'customer-1', name: customerName }),
  })
  return new Authorization(host, parameters).open()
}

const bodyOf = ({ text }: Response) => text.slice(text.indexOf('<body>'))

describe('the consent page', () => {
  it('shows the client, the scopes, the customer and the address to which the browser will go', async () => {
    const page = await pageOf({
      tenant: { name: 'Acme Ltd', logoUri: 'https://cdn.acme.example/logo.svg' },
      client: { clientName: 'Assistant' },
      customerName: 'Ada',
      words: 'Know who you are',
    })
    const text = textOf(page.text)
    for (const part of ['Connect Assistant to Acme Ltd?', 'as Ada', 'Know who you are', 'assistant.example']) {
      expect(text).toContain(part)
    }
    expect(page.text).toContain('<img src="https://cdn.acme.example/logo.svg" alt="">')
    expect(page.text).toContain('<title>Connect Assistant to Acme Ltd?</title>')
  })

  it('shows the key, the client id and the scope if there are no names', async () => {
    const page = await pageOf({ words: 'profile' })
    const text = textOf(page.text)
    expect(page.text).not.toContain('<p></p>')
    expect(text).toContain(`Connect ${clientId} to acme?`)
    expect(text).toContain('profile')
    expect(text).not.toContain('signed in as')
  })

  it('shows a scope that has the name of a property of every object', async () => {
    const scopes = ['constructor', 'toString', '__proto__']
    const text = textOf((await pageOf({ tenant: { scopes } })).text)
    for (const scope of scopes) expect(text).toContain(scope)
  })

  it.each([
    ['https://assistant.example/callback', 'assistant.example'],
    ['https://assistant.example:8443/callback?next=https://acme.example', 'assistant.example:8443'],
    ['https://acme.example.evil.example/acme.example', 'acme.example.evil.example'],
    ['https://xn--cme-5cd.example/callback', 'xn--cme-5cd.example'],
    ['http://127.0.0.1:41234/callback', 'an app on this device (127.0.0.1:41234)'],
    ['http://localhost/callback', 'an app on this device (localhost)'],
    ['http://[::1]:41234/callback', 'an app on this device ([::1]:41234)'],
    ['com.example.assistant:/callback', 'the app on this device that opens com.example.assistant://'],
    ['cursor://retrieval/callback', 'the app on this device that opens cursor://'],
    [`https://${'a'.repeat(42)}.assistant.example/`, `${'a'.repeat(42)}.assistant.example`],
    [`https://${'a'.repeat(43)}.assistant.example/`, `…${'a'.repeat(42)}.assistant.example`],
    [`com.${'a'.repeat(55)}:/callback`, `the app on this device that opens com.${'a'.repeat(55)}://`],
    [`com.${'a'.repeat(56)}:/callback`, `the app on this device that opens com.${'a'.repeat(56)}…`],
  ])('shows plainly where %s leads', async (destination, shown) => {
    const page = await pageOf({ client: { redirectUris: [destination] }, parameters: { redirect_uri: destination } })
    expect(textOf(page.text).split('\n')).toContain(shown)
  })

  it.each([
    ['Travel Assistant', 'Acme Air', 'TA', 'AA'],
    ['the “new” app', '東京航空', 'TN', '東'],
    ['🛫 «x»', '- Ácme -', 'X', 'Á'],
  ])('shows who connects to whom, by initials, to those who see: %s, %s', async (clientName, name, one, other) => {
    const { text } = await pageOf({ tenant: { name }, client: { clientName } })
    expect(text).toContain(`<div class="parties" aria-hidden="true"><b>${one}</b><i></i><b>${other}</b></div>`)
  })

  it('is one form with two decisions, with nothing to run or load', async () => {
    const elements = elementsOf((await pageOf({ customerName: 'Ada' })).text)
    expect(elements.filter((element) => /^(form|input|button|a|img)/.test(element))).toEqual([
      'form method action',
      'input type name value',
      'button name value aria-label',
      ...['confirm', 'allow'].flatMap(() => [
        'button name value aria-label class',
        'button name value aria-label tabindex',
      ]),
    ])
    expect(elements.join('\n')).not.toMatch(
      /script|link|iframe|object|embed|base|\bon[a-z]+|\bstyle\b.*\bstyle\b|srcset/,
    )
  })

  it('cannot be framed, runs no script, is not cached, and other sites do not learn its address', async () => {
    const { headers } = await pageOf()
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'document-policy': 'force-load-at-top',
      'x-content-type-options': 'nosniff',
      'referrer-policy': expect.stringMatching(/^(no-referrer|same-origin)$/),
    })
    const policy = policyOf(headers)
    expect(policy).toMatchObject({ 'default-src': "'none'", 'frame-ancestors': "'none'", 'base-uri': "'none'" })
    expect(policy).not.toHaveProperty('script-src')
    expect(policy).not.toHaveProperty('img-src')
  })

  it('allows only its own style', async () => {
    const page = await pageOf()
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page.text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(policyOf(page.headers)['style-src']).toBe(`'sha256-${hash}'`)
  })

  it.each([
    ['https://cdn.acme.example/logo.svg?a;script-src *', 'https://cdn.acme.example'],
    ['https://cdn.acme.example:8443/logo.svg', 'https://cdn.acme.example:8443'],
    ['https://user:secret@cdn.acme.example/logo.svg', 'https://cdn.acme.example'],
    ['data:image/svg+xml,<svg onload="alert(1)">', 'data:'],
  ])('loads the tenant’s logo from %s and nothing else', async (logoUri, source) => {
    const { headers } = await pageOf({ tenant: { logoUri } })
    expect(policyOf(headers)['img-src']).toBe(source)
    expect(Object.keys(policyOf(headers)).sort()).toEqual(
      ['base-uri', 'default-src', 'frame-ancestors', 'img-src', 'style-src'].sort(),
    )
  })

  it('has a logo for each scheme, and that of the theme if it has one scheme only', async () => {
    const logoUri = { light: 'https://cdn.acme.example/light.svg', dark: 'data:image/svg+xml,<svg a="1"/>,' }
    const both = await pageOf({ tenant: { logoUri } })
    expect(unescaped(both.text)).toContain(
      '<picture><source srcset="data:image/svg+xml,<svg%20a="1"/>%2C" media="(prefers-color-scheme: dark)"><img src="https://cdn.acme.example/light.svg" alt=""></picture>',
    )
    expect(policyOf(both.headers)['img-src']).toBe('https://cdn.acme.example data:')
    const spaced = await pageOf({ tenant: { logoUri: { ...logoUri, dark: ' https://cdn.acme.example/dark.svg ' } } })
    expect(spaced.text).toContain('<source srcset="https://cdn.acme.example/dark.svg"')
    for (const scheme of ['light', 'dark'] as const) {
      const { text } = await pageOf({ tenant: { logoUri, theme: { [scheme]: {} } } })
      expect(unescaped(text)).toContain(`<img src="${logoUri[scheme]}" alt="">`)
      expect(text).not.toContain('<picture>')
    }
  })

  it.each([';', ','])('adds no directive from a logo’s address with a %j in its host', async (separator) => {
    const { headers } = await responseTo({ tenant: { logoUri: `https://cdn.example${separator}script-src/logo.svg` } })
    expect(headers['content-security-policy']).not.toContain('script-src')
  })
})

describe('what happens afterwards', () => {
  const lines = async (question: Question, lifetimes: LifetimeOptions = {}) =>
    textOf((await pageOf({ ...question, lifetimes })).text)
      .split('\n')
      .filter((line) => /connection|disconnect/.test(line))
  const unused = (time: string) => [`The connection ends when the app has not used it for ${time}.`]
  const lasts = (time: string) => [`The connection lasts ${time}.`]
  const day = 86_400

  it.each<[string, Partial<Tenant>, LifetimeOptions, string[]]>([
    ['30 days by default', {}, {}, unused('30 days')],
    ['as the company says, in hours', { refreshTokenLifetime: 1.5 * day }, {}, unused('36 hours')],
    ['as the option says, in minutes, rounded up', {}, { refreshToken: 5401 }, unused('91 minutes')],
    ['as long as every grant lasts, whatever its use', {}, { refreshToken: 7 * day, grant: 2 * day }, lasts('2 days')],
    ['until it is not used, before the grant ends', {}, { refreshToken: 7 * day, grant: 90 * day }, unused('7 days')],
  ])('is said: %s', async (_, tenant, lifetimes, said) => {
    expect(await lines({ tenant }, lifetimes)).toEqual(said)
  })

  it('is said of a client that gets no refresh token by the lifetime of the access token', async () => {
    const client = { grantTypes: ['authorization_code'] }
    expect(await lines({ client, tenant: { accessTokenLifetime: 3600 } })).toEqual(lasts('1 hour'))
  })

  it('has a link to where the customer can end it, if there is such a page', async () => {
    const links = { connectedApps: 'https://acme.example/apps' }
    expect(await lines({ tenant: { links } })).toContain('You can disconnect at any time in Connected apps.')
    expect((await pageOf({ tenant: { links } })).text).toContain(
      '<a href="https://acme.example/apps" target="_blank" rel="noopener noreferrer">Connected apps</a>.',
    )
  })
})

describe('a client whose code goes to an address on loopback', () => {
  const warning = 'Any app on this device can pretend to be'
  const pageWith = async (...redirectUris: string[]) => {
    const page = await pageOf({
      client: { clientName: 'Assistant', redirectUris },
      parameters: { redirect_uri: redirectUris[0] ?? '' },
    })
    return textOf(page.text)
  }

  it('gets a warning of its own, that of a company too', async () => {
    const page = await pageWith('http://127.0.0.1/callback', 'http://localhost/callback')
    expect(page).toContain(`${warning} Assistant. Go on only if you have started it yourself.`)
  })

  it('gets it if nobody vouches for it, besides the other caution', async () => {
    const host = await started({ authenticate: () => ({ subject: 'customer-1' }) })
    const redirect_uri = 'http://[::1]:41234/callback'
    const client_id = await registered(host, { client_name: 'Assistant', redirect_uris: [redirect_uri] })
    const page = textOf((await new Authorization(host, { client_id, redirect_uri }).open().expect(200)).text)
    expect(page).toContain(`${warning} “Assistant”.`)
    expect(page).toContain('Acme has not checked this app')
  })

  it.each(['https://assistant.example/callback', 'com.example.assistant:/callback'])(
    'gets it also if it has %s too, and not if the code goes there',
    async (other) => {
      expect(await pageWith('http://127.0.0.1/callback', other)).toContain(warning)
      expect(await pageWith(other, 'http://127.0.0.1/callback')).not.toContain(warning)
    },
  )
})

describe('no name becomes markup of the page', () => {
  const attack = `"'><script>alert(1)</script><img src=x onerror=alert(1)></title></style></bdi>&lt;&#60;\u2028\${1}`
  const inUri = "'&lt;script&gt;'onerror=alert(1);"

  it.each<[what: string, question: Question, harmless: Question]>([
    ['the client’s', { client: { clientName: attack } }, { client: { clientName: 'x' } }],
    ['the tenant’s', { tenant: { name: attack } }, { tenant: { name: 'x' } }],
    ['the customer’s', { customerName: attack }, { customerName: 'x' }],
    ['a scope’s', { words: attack }, { words: 'x' }],
    ['the state’s', { parameters: { state: attack } }, { parameters: { state: 'x' } }],
    ['a parameter’s', { parameters: { [attack]: attack } }, { parameters: { x: 'x' } }],
    ['the login hint’s', { parameters: { login_hint: attack } }, { parameters: { login_hint: 'x' } }],
    [
      'the logo’s',
      { tenant: { logoUri: `https://cdn.example/${attack}` } },
      { tenant: { logoUri: 'https://cdn.example/x' } },
    ],
    [
      'the redirect URI’s',
      { client: { redirectUris: [`x.y:${inUri}`] }, parameters: { redirect_uri: `x.y:${inUri}` } },
      { client: { redirectUris: ['x.y:x'] }, parameters: { redirect_uri: 'x.y:x' } },
    ],
  ])('not %s', async (_, question, harmless) => {
    const [page, plain] = [await pageOf(question), await pageOf(harmless)]
    expect(elementsOf(page.text)).toEqual(elementsOf(plain.text))
    expect(Object.keys(policyOf(page.headers))).toEqual(Object.keys(policyOf(plain.headers)))
  })

  it('but all of them are shown unchanged', async () => {
    const page = await pageOf({
      client: { clientName: attack },
      tenant: { name: attack },
      customerName: attack,
      words: attack,
    })
    expect(textOf(page.text).split(attack.replace('\u2028', ' '))).toHaveLength(6)
  })
})

describe('a name that nobody vouches for', () => {
  const pageFor = async (metadata: object) => {
    const host = await started({ authenticate: () => ({ subject: 'customer-1' }) })
    return new Authorization(host, { client_id: await registered(host, metadata) }).open()
  }

  it('stands apart wherever it is shown, and in the title between quotation marks', async () => {
    const { text } = await pageFor({ client_name: 'Acme and Claude' })
    expect(text.split('Acme and Claude')).toHaveLength(4)
    expect(text.split('<q><bdi>Acme and Claude</bdi></q>')).toHaveLength(3)
    expect(text).toContain('<title>Connect “Acme and Claude” to Acme?</title>')
  })

  it('cannot affect the text around it in the page and the title', async () => {
    const { text } = await pageFor({ client_name: 'Claude\u2069\u202e” to Acme' })
    expect(text).not.toMatch(/[\u2069\u202e]/)
    expect(textOf(text)).toContain("Connect “Claude' to Acme” to Acme?")
  })
})

describe('a name in another script', () => {
  it.each([
    ['right to left', 'שלום עולם'],
    ['with an override', '\u202eelgoog\u2066'],
    ['very long', 'W'.repeat(10_000)],
    ['of many lines', 'Acme\n\n\nAllow'],
  ])('does not reorder the text around it: %s', async (_, name) => {
    const page = await pageOf({
      client: { clientName: name },
      tenant: { name },
      customerName: name,
      words: name,
    })
    const plain = visible(name.replace(/\s+/g, ' '))
    const shown = bodyOf(page).split(plain).length - 1
    const isolated = bodyOf(page).split(`<bdi>${plain}</bdi>`).length - 1
    expect({ shown, isolated }).toEqual({ shown: 5, isolated: 5 })
    expect(bodyOf(page)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  })

  it.each(['𐌰'.repeat(60), '𐌰'.repeat(61)])('is shown in whole characters: %s', async (name) => {
    const host = await started({ authenticate: () => ({ subject: 'customer-1' }) })
    const page = await new Authorization(host, { client_id: await registered(host, { client_name: name }) }).open()
    const shown = [...name].length > 60 ? `${'𐌰'.repeat(59)}…` : name
    expect(textOf(page.text)).toContain(`“${shown}”`)
    expect(page.text).toContain(`<title>Connect “${shown}” to`)
    expect(page.text).not.toContain('\ufffd')
  })

  it('does not reorder the word of caution either', async () => {
    const name = '\u202eelgoog'
    const host = await started({
      authenticate: () => ({ subject: 'customer-1' }),
      tenantStore: new MemoryTenantStore([{ key: 'acme', name }]),
    })
    const page = await new Authorization(host, { client_id: await registered(host, { client_name: name }) }).open()
    expect(bodyOf(page)).toContain('<bdi>[U+202E]elgoog</bdi> has not checked this app')
    expect(bodyOf(page)).not.toContain('\u202e')
  })
})

/** The directives of a content security policy. */
function policyOf(headers: Record<string, string>): Record<string, string> {
  const directives = (headers['content-security-policy'] ?? '').split(';').map((directive) => directive.trim())
  return Object.fromEntries(directives.map((directive) => directive.split(/ (.*)/s).slice(0, 2)))
}
