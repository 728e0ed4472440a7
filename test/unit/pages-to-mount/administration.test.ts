import { MemoryTokenStore, type SavedRules, type Tenant } from 'customer-sign-in'
import type { Grant } from 'customer-sign-in/store'
import { tokensFor } from 'customer-sign-in/testing'
import type { Request } from 'express'
import { packagedWords } from '../../../src/pages/languages'
import { digest } from '../../../src/protocol/digest'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { ApiHost } from '../../support/api-host'
import { hiddenFields, textOf } from '../../support/consent-form'
import { DocumentServer } from '../../support/document-server'
import { faultyStore, rejects } from '../../support/faulty-store'
import { buttonsOn, PageVisitor, sessionIn } from '../../support/page-visitor'
import { registered } from '../../support/registration'
import { redirectUri } from '../../support/sign-in'
import type { TestOptions } from '../../support/test-options'
import { wrapStore } from '../../support/wrap-store'

const path = '/admin'
const clients = ['travel', 'notes'].map((clientId) => ({
  clientId,
  clientName: `My ${clientId}`,
  redirectUris: [redirectUri],
}))

/** A host whose session is a header, with two companies and their staff. */
async function hostWith(record: Partial<Tenant> = {}, options: TestOptions & { readOnly?: boolean } = {}) {
  const { readOnly = false, ...others } = options
  const companies = new Map<string, Tenant>(
    ['acme', 'globex'].map((key) => [key, { key, id: key, name: `${key} Inc`, clients, ...record }]),
  )
  const host = await ApiHost.start({ tenantStore: { findTenant: (key) => companies.get(key) }, ...others })
  const who = (req: Request) => {
    const [tenantKey, actor] = sessionIn(req)
    return { tenantKey, actor }
  }
  const saved: SavedRules[] = []
  const saveRules = (rules: SavedRules) => {
    saved.push(rules)
    const { tenantKey, allowedClients, blockedClients } = rules
    companies.set(tenantKey, { ...(companies.get(tenantKey) as Tenant), allowedClients, blockedClients })
  }
  host.app.use(path, host.signIn.pages.administration(readOnly ? { who } : { who, saveRules }))
  const of = (session: string) => new PageVisitor(host.baseUrl + path, session)
  return {
    host,
    companies,
    saved,
    of,
    sam: of('acme/staff:1'),
    connect: (subject: string, clientId: string, tenantKey = 'acme') =>
      tokensFor(host.signIn, { tenantKey, subject, clientId }),
    /** What is connected: customers and clients. */
    async connected(tenantKey = 'acme') {
      const { grants } = await host.signIn.grants.list({ tenantKey, anyCustomer: true })
      return grants.map(({ subject, clientName }) => `${subject}: ${clientName}`).sort()
    },
    register: (client_name: string, redirect_uri: string, tenantKey = 'acme') =>
      registered({ url: host.baseUrl }, { client_name, redirect_uris: [redirect_uri] }, tenantKey),
  }
}

/** A store whose list has no end: each entry is the first grant, of another customer. */
function endlessStore() {
  let customers = 0
  return wrapStore(new MemoryTokenStore(), async ({ method, args, apply }) => {
    if (method !== 'listGrants') return apply()
    const { grants } = Object(await apply())
    const copies = Array.from({ length: Object(args[0]).limit }, () => ({ ...grants[0], subject: `${customers++}` }))
    return { grants: copies, next: 'more' }
  })
}

/** A store that lists the first grant as that of these customers, each as often as it says, in this order. */
function crowdedStore(...customers: readonly [subject: string, grants: number][]) {
  const subjects = customers.flatMap(([subject, grants]) => Array<string>(grants).fill(subject))
  return wrapStore(new MemoryTokenStore(), async ({ method, args, apply }) => {
    const { limit, after = '0', subject } = Object(args[0])
    if (method !== 'listGrants' || subject !== undefined) return apply()
    const [grant] = Object(await apply()).grants
    const end = Number(after) + limit
    const grants = subjects.slice(Number(after), end).map((each) => ({ ...grant, subject: each }))
    return { grants, ...(end < subjects.length && { next: String(end) }) }
  })
}

const others = (number: number, grants = 1) =>
  Array.from({ length: number }, (_, each): [string, number] => [`customer-${each}`, grants])

/** A customer who has allowed an app, which has not redeemed its code yet. */
async function consented(host: ApiHost, subject: string, clientId: string) {
  const codeVerifier = 'v'.repeat(43)
  const { code } = await host.signIn.issueAuthorizationCode({
    tenantKey: 'acme',
    clientId,
    redirectUri,
    subject,
    codeChallenge: codeChallengeOf(codeVerifier),
    codeChallengeMethod: 'S256',
  })
  const fields = { client_id: clientId, code, redirect_uri: redirectUri, code_verifier: codeVerifier }
  const body = new URLSearchParams({ grant_type: 'authorization_code', ...fields })
  return () => fetch(`${host.issuer()}/token`, { method: 'POST', body })
}

