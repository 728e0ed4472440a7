import { MemoryTenantStore, type Tenant } from 'customer-sign-in'
import { assertionFor, tokensFor } from 'customer-sign-in/testing'
import type { Request } from 'express'
import { packagedWords } from '../../../src/pages/languages'
import { digest } from '../../../src/protocol/digest'
import { ApiHost } from '../../support/api-host'
import { releaseClock, stopClock } from '../../support/clock'
import { textOf } from '../../support/consent-form'
import { buttonsOn, PageVisitor, sessionIn } from '../../support/page-visitor'
import { registered } from '../../support/registration'
import { redirectUri } from '../../support/sign-in'
import type { TestOptions } from '../../support/test-options'

afterEach(releaseClock)

const path = '/account/apps'
const clients = ['travel', 'notes', 'mail'].map((clientId) => ({
  clientId,
  clientName: `My ${clientId}`,
  redirectUris: [redirectUri],
}))
const companies: Tenant[] = ['acme', 'globex'].map((key) => ({ key, id: key, name: `${key} Inc`, clients }))

/** A host whose session is a header: a company and a customer. */
async function hostWith(options: TestOptions = {}) {
  const host = await ApiHost.start({ tenantStore: new MemoryTenantStore(companies), ...options })
  const who = (req: Request) => {
    const [tenantKey, subject] = sessionIn(req)
    return { tenantKey, subject }
  }
  host.app.use(path, host.signIn.pages.connectedApps({ who }))
  const of = (session: string) => {
    const [tenantKey = '', subject = ''] = session.split('/')
    return Object.assign(new PageVisitor(host.baseUrl + path, session), {
      connect: (clientId: string) => tokensFor(host.signIn, { tenantKey, subject, clientId }),
      async apps() {
        const { grants } = await host.signIn.grants.list({ tenantKey, subject })
        return grants.map(({ clientId }) => clientId).sort()
      },
    })
  }
  return { host, of, ada: of('acme/ada') }
}

/** What the button asks that disconnects an app of a company's own. */
const one = (clientId: string) => `disconnect=app&app=${digest('client', clientId)}`
const allow = { decision: 'allow' }

describe('the page of connected apps', () => {
  it('shows what its customer has connected, once for each app, and nothing of others', async () => {
    const { of, ada } = await hostWith()
    for (const clientId of ['travel', 'travel', 'notes']) await ada.connect(clientId)
    await of('acme/bob').connect('mail')
    await of('globex/ada').connect('mail')
    const { text, headers } = await ada.get().expect(200)
    expect(text.match(/<h2>.*<\/h2>/g)).toEqual(['<h2><bdi>My notes</bdi></h2>', '<h2><bdi>My travel</bdi></h2>'])
    expect(text).toContain('What you have connected to <bdi>acme Inc</bdi>:')
    expect(Buffer.byteLength(text)).toBeLessThan(12_000)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    })
  })

  it('shows ten apps at a time, the newest first', async () => {
    const many = Array.from({ length: 12 }, (_, number) => ({
      clientId: `app-${number}`,
      clientName: `App ${number}`,
      redirectUris: [redirectUri],
    }))
    const { host, ada } = await hostWith({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients: many }]) })
    for (const { clientId } of many) {
      host.signIn.clock.advance(1)
      await ada.connect(clientId)
    }
    const namesOn = ({ text }: { text: string }) => text.match(/App \d+(?=<\/bdi>)/g)
    const first = await ada.get().expect(200)
    expect(namesOn(first)).toEqual(
      many
        .map(({ clientName }) => clientName)
        .reverse()
        .slice(0, 10),
    )
    expect(first.text).toContain('<a class="button quiet" href="?page=2">Show more</a>')
    const second = await ada.get('?page=2')
    expect(namesOn(second)).toEqual(['App 1', 'App 0'])
    expect(second.text).not.toContain('Show more')
    for (const page of ['0', '-1', 'x', '1e9']) expect(namesOn(await ada.get(`?page=${page}`))).toHaveLength(10)
  })

  it('says of an app that names itself that nobody has checked it, and not of one of the company', async () => {
    const { host, ada } = await hostWith()
    await ada.connect('travel')
    expect((await ada.get()).text).not.toContain('has not checked')
    await ada.connect(await registered({ url: host.baseUrl }, { client_name: 'Travel' }))
    const { text } = await ada.get()
    expect(text).toContain('<bdi>acme Inc</bdi> has not checked this app.')
    expect(text).not.toContain('Allow it only if')
  })

  it('says that there is nothing', async () => {
    const { ada } = await hostWith()
    const { text } = await ada.ask('disconnect=all').expect(200)
    expect(text).toContain('You have connected no apps to <bdi>acme Inc</bdi>.')
    expect(text).not.toContain('<button')
  })

  it('shows once what an app may do by any of its grants', async () => {
    const scopes = { profile: 'Know who you are', calendar: 'See your calendar', mail: 'Read your mail' }
    const { host, ada } = await hostWith({ scopes })
    for (const asked of ['profile calendar', 'profile mail']) {
      await tokensFor(host.signIn, { tenantKey: 'acme', subject: 'ada', clientId: 'travel', scopes: asked })
    }
    const { text } = await ada.get().expect(200)
    for (const words of Object.values(scopes)) expect(text.split(words)).toHaveLength(2)
  })

  it('says how long ago an app was connected first and used last', async () => {
    const { ada } = await hostWith()
    const clock = stopClock()
    const times = [clock.now()]
    await ada.connect('travel')
    clock.advance(2 * 86_400)
    times.push(clock.now())
    await ada.connect('travel')
    clock.advance(3 * 3600)
    const { text } = await ada.get().expect(200)
    const shown = [...text.matchAll(/<dd><time datetime="([^"]+)">([^<]+)<\/time>/g)].map(([, at, ago]) => [at, ago])
    const [first, last] = times.map((at) => new Date(at).toISOString())
    expect(shown.slice(0, 2)).toEqual([
      [first, '2 days ago'],
      [last, '3 hours ago'],
    ])
  })

  it('shows an app once that registers on each device, with a line for each sign-in', async () => {
    const { host, ada } = await hostWith()
    const clock = stopClock()
    const register = (name: string, to = 'https://claude.example/cb') =>
      registered({ url: host.baseUrl }, { client_name: name, redirect_uris: [to] })
    for (let device = 0; device < 3; device++) {
      await ada.connect(await register('Claude'))
      clock.advance(86_400)
    }
    await ada.connect(await register('Claude', 'https://evil.example/cb'))
    await ada.connect('notes')
    const page = await ada.get().expect(200)
    expect(page.text.match(/<h2>.*?<\/h2>/g)).toHaveLength(3)
    expect(page.text.match(/<summary>.*?<\/summary>/g)).toEqual(['<summary>Sign-ins: 3</summary>'])
    expect(textOf(page.text)).toMatch(/1 day ago.*2 days ago.*3 days ago/s)
    expect(page.text).toContain('aria-label="Disconnect: Claude, Connected 2 days ago"')
    const [newest, ...others] = buttonsOn(page).filter((asked) => asked.startsWith('disconnect=one'))
    expect(others).toHaveLength(2)

    const { text } = await ada.ask(String(newest))
    expect(textOf(text)).toContain('Disconnect this sign-in of “Claude” from acme Inc?')
    for (const shown of ['claude.example', 'Connected1 day ago']) expect(textOf(text)).toContain(shown)
    await ada.confirm(String(newest))
    expect(host.signIn.events.filter(({ type }) => type === 'revoked')).toMatchObject([{ actor: 'customer' }])
    expect(textOf((await ada.get()).text)).toContain('Sign-ins: 2')

    const ofClaude = `disconnect=app&app=${digest('app', 'Claude', 'claude.example')}`
    await ada.confirm(ofClaude)
    expect(await ada.apps()).toHaveLength(2)
    expect((await ada.get()).text).toContain('evil.example')
    expect((await ada.get()).text).not.toContain('claude.example')
  })

  it('shows twenty sign-ins of an app, and those that were used last', async () => {
    const { ada } = await hostWith()
    const clock = stopClock()
    for (let count = 0; count < 21; count++) {
      await ada.connect('travel')
      clock.advance(86_400)
    }
    const page = await ada.get()
    expect(textOf(page.text)).toContain('Sign-ins: 21')
    expect(buttonsOn(page).filter((asked) => asked.startsWith('disconnect=one'))).toHaveLength(20)
    expect(page.text).not.toContain('Connected 21 days ago')
    expect(page.text).toContain('Connected 20 days ago')
  })

  it('says nothing that a link or another site says', async () => {
    const { ada } = await hostWith()
    await ada.connect('travel')
    const { text: plain } = await ada.get()
    for (const asked of [one('travel'), 'disconnect=all', 'page=Call+0800+123']) {
      expect((await ada.get(`?${asked}`).expect(200)).text).toBe(plain)
      expect((await ada.ask(asked).set('Sec-Fetch-Site', 'cross-site').expect(303)).text).toBe('')
    }
  })

  it.each([['before'], ['after']])(
    'says that the company manages one that it has connected %s the customer',
    async (when) => {
      const trustedIssuers = [{ issuer: 'https://sso.acme.example', subject: 'sub' }]
      const company = { key: 'acme', name: 'acme Inc', clients, trustedIssuers }
      const managed = 'The sign-in of <bdi>acme Inc</bdi> has connected this app, and can connect it again.'
      const { host, ada } = await hostWith({ tenantStore: new MemoryTenantStore([company]) })
      const vouched = await assertionFor(host.signIn, { tenantKey: 'acme', subject: 'ada', clientId: 'travel' })
      if (when === 'before') await vouched.redeem()
      await ada.connect('travel')
      expect((await ada.get()).text.includes(managed)).toBe(when === 'before')
      if (when === 'after') await vouched.redeem()
      expect((await ada.get()).text).toContain(managed)
    },
  )

  it('asks before it disconnects one app, and says how long access lasts', async () => {
    const { host, ada } = await hostWith()
    for (const clientId of ['travel', 'travel', 'notes']) await ada.connect(clientId)
    const list = await ada.get().expect(200)
    expect(buttonsOn(list)).toContain(one('travel'))
    const { text } = await ada.ask(one('travel')).expect(200)
    expect(text).toContain('Disconnect <bdi>My travel</bdi> from <bdi>acme Inc</bdi>?')
    expect(text).toContain('Access ends in 1 hour at the latest. You can connect again at any time.')
    expect(await ada.apps()).toEqual(['notes', 'travel', 'travel'])
    const { headers } = await ada.confirm(one('travel'))
    expect(headers.location).toBe('?')
    const ended = host.signIn.events.filter(({ type }) => type === 'revoked')
    expect(ended).toMatchObject(Array(2).fill({ reason: 'host', actor: 'customer', clientId: 'travel' }))
    expect(await ada.apps()).toEqual(['notes'])
  })

  it('disconnects all of its customer, and nothing of others', async () => {
    const { of, ada } = await hostWith()
    const others = [of('acme/bob'), of('globex/ada')]
    for (const each of [ada, ...others]) await each.connect('travel')
    await ada.connect('notes')
    await ada.confirm('disconnect=all')
    expect(await ada.apps()).toEqual([])
    for (const each of others) expect(await each.apps()).toEqual(['travel'])
  })

  it('goes back to the list without a change if its customer presses Cancel', async () => {
    const { ada } = await hostWith()
    await ada.connect('travel')
    const { headers } = await ada.post({ ...(await ada.question(one('travel'))), decision: 'deny' }).expect(303)
    expect(headers).toMatchObject({ location: '?', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    expect(await ada.apps()).toEqual(['travel'])
  })

  it('takes no form of another customer, company, app or page', async () => {
    const { of, ada } = await hostWith()
    const all = [ada, of('acme/bob'), of('globex/ada')]
    for (const each of all) for (const clientId of ['travel', 'notes']) await each.connect(clientId)
    const tokens = await Promise.all(
      all.flatMap((each) => [one('travel'), one('notes'), 'disconnect=all'].map((query) => each.question(query))),
    )
    for (const [place, each] of all.entries()) {
      for (const [number, { page_token = '' }] of tokens.entries()) {
        for (const [kind, asked] of [one('travel'), one('notes'), 'disconnect=all'].entries()) {
          if (number === place * 3 + kind) continue
          const fields = Object.fromEntries(new URLSearchParams(asked))
          const { text } = await each.post({ page_token, ...fields, ...allow }).expect(200)
          expect(text).toContain('name="page_token"')
        }
      }
      expect(await each.apps()).toEqual(['notes', 'travel'])
    }
  })

  it.each(['cross-site', 'same-site', 'x'])('takes no form that the browser calls %s', async (site) => {
    const { ada } = await hostWith()
    await ada.connect('travel')
    const form = { ...(await ada.question(one('travel'))), ...allow }
    await ada.post(form).set('Sec-Fetch-Site', site).expect(303)
    expect(await ada.apps()).toEqual(['travel'])
    // Behind helmet, Origin is null.
    await ada.post(form).set({ 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }).expect(303)
    expect(await ada.apps()).toEqual([])
  })

  it('asks again for a form that is too old, malformed or without an answer', async () => {
    const { host, ada } = await hostWith()
    await ada.connect('travel')
    const form = { ...(await ada.question(one('travel'))), ...allow }
    for (const changed of [
      { ...form, page_token: '' },
      { ...form, page_token: 'x' },
    ])
      await ada.post(changed).expect(200)
    await ada.post({ ...form, decision: 'other' }).expect(303)
    host.signIn.clock.advance(601)
    await ada.post(form).expect(200)
    expect(await ada.apps()).toEqual(['travel'])
  })

  it('takes a form once', async () => {
    const { ada } = await hostWith()
    await ada.connect('travel')
    const form = { ...(await ada.question(one('travel'))), ...allow }
    await ada.post(form).expect(303)
    await ada.connect('travel')
    await ada.post(form).expect(200, /name="page_token"/)
    expect(await ada.apps()).toEqual(['travel'])
  })

  it('asks about nothing that is not connected', async () => {
    const { ada } = await hostWith()
    await ada.connect('travel')
    for (const query of [
      one('mail'),
      one(''),
      'disconnect=one',
      'disconnect=other',
      `${one('travel')}&app=mail`,
      'disconnect=app',
      `disconnect=one&app=${digest('client', 'travel')}`,
      `disconnect=one&app=${digest('client', 'travel')}&sign_in=other`,
    ]) {
      const { text } = await ada.ask(query).expect(200)
      expect(text).toContain('<h1>Connected apps</h1>')
    }
  })

  it('is in the language of its customer', async () => {
    const { ada } = await hostWith()
    await ada.connect('travel')
    for (const [tag, { connected }] of Object.entries(packagedWords)) {
      const { text } = await ada.get().set('Accept-Language', tag)
      expect(text).toContain(`<html lang="${tag}"`)
      expect(text).toContain(`<h1>${connected.title}</h1>`)
      const { text: question } = await ada.ask(one('travel')).set('Accept-Language', tag)
      expect(question).toContain(`aria-label="${connected.cancel}"`)
    }
  })

  it('escapes what an app calls itself', async () => {
    const name = '<b>"Bold" & \'co\'</b>'
    const records = [
      { key: 'acme', id: 'acme', clients: [{ clientId: 'travel', clientName: name, redirectUris: [redirectUri] }] },
    ]
    const { ada } = await hostWith({ tenantStore: new MemoryTenantStore(records) })
    await ada.connect('travel')
    for (const asked of ['', one('travel')]) expect((await ada.ask(asked)).text).not.toContain('<b>')
  })
})