/** What the button asks that disconnects an app: one of a company's own, or a registered one. */
const endApp = (clientId: string) => `ask=endApp&app=${digest('client', clientId)}`
const endRegistered = (name: string, host: string) => `ask=endApp&app=${digest('app', name, host)}`
const rule = (ask: string, list: string, value: string) => `ask=${ask}&list=${list}&value=${encodeURIComponent(value)}`
const namesOn = ({ text }: { text: string }) =>
  [...text.matchAll(/<h2>(.*)<\/h2>/g)].map(([heading]) => textOf(heading)).slice(0, -1)

describe('the page of a company’s staff', () => {
  it('shows what its customers have connected, how many, and nothing of other companies', async () => {
    const { connect, sam } = await hostWith()
    for (const subject of ['ada', 'bob', 'bob']) await connect(subject, 'travel')
    await connect('ada', 'notes')
    await connect('eve', 'notes', 'globex')
    const { text } = await sam.get().expect(200)
    expect(namesOn({ text })).toEqual(['My travel', 'My notes'])
    expect(textOf(text).replace(/\s+/g, ' ')).toMatch(/My travel .*Customers2 .*My notes .*Customers1 /)
  })

  it('shows assistants that register for each customer once, unless they lead elsewhere', async () => {
    const { connect, register, sam } = await hostWith()
    for (const subject of ['ada', 'bob']) await connect(subject, await register('Claude', 'https://claude.example/cb'))
    await connect('eve', await register('Claude', 'https://evil.example/cb'))
    const { text } = await sam.get()
    expect(namesOn({ text })).toEqual(['“Claude”', '“Claude”'])
    expect(textOf(text).replace(/\s+/g, ' ')).toMatch(/claude\.example Customers2 .*evil\.example Customers1 /)
  })

  it('says that there is nothing, in the language of who reads it', async () => {
    const trustedIssuers = [{ issuer: 'https://acme.okta.example', subject: 'email' }]
    const { sam } = await hostWith({ trustedIssuers })
    for (const [tag, words] of Object.entries(packagedWords)) {
      const { text } = await sam.get().set('Accept-Language', tag)
      expect(text).toContain(`<h1>${words.administration.title}</h1>`)
      expect(textOf(text)).toContain(words.administration.none.replace('{tenant}', 'acme Inc'))
      expect(textOf(text)).toContain('https://acme.okta.example')
      expect(text).not.toContain('value="endCustomer"')
      expect(Buffer.byteLength(text)).toBeLessThan(12_000)
    }
  })

  it('stays small with 200 apps, of which it shows ten at a time', async () => {
    const many = Array.from({ length: 200 }, (_, number) => ({
      clientId: `app-${number}`,
      clientName: `A name of sixty letters, which nobody has ever seen, and ${number}`,
      redirectUris: [redirectUri],
    }))
    const { connect, sam } = await hostWith({ clients: many })
    for (const [number, { clientId }] of many.entries()) await connect(number < 100 ? 'ada' : 'bob', clientId)
    const first = await sam.get().expect(200)
    expect(Buffer.byteLength(first.text)).toBeLessThan(12_000)
    expect(namesOn(first)).toHaveLength(10)
    const pages = await Promise.all(Array.from({ length: 20 }, (_, page) => sam.get(`?page=${page + 1}`)))
    expect(new Set(pages.flatMap(namesOn)).size).toBe(200)
    expect(namesOn(await sam.get('?page=21'))).toEqual([])
  })

  it('counts for two seconds, and says then that there is more', async () => {
    const { connect, sam } = await hostWith({}, { tokenStore: endlessStore() })
    await connect('ada', 'travel')
    // The clock moves by two seconds with each look at it, and a page of the list has 1,000 grants.
    let looks = 0
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => 2001 * looks++)
    const { text } = await sam.get()
    clock.mockRestore()
    expect(textOf(text)).toContain('Customersmore than 1,000')
  })

  it('counts 10,000 grants, and says then that there is more', async () => {
    const { connect, sam } = await hostWith({}, { tokenStore: endlessStore() })
    await connect('ada', 'travel')
    const { text } = await sam.get().expect(200)
    expect(textOf(text)).toContain('Customersmore than 10,000')
  })

  const mallory: [string, number][] = [['mallory', 12_000]]

  it.each([
    ['before', mallory, others(60)],
    ['after', others(60), mallory],
  ])(
    'counts all others beside a customer who has 12,000 grants, which the store lists %s theirs',
    async (_, first, last) => {
      const { connect, sam } = await hostWith({}, { tokenStore: crowdedStore(...first, ...last) })
      await connect('ada', 'travel')
      const { text } = await sam.get().expect(200)
      expect(textOf(text).replace(/\s+/g, ' ')).toMatch(/My travel .*Customers61 /)
    },
  )

  it('names a customer who has more than is counted, and can disconnect them', async () => {
    const { connect, sam } = await hostWith(
      {},
      { tokenStore: crowdedStore(['eve', 101], ['bob', 100], ['mallory\u202e', 1234]) },
    )
    await connect('mallory\u202e', 'travel')
    const { text } = await sam.get()
    const shown = textOf(text).replace(/\s+/g, ' ')
    expect(shown).toContain('Customers with very many connections The list counts at most 100 connections of each')
    expect(shown).toMatch(/Customer idmallory\[U\+202E\] Connections1,234 .*Customer ideve Connections101 /)
    expect(shown).not.toContain('bob')
    expect(buttonsOn({ text })).toContain('ask=endCustomer&customer=mallory%E2%80%AE')
  })

  it('shows what only such a customer has after what others have', async () => {
    const { connect, register, sam } = await hostWith()
    for (let count = 0; count < 101; count++) await connect('mallory', 'travel')
    await connect('mallory', await register('Spam', 'https://spam.example/cb'))
    await connect('ada', 'notes')
    expect(namesOn(await sam.get())[0]).toBe('My notes')
  })

  it('stays small if many customers have more than is counted', async () => {
    const { connect, sam } = await hostWith({}, { tokenStore: crowdedStore(...others(40, 200)) })
    await connect('customer-0', 'travel')
    const { text } = await sam.get()
    expect(Buffer.byteLength(text)).toBeLessThan(12_000)
    expect(text.match(/ask=endCustomer&#38;/g)).toHaveLength(3)
  })

  it('says nothing that a link says', async () => {
    const { connect, sam } = await hostWith()
    await connect('ada', 'travel')
    const { text: plain } = await sam.get()
    for (const query of [
      endApp('travel'),
      'ask=endCustomer&customer=ada',
      'ask=endCustomer&customer=Press+the+blue+button',
      'customer=Press+the+blue+button',
      'ask=endAll',
      rule('allow', 'clientIds', 'Call 0800 123'),
      rule('block', 'documentHosts', 'Call 0800 123'),
      'page=Call+0800+123',
      'asked=ask%3DendAll',
    ])
      expect((await sam.get(`?${query}`).expect(200)).text).toBe(plain)
  })

  it('says nothing that another site has sent', async () => {
    const { connect, sam } = await hostWith()
    await connect('ada', 'travel')
    for (const asked of [
      endApp('travel'),
      'ask=endCustomer&customer=ada',
      rule('block', 'documentHosts', 'Call 0800 123'),
    ]) {
      for (const site of ['cross-site', 'same-site']) {
        const { headers, text } = await sam.ask(asked).set('Sec-Fetch-Site', site).expect(303)
        expect([headers.location, text]).toEqual(['?', ''])
      }
      await sam.ask(asked).set('Sec-Fetch-Site', 'same-origin').expect(200)
    }
  })

  it.each(['Bob', 'ada ', 'Your session has ended. Call 0800 123', '\u202eada'])(
    'says that there is no customer with the id %j, and repeats it in no sentence',
    async (customer) => {
      const { connect, sam } = await hostWith()
      await connect('ada', 'travel')
      const { text } = await sam.post({ ask: 'endCustomer', customer }).expect(200)
      expect(textOf(text)).toContain('No customer with this id has connected an app.')
      expect(text).toContain(`value="${customer}" aria-invalid="true" aria-describedby="unknown"`)
      expect(textOf(text)).not.toContain(customer)
      expect((await sam.get()).text).not.toContain('No customer with this id')
    },
  )

  it('shows what nobody sees in an id', async () => {
    const { connect, sam } = await hostWith()
    await connect('\u3164', 'travel')
    const { text } = await sam.post({ ask: 'endCustomer', customer: '\u3164' })
    expect(text).toContain('<dt>Customer id</dt><dd><bdi>[U+3164]</bdi></dd>')
  })

  it('shows what nobody sees in a rule', async () => {
    const { sam } = await hostWith({ blockedClients: { clientIds: ['app  1'] } })
    const { text } = await sam.get().expect(200)
    expect(text).toContain('<b><bdi>app[U+0020][U+0020]1</bdi></b>')
    expect(textOf((await sam.ask(rule('allow', 'clientIds', 'a  b'))).text)).toContain('Client ida[U+0020][U+0020]b')
  })

  it('escapes what apps and rules call themselves', async () => {
    const { connect, register, sam } = await hostWith()
    await connect('<u>ada</u>', await register('<u>"Bold"</u>', redirectUri))
    const ofAda = 'ask=endCustomer&customer=%3Cu%3Eada%3C%2Fu%3E'
    for (const asked of [
      '',
      ofAda,
      `${ofAda}x`,
      rule('block', 'clientIds', '<u>'),
      rule('block', 'documentHosts', '<u>'),
    ])
      expect((await sam.ask(asked)).text).not.toContain('<u>')
  })
})

describe('the staff of a company', () => {
  it('end an app for all customers, after a question that says how long access lasts', async () => {
    const { host, connect, connected, sam } = await hostWith()
    for (const subject of ['ada', 'bob']) for (const clientId of ['travel', 'notes']) await connect(subject, clientId)
    const { text } = await sam.ask(endApp('travel')).expect(200)
    expect(text).toContain('Disconnect <bdi>My travel</bdi> from all customers of <bdi>acme Inc</bdi>?')
    expect(text).toContain('<title>Disconnect My travel from all customers of acme Inc?</title>')
    expect(text).toContain('@keyframes seen')
    expect(text).not.toContain('value="confirm"')
    expect(text).toContain('Access ends in 1 hour at the latest.')
    expect(text).not.toContain('You can connect again')
    expect(await connected()).toHaveLength(4)
    await sam.confirm(endApp('travel'))
    expect(await connected()).toEqual(['ada: My notes', 'bob: My notes'])
    const ended = host.signIn.events.filter(({ type }) => type === 'revoked')
    expect(ended).toMatchObject(Array(2).fill({ reason: 'host', actor: 'staff:1', clientId: 'travel' }))
  })

  it('end an app that registers for each customer, and no other of its name', async () => {
    const { connect, connected, register, sam } = await hostWith()
    const ids = [
      await register('Claude', 'https://claude.example/cb'),
      await register('Claude', 'https://claude.example/cb'),
    ]
    await connect('ada', String(ids[0]))
    await connect('bob', String(ids[1]))
    await connect('eve', await register('Claude', 'https://evil.example/cb'))
    await sam.confirm(endRegistered('Claude', 'claude.example'))
    expect(await connected()).toEqual(['eve: Claude'])
  })

  it('end an app on a device in whatever language they read', async () => {
    const { connect, connected, register, sam } = await hostWith()
    for (const subject of ['ada', 'bob']) await connect(subject, await register('Code', 'http://localhost:1234/cb'))
    const [disconnect = ''] = buttonsOn(await sam.get().set('Accept-Language', 'de'))
    const form = hiddenFields(await sam.ask(disconnect).set('Accept-Language', 'de'))
    await sam
      .post({ ...form, decision: 'allow' })
      .set('Accept-Language', 'de')
      .expect(303)
    expect(await connected()).toEqual([])
  })

  it('end the sign-ins of an app that are under way', async () => {
    const { host, connect, sam } = await hostWith()
    await connect('ada', 'travel')
    const redeem = await consented(host, 'bob', 'travel')
    await sam.confirm(endApp('travel'))
    const answer = await redeem()
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' })
  })

  it('end an app that registers for each customer also where it was not counted', async () => {
    let last = ''
    const isLast = ({ clientId }: { clientId: string }) => Number(clientId === last)
    const store = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
      const answer = await apply()
      if (method === 'listGrants') Object(answer).grants.sort((one: Grant, other: Grant) => isLast(one) - isLast(other))
      return answer
    })
    const { connect, connected, register, sam } = await hostWith({}, { tokenStore: store })
    const id = await register('Claude', 'https://claude.example/cb')
    for (let count = 0; count < 100; count++) await connect('ada', id)
    last = await register('Claude', 'https://claude.example/cb')
    await connect('ada', last)
    await sam.confirm(endRegistered('Claude', 'claude.example'))
    expect(await connected()).toEqual([])
  })

  it('see in a question which of two apps of one name it is about', async () => {
    const { connect, register, sam } = await hostWith()
    for (const name of ['claude', 'evil']) await connect('ada', await register('Claude', `https://${name}.example/cb`))
    const { text } = await sam.ask(endRegistered('Claude', 'evil.example'))
    expect(textOf(text)).toContain('evil.example')
    expect(text).not.toContain('claude.example')
  })

  it('end everything of one customer, or of everybody', async () => {
    const { host, connect, connected, sam } = await hostWith()
    for (const subject of ['ada', 'bob']) for (const clientId of ['travel', 'notes']) await connect(subject, clientId)
    await connect('ada', 'travel', 'globex')
    const { text } = await sam.ask('ask=endCustomer&customer=ada')
    expect(text).toContain('<h1>Disconnect all apps of this customer?</h1>')
    expect(text).toContain('<dt>Customer id</dt><dd><bdi>ada</bdi></dd>')
    await sam.confirm('ask=endCustomer&customer=ada')
    expect(await connected()).toEqual(['bob: My notes', 'bob: My travel'])
    await sam.confirm('ask=endAll')
    expect(await connected()).toEqual([])
    expect(await connected('globex')).toEqual(['ada: My travel'])
    const actors = host.signIn.events.filter(({ type }) => type === 'revoked').map((event) => Object(event).actor)
    expect(actors).toEqual(Array(4).fill('staff:1'))
  })

  it.each([
    [endApp('travel'), 'Disconnect'],
    ['ask=endCustomer&customer=ada', 'Disconnect all'],
    ['ask=endAll', 'Disconnect all customers'],
    [rule('block', 'redirectHosts', 'a.example'), 'Block'],
    [rule('unblock', 'redirectHosts', 'b.example'), 'Unblock'],
    [rule('allow', 'redirectHosts', 'c.example'), 'Allow'],
    [rule('remove', 'redirectHosts', 'd.example'), 'Remove'],
    ['ask=allowAll', 'Allow all apps'],
  ])('read at %s on the button what it does', async (query, label) => {
    const blockedClients = { redirectHosts: ['b.example'] }
    const { connect, sam } = await hostWith({ allowedClients: { redirectHosts: ['d.example'] }, blockedClients })
    await connect('ada', 'travel')
    const { text } = await sam.ask(query)
    expect(text).toContain(`value="allow" aria-label="${label}" tabindex="-1"><span>${label}</span></button>`)
  })

  it('change nothing without the question, or with Cancel', async () => {
    const { connect, connected, saved, sam } = await hostWith()
    await connect('ada', 'travel')
    for (const query of [
      endApp('travel'),
      'ask=endCustomer&customer=ada',
      'ask=endAll',
      rule('block', 'redirectHosts', 'a.example'),
    ]) {
      const form = await sam.question(query)
      expect(form.page_token).toBeTruthy()
      await sam.post({ ...form, decision: 'deny' }).expect(303)
      const { text } = await sam.post({ ...form, page_token: '', decision: 'allow' }).expect(200)
      expect(text).toContain('name="page_token"')
      await sam
        .post({ ...form, decision: 'allow' })
        .set('Sec-Fetch-Site', 'cross-site')
        .expect(303)
    }
    expect([await connected(), saved]).toEqual([['ada: My travel'], []])
  })

  it('cannot use a form of another company, of somebody else, or of another question', async () => {
    const named = { redirectHosts: ['a.example'] }
    const { connect, connected, of, saved } = await hostWith({ allowedClients: named, blockedClients: named })
    for (const company of ['acme', 'globex']) for (const app of ['travel', 'notes']) await connect('ada', app, company)
    const all = [of('acme/staff:1'), of('acme/staff:2'), of('globex/staff:1')]
    const queries = [
      endApp('travel'),
      endApp('notes'),
      'ask=endCustomer&customer=ada',
      'ask=endAll',
      ...['block', 'unblock', 'allow', 'remove'].map((ask) => rule(ask, 'redirectHosts', 'a.example')),
      rule('block', 'documentHosts', 'a.example'),
      rule('block', 'redirectHosts', 'b.example'),
      'ask=allowAll',
    ]
    const forms = await Promise.all(all.map((each) => Promise.all(queries.map((query) => each.question(query)))))
    const tokens = forms.flat().map(({ page_token }) => String(page_token))
    for (const [place, each] of all.entries()) {
      for (const [number, form] of (forms[place] ?? []).entries()) {
        for (const [other, page_token] of tokens.entries()) {
          const [isHere, isTheSame] = [Math.floor(other / queries.length) === place, other % queries.length === number]
          // Its own token, or one that differs in both.
          if (isHere === isTheSame) continue
          await each.post({ ...form, page_token, decision: 'allow' }).expect(200)
        }
      }
    }
    expect([await connected(), await connected('globex'), saved]).toEqual([
      ['ada: My notes', 'ada: My travel'],
      ['ada: My notes', 'ada: My travel'],
      [],
    ])
  })

  it('are asked about nothing that is not there', async () => {
    const { connect, sam } = await hostWith()
    // No form gives a line break back as it was.
    for (const subject of ['ada', 'a\nb']) await connect(subject, 'travel')
    for (const query of [
      endApp('mail'),
      endApp(''),
      'ask=endCustomer&customer=',
      'ask=other',

      rule('block', 'other', 'a.example'),
      rule('remove', 'redirectHosts', 'a.example'),
      rule('unblock', 'redirectHosts', 'a.example'),
      'ask=allowAll',
      rule('block', 'clientIds', 'travel'),
      'ask=endCustomer&customer=a%0Ab',
      rule('other', 'redirectHosts', 'a.example'),
    ])
      expect((await sam.ask(query).expect(200)).text).toContain('<h1>Administration</h1>')
  })

  it('cannot send a form again', async () => {
    const { connect, connected, sam } = await hostWith()
    await connect('ada', 'travel')
    const form = { ...(await sam.question(endApp('travel'))), decision: 'allow' }
    await sam.post(form).expect(303)
    await connect('ada', 'travel')
    const { text } = await sam.post(form).expect(200)
    expect(text).toContain('name="page_token"')
    expect(await connected()).toEqual(['ada: My travel'])
  })

  it('are asked again after thirty answers in a minute, of which the store remembers each', async () => {
    const { connected, connect, sam, of } = await hostWith()
    const block = rule('block', 'redirectHosts', 'a.example')
    for (let count = 0; count < 30; count++) await sam.confirm(block)
    await connect('ada', 'travel')
    const form = { ...(await sam.question(endApp('travel'))), decision: 'allow' }
    await sam.post(form).expect(200, /name="page_token"/)
    expect(await connected()).toEqual(['ada: My travel'])
    await of('acme/staff:2').confirm(endApp('travel'))
    expect(await connected()).toEqual([])
  })

  it('get an error page while the store cannot remember an answer, and send the form again later', async () => {
    const { store, next } = faultyStore()
    const { connect, connected, sam } = await hostWith({}, { tokenStore: store })
    await connect('ada', 'travel')
    const form = { ...(await sam.question(endApp('travel'))), decision: 'allow' }
    next('useOnce', rejects)
    await sam.post(form).expect(503)
    expect(await connected()).toEqual(['ada: My travel'])
    await sam.post(form).expect(303)
    expect(await connected()).toEqual([])
  })

  it('get an error page while the store fails, and nothing has ended', async () => {
    let fails = false
    const store = wrapStore(new MemoryTokenStore(), async ({ apply }) => {
      if (fails) throw new Error('down')
      return apply()
    })
    const { connect, connected, sam } = await hostWith({}, { tokenStore: store })
    await connect('ada', 'travel')
    const form = await sam.question('ask=endAll')
    fails = true
    await sam.post({ ...form, decision: 'allow' }).expect(503)
    fails = false
    expect(await connected()).toEqual(['ada: My travel'])
  })
})

describe('the rules of a company', () => {
  it('block a host: nobody can connect what leads there, and what is connected ends', async () => {
    const { connect, connected, register, sam, saved } = await hostWith()
    const evil = await register('Claude', 'https://evil.example/cb')
    await connect('ada', evil)
    await connect('ada', await register('Good', 'https://good.example/cb'))
    await connect('ada', 'travel')
    const { text } = await sam.get()
    expect(buttonsOn({ text })).toContain('ask=block&list=redirectHosts&value=evil.example')
    await sam.confirm(rule('block', 'redirectHosts', 'evil.example'))
    const blockedClients = { redirectHosts: ['evil.example'] }
    expect(await connected()).toEqual(['ada: Good', 'ada: My travel'])
    await expect(connect('bob', evil)).rejects.toThrow()
    const before = { allowedClients: undefined, blockedClients: undefined }
    expect(saved).toEqual([{ tenantKey: 'acme', actor: 'staff:1', allowedClients: null, blockedClients, before }])
    await sam.confirm(rule('unblock', 'redirectHosts', 'evil.example'))
    expect(saved.at(-1)).toMatchObject({ allowedClients: null, blockedClients: { redirectHosts: [] } })
    await connect('bob', evil)
  })

  it('block a host also where a port is named, and nothing of the company’s own', async () => {
    const { connect, connected, register, sam } = await hostWith()
    await connect('ada', 'travel')
    await connect('ada', await register('Evil', 'https://evil.example:8443/cb'))
    await sam.confirm(rule('block', 'redirectHosts', 'evil.example'))
    await sam.confirm(rule('block', 'redirectHosts', new URL(redirectUri).hostname))
    expect(await connected()).toEqual(['ada: My travel'])
  })

  it('have no button that a strange app could lead to somebody else’s host', async () => {
    const { host, connect, sam } = await hostWith()
    const redirect_uris = ['https://claude.ai/x', 'https://evil.example/cb']
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ client_name: 'Nice', redirect_uris })
    const answer = await fetch(`${host.issuer()}/register`, { method: 'POST', headers, body })
    const { client_id } = Object(await answer.json())
    await connect('ada', client_id)
    expect((await sam.get()).text).not.toContain('ask=block')
  })

  it('block a host that publishes apps, and leave what only leads there', async () => {
    const documents = await DocumentServer.start()
    const { host, connect, connected, register, sam } = await hostWith({}, { clients: { documents: 'with-loopback' } })
    const redeem = await consented(host, 'ada', documents.url())
    await redeem()
    expect(await connected()).toHaveLength(1)
    await connect('bob', await register('Code', 'http://localhost:1234/cb'))
    await sam.confirm(rule('block', 'documentHosts', 'localhost'))
    expect(await connected()).toEqual(['bob: Code'])
  })

  it('block one app, and leave others of its host', async () => {
    const { connect, connected, register, sam } = await hostWith()
    const [one, other] = [
      await register('One', 'https://app.example/1'),
      await register('Two', 'https://app.example/2'),
    ]
    for (const clientId of [one, other]) await connect('ada', clientId)
    await sam.confirm(rule('block', 'clientIds', one))
    expect(await connected()).toEqual(['ada: Two'])
  })

  it('allow by name, and say that nothing else is allowed then', async () => {
    const { register, connect, sam, saved } = await hostWith()
    const app = await register('One', 'https://app.example/1')
    const effect = 'Then only apps that are allowed here can connect. All others stop.'
    expect((await sam.ask(rule('allow', 'redirectHosts', 'claude.ai'))).text).toContain(effect)
    await sam.confirm(rule('allow', 'redirectHosts', 'claude.ai'))
    await expect(connect('ada', app)).rejects.toThrow()
    expect((await sam.ask(rule('allow', 'redirectHosts', 'app.example'))).text).not.toContain(effect)
    await sam.confirm(rule('allow', 'redirectHosts', 'app.example'))
    await connect('ada', app)
    expect((await sam.get()).text).toContain('Only these:')
    await sam.confirm(rule('remove', 'redirectHosts', 'app.example'))
    expect(saved.at(-1)).toMatchObject({ allowedClients: { redirectHosts: ['claude.ai'] }, blockedClients: null })
    await sam.confirm('ask=allowAll')
    expect(saved.at(-1)).toMatchObject({ allowedClients: null, blockedClients: null })
    await connect('bob', app)
  })

  it('are lifted only where they are', async () => {
    const { sam } = await hostWith({ allowedClients: { redirectHosts: ['a.example', 'b.example'] } })
    const { text } = await sam.ask(rule('unblock', 'redirectHosts', 'a.example')).expect(200)
    expect(text).toContain('<h1>Administration</h1>')
  })

  it('say that nothing can connect once the last one is removed', async () => {
    const { sam } = await hostWith({ allowedClients: { redirectHosts: ['a.example', 'b.example'] } })
    const last = 'Then no app can connect, and what is connected stops.'
    expect((await sam.ask(rule('remove', 'redirectHosts', 'a.example'))).text).not.toContain(last)
    await sam.confirm(rule('remove', 'redirectHosts', 'a.example'))
    expect((await sam.ask(rule('remove', 'redirectHosts', 'b.example'))).text).toContain(last)
  })

  it('begin with those for all companies, which no button lifts', async () => {
    const allowed = { redirectHosts: ['claude.ai'] }
    const blocked = { documentHosts: ['evil.example'] }
    const { sam, saved } = await hostWith({}, { clients: { allowed, blocked } })
    const { text } = await sam.get()
    for (const shown of ['Only these:', 'claude.ai', 'evil.example']) expect(text).toContain(shown)
    expect(buttonsOn({ text })).toEqual(['ask=remove&list=redirectHosts&value=claude.ai'])
    await sam.confirm(rule('allow', 'redirectHosts', 'a.example'))
    expect(saved.at(-1)).toMatchObject({
      allowedClients: { redirectHosts: ['claude.ai', 'a.example'] },
      blockedClients: null,
    })
    expect((await sam.get()).text).not.toContain('ask=allowAll')
    await sam.confirm(rule('block', 'redirectHosts', 'b.example'))
    expect(saved.at(-1)).toMatchObject({ blockedClients: { redirectHosts: ['b.example'] } })
    const shown = (await sam.get()).text
    expect(shown.split('<b><bdi>b.example</bdi></b>')).toHaveLength(2)
    expect(shown).toContain('aria-label="Unblock: b.example"')
    expect(shown).toContain('<option value="clientIds">Client id</option>')
  })

  it.each([
    ['block', 'redirectHosts', 'Block these apps?', 'Sign-ins end at'],
    ['unblock', 'documentHosts', 'Unblock these apps?', 'Published by'],
    ['allow', 'clientIds', 'Allow these apps?', 'Client id'],
    ['remove', 'documentHosts', 'Remove these from the allowed apps?', 'Published by'],
  ])('stand in a row of their own where they are asked about: %s', async (ask, list, question, label) => {
    const some = { documentHosts: ['a.example'] }
    const { sam } = await hostWith({ allowedClients: some, blockedClients: some })
    const { text } = await sam.ask(rule(ask, list, 'a.example'))
    expect(text).toContain(`<h1>${question}</h1>`)
    expect(text).toContain(`<dt>${label}</dt><dd><bdi>a.example</bdi></dd>`)
  })

  it('keep everything else that the record has', async () => {
    const allowedClients = { clientIds: ['https://a.example/client'], redirectHosts: null }
    const { sam, saved } = await hostWith({ allowedClients, blockedClients: { documentHosts: ['evil.example'] } })
    await sam.confirm(rule('allow', 'documentHosts', 'claude.ai'))
    await sam.confirm(rule('allow', 'documentHosts', 'claude.ai'))
    expect(saved.at(-1)).toMatchObject({
      tenantKey: 'acme',
      actor: 'staff:1',
      allowedClients: { clientIds: ['https://a.example/client'], documentHosts: ['claude.ai'] },
      blockedClients: { documentHosts: ['evil.example'] },
    })
  })

  it('that somebody else has changed meanwhile are asked about again', async () => {
    const { sam, of, saved } = await hostWith()
    const form = await sam.question(rule('block', 'redirectHosts', 'a.example'))
    await of('acme/staff:2').confirm(rule('block', 'redirectHosts', 'b.example'))
    await sam.post({ ...form, decision: 'allow' }).expect(200)
    expect(saved).toHaveLength(1)
    await sam.confirm(rule('block', 'redirectHosts', 'a.example'))
    expect(saved.at(-1)?.blockedClients).toEqual({ redirectHosts: ['b.example', 'a.example'] })
  })

  it.each([
    ['127.0.0.1', 'localhost'],
    ['[::1]:8080', 'localhost'],
    ['localhost:39417', 'localhost'],
    ['http://localhost:39417/callback', 'localhost'],
    ['https://claude.ai/api/mcp/auth_callback', 'claude.ai'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor:'],
    ['cursor:', 'cursor:'],
    [' claude.ai ', 'claude.ai'],
  ])('say where %s leads', async (given, host) => {
    const { sam, saved } = await hostWith()
    await sam.confirm(rule('block', 'redirectHosts', given))
    expect(saved.at(-1)?.blockedClients).toEqual({ redirectHosts: [host] })
  })

  it.each([
    ['redirectHosts', 'https://claude ai'],
    ['documentHosts', 'https://claude.ai'],
    ['documentHosts', 'Claude AI'],
    ['redirectHosts', '*'],
    ['redirectHosts', 'claude.ai:8443'],
  ])('cannot name %s as %s, and the page says so', async (list, value) => {
    const { sam, saved } = await hostWith()
    const { text } = await sam.ask(rule('block', list, value)).expect(200)
    expect(textOf(text)).toContain('This is not a host or client id.')
    expect(text).toContain(`value="${value}" aria-invalid="true" aria-describedby="wrong"`)
    expect(textOf(text)).not.toContain(value)
    await sam.post({ ask: 'block', list, value, decision: 'allow' }).expect(303)
    expect(saved).toEqual([])
  })

  it('are only shown where the host does not save them', async () => {
    const record = {
      allowedClients: { redirectHosts: ['claude.ai'] },
      blockedClients: { documentHosts: ['evil.example'] },
    }
    const { connect, sam, saved } = await hostWith(record, { readOnly: true })
    await connect('ada', 'travel')
    const { text } = await sam.get()
    for (const shown of ['claude.ai', 'evil.example']) expect(text).toContain(shown)
    expect(text).not.toMatch(/ask=(block|unblock|remove|allow)|name="value"/)
    expect(buttonsOn({ text })).toEqual([endApp('travel'), 'ask=endAll'])
    for (const query of [rule('block', 'redirectHosts', 'a.example'), 'ask=allowAll'])
      expect((await sam.ask(query)).text).toContain('<h1>Administration</h1>')
    expect(saved).toEqual([])
  })

  it('that cannot be saved are a fault of the host, and nothing ends', async () => {
    const { host, connect, connected } = await hostWith()
    await connect('ada', 'travel')
    const saveRules = () => Promise.reject(new Error('read only'))
    host.app.use(
      '/other',
      host.signIn.pages.administration({ who: () => ({ tenantKey: 'acme', actor: 'staff:1' }), saveRules }),
    )
    const sam = new PageVisitor(`${host.baseUrl}/other`, '')
    const form = await sam.question(rule('block', 'redirectHosts', 'a.example'))
    await sam.post({ ...form, decision: 'allow' }).expect(503)
    expect(host.signIn.events.at(-1)).toMatchObject({
      type: 'error',
      where: 'pages.administration',
      reason: 'hook_failed',
    })
    expect(host.signIn.events.at(-1)).not.toHaveProperty('actor')
    expect(await connected()).toEqual(['ada: My travel'])
  })
})
