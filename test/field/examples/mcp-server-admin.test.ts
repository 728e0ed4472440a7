import type { CustomerSignInEvent } from 'customer-sign-in'
import type { BrowserContextOptions, Page } from 'playwright-core'
import supertest, { type Test } from 'supertest'
import { type Company, companies } from '../../../examples/mcp-server/companies'
import { createHost } from '../../../examples/mcp-server/host'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { consentForm } from '../../support/consent-form'
import { HostApp } from '../../support/host-app'

const codeVerifier = 'v'.repeat(43)
const redirectUri = 'https://assistant.example/callback'
const asSaved = new Map(companies)

let app: HostApp
let events: CustomerSignInEvent[]
beforeEach(async () => {
  events = []
  app = await HostApp.start((origin) => createHost(origin, (event) => events.push(event)))
})
afterEach(async () => {
  for (const [key, company] of asSaved) companies.set(key, company)
  await app.stop()
})

/** Somebody who has logged in at Acme Air. */
async function loggedIn(name: string) {
  const agent = supertest.agent(app.origin)
  await agent.post('/v1/acme/login').type('form').send({ name }).expect(303)
  return agent
}

/** An assistant that has registered with Acme Air. */
async function registered(client_name = 'Travel Assistant', redirect_uri = redirectUri): Promise<string> {
  const metadata = { client_name, redirect_uris: [redirect_uri] }
  const { body } = await supertest(app.origin).post('/v1/acme/oauth/register').send(metadata).expect(201)
  return body.client_id
}

/** Where the assistant sends a customer's browser. */
function authorizePath(clientId: string): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'profile',
    code_challenge: codeChallengeOf(codeVerifier),
    code_challenge_method: 'S256',
  })
  return `/v1/acme/oauth/authorize?${query}`
}

function redeem(client_id: string, grant: Record<string, unknown>): Test {
  return supertest(app.origin)
    .post('/v1/acme/oauth/token')
    .type('form')
    .send({ client_id, ...grant })
}

/** A customer connects an assistant. @returns How it refreshes. */
async function connected(customer: string, clientId: string) {
  const agent = await loggedIn(customer)
  const { token } = consentForm(await agent.get(authorizePath(clientId)).expect(200))
  const allowing = agent.post(authorizePath(clientId)).type('form')
  const { headers } = await allowing.send({ consent_token: token, decision: 'allow' }).expect(303)
  const code = new URL(headers.location ?? '').searchParams.get('code')
  const grant_type = 'authorization_code'
  const { body } = await redeem(clientId, { grant_type, code, redirect_uri: redirectUri, code_verifier: codeVerifier })
  return () => redeem(clientId, { grant_type: 'refresh_token', refresh_token: body.refresh_token })
}

/** The page in a new browser in which somebody of the staff has logged in. */
async function opened(options: BrowserContextOptions = {}, name = 'Sam'): Promise<Page> {
  const page = await (await newBrowser(options)).newPage()
  await page.goto(`${app.origin}/v1/acme/admin`)
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: 'Log in' }).click()
  return page
}

async function block(page: Page, kind: string, value: string): Promise<void> {
  await page.getByLabel('Which apps').selectOption(kind)
  await page.getByLabel('Host or client id').fill(value)
  await page.getByRole('button', { name: 'Block', exact: true }).click()
}

const names = (page: Page) => page.getByRole('heading', { level: 3 }).allTextContents()
const revokedBy = () => events.map((event) => event.type === 'revoked' && [event.subject, event.reason, event.actor])

describeWithBrowser('the administration page of the MCP server', () => {
  it('lists which customers have connected which apps', async () => {
    const clientId = await registered()
    await connected('Ada', clientId)
    const page = await opened()
    await page.getByRole('heading', { name: 'Administration: Acme Air' }).waitFor()
    expect(await names(page)).toEqual(['Ada'])
    await page.getByText('Travel Assistant').first().waitFor()
    const definitions = await page.getByRole('definition').allTextContents()
    expect(definitions).toEqual(expect.arrayContaining([clientId, 'assistant.example']))
    await page.getByText('Know who you are').waitFor()
  })

  it('blocks an app, which disconnects its customers', async () => {
    const clientId = await registered()
    const refresh = await connected('Ada', clientId)
    const page = await opened()
    await page.getByRole('button', { name: `Block the app: Travel Assistant, ${clientId}` }).click()
    await page.getByText('Nothing on this page.').waitFor()
    await page.getByRole('button', { name: `Allow again: ${clientId}` }).waitFor()
    await refresh().expect(400)
    await (await loggedIn('Ada')).get(authorizePath(clientId)).expect(403)
    expect(revokedBy()).toContainEqual(['Ada', 'host', 'staff:42'])
  })

  it('disconnects one customer, whose app can no longer refresh', async () => {
    const clientId = await registered()
    const [adas, bobs] = await Promise.all([connected('Ada', clientId), connected('Bob', clientId)])
    const page = await opened()
    await page.getByRole('button', { name: 'Disconnect: Ada, Travel Assistant' }).click()
    await page.getByRole('heading', { name: 'Ada' }).waitFor({ state: 'detached' })
    expect(await names(page)).toEqual(['Bob'])
    expect((await adas().expect(400)).body.error).toBe('invalid_grant')
    await bobs().expect(200)
    expect(revokedBy()).toContainEqual(['Ada', 'host', 'staff:42'])
  })

  it('signs everybody out, once the staff is sure', async () => {
    const clientId = await registered()
    const refreshes = await Promise.all([connected('Ada', clientId), connected('Bob', clientId)])
    const page = await opened()
    const end = page.getByRole('button', { name: 'Sign everybody out' })
    await end.click()
    expect(await page.evaluate('document.activeElement.name')).toBe('sure')
    await page.getByLabel('I am sure').check()
    await end.click()
    await page.getByText('Nothing on this page.').waitFor()
    expect(await names(page)).toEqual([])
    for (const refresh of refreshes) await refresh().expect(400)
    expect(revokedBy()).toEqual(
      expect.arrayContaining([
        ['Ada', 'host', 'staff:42'],
        ['Bob', 'host', 'staff:42'],
      ]),
    )
  })

  it('blocks a host that customers are sent to: they see that the company does not allow the app', async () => {
    const clientId = await registered()
    const refresh = await connected('Ada', clientId)
    const page = await opened()
    await block(page, 'Apps that send customers to this host', 'assistant.example')
    await page.getByRole('button', { name: 'Allow again: assistant.example' }).waitFor()
    expect((await refresh().expect(400)).body.error).toBe('invalid_grant')

    const customers = await (await newBrowser()).newPage()
    const refused = await customers.goto(`${app.origin}${authorizePath(clientId)}`)
    expect(refused?.status()).toBe(403)
    await customers.getByText('Acme Air does not allow this app to connect.').waitFor()

    await page.getByRole('button', { name: 'Allow again: assistant.example' }).click()
    await page.getByRole('button', { name: 'Allow again' }).waitFor({ state: 'detached' })
    await customers.reload()
    await customers.getByRole('heading', { name: 'Log in to Acme Air' }).waitFor()
  })

  it('blocks one client by its id, and leaves the others', async () => {
    const [one, other] = [await registered('One'), await registered('Other')]
    const page = await opened()
    await block(page, 'The app with this client id', one)
    await page.getByRole('button', { name: `Allow again: ${one}` }).waitFor()
    const agent = await loggedIn('Ada')
    await agent.get(authorizePath(one)).expect(403)
    await agent.get(authorizePath(other)).expect(200)
  })

  it('says why it does not save a wrong entry, and keeps what was typed', async () => {
    const page = await opened()
    const typed = 'https://assistant.example/"'
    await block(page, 'Apps that this host publishes', typed)
    const problem = page.getByRole('alert')
    expect(await problem.textContent()).toMatch(
      /^Not saved: The entry must be a host in lower case, such as claude\.ai, .* but is "https:/,
    )
    expect(await page.getByLabel('Host or client id').inputValue()).toBe(typed)
    expect(await page.getByLabel('Which apps').inputValue()).toBe('documentHosts')
    expect(await findings(page)).toEqual([])
    expect(companies.get('acme')).toBe(asSaved.get('acme'))

    await block(page, 'Apps that this host publishes', 'assistant.example')
    await page.getByRole('button', { name: 'Allow again: assistant.example' }).waitFor()
    expect(await problem.count()).toBe(0)
  })

  it('leads to the next page of customers', async () => {
    const clientId = await registered()
    for (let n = 0; n < 21; n++) await connected(`Customer ${n}`, clientId)
    const page = await opened()
    const seen = new Set(await names(page))
    expect(seen.size).toBe(20)
    await page.getByRole('link', { name: 'More customers' }).click()
    await page.getByRole('link', { name: 'More customers' }).waitFor({ state: 'detached' })
    for (const name of await names(page)) seen.add(name)
    expect(seen.size).toBe(21)
    // The page stays the same when something on it has been removed.
    await page.getByRole('button', { name: /^Disconnect: / }).click()
    await page.getByRole('button', { name: /^Disconnect: / }).waitFor({ state: 'detached' })
    expect(await names(page)).toHaveLength(0)
  })

  it('shows a customer that it is for staff, and lets somebody of the staff log in', async () => {
    const page = await opened({}, 'Ada')
    await page.getByText('Only the staff of Acme Air can open this page.').waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Log in as somebody else' }).click()
    await page.getByLabel('Your name').fill('Sam')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Connected customers' }).waitFor()
  })

  it('is in German for a browser that asks for German', async () => {
    await connected('Ada', await registered())
    const page = await opened({ locale: 'de-AT' })
    await page.getByRole('heading', { name: 'Verwaltung: Acme Air' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByText('Wissen, wer Sie sind').waitFor()
    await page.getByRole('button', { name: 'Trennen: Ada, Travel Assistant' }).click()
    await page.getByText('Auf dieser Seite ist nichts.').waitFor()
    await page.getByLabel('Host oder Client-ID').fill('Assistant.Example')
    await page.getByRole('button', { name: 'Sperren' }).click()
    expect(await page.getByRole('alert').locator('[lang=en]').textContent()).toMatch(/^The entry must be a host/)
  })

  it('fits a screen of 320 pixels, also with names without spaces', async () => {
    await connected('A'.repeat(60), await registered('W'.repeat(60)))
    companies.set('acme', { ...(companies.get('acme') as Company), blockedClients: { clientIds: ['x'.repeat(200)] } })
    const page = await opened({ viewport: { width: 320, height: 568 } })
    await page.getByRole('heading', { name: 'Connected customers' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    for (const element of await page.locator('h1, h2, h3, p, li, dd, button, input:not([type=hidden]), select').all()) {
      const { x, width } = (await element.boundingBox()) ?? { x: Number.NaN, width: Number.NaN }
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(320)
    }
  })

  it.each(['light', 'dark'] as const)('has no fault that axe finds in a %s browser', async (colorScheme) => {
    await connected('Ada', await registered())
    companies.set('acme', { ...(companies.get('acme') as Company), blockedClients: { redirectHosts: ['localhost'] } })
    const page = await opened({ colorScheme })
    await page.getByRole('button', { name: 'Allow again: localhost' }).waitFor()
    expect(await findings(page)).toEqual([])
  })
})

describe('the administration page of the MCP server, without a browser', () => {
  const post = (agent: Awaited<ReturnType<typeof loggedIn>>, form: Record<string, unknown>) =>
    agent.post('/v1/acme/admin').type('form').send(form)

  it('is for the staff of this company alone', async () => {
    const nobody = await supertest(app.origin).get('/v1/acme/admin').expect(303)
    expect(nobody.headers.location).toBe(`/v1/acme/login?next=${encodeURIComponent(`${app.origin}/v1/acme/admin`)}`)
    await supertest(app.origin).get('/v1/initech/admin').expect(404)
    await (await loggedIn('Sam')).get('/v1/globex/admin').expect(303)
    // Kim is staff of the other company, and a member of every object has the last name.
    for (const name of ['Ada', 'Kim', 'constructor']) await (await loggedIn(name)).get('/v1/acme/admin').expect(403)
  })

  it('does nothing for a customer, for nobody, or for a form on another site', async () => {
    const refresh = await connected('Ada', await registered())
    const form = { action: 'end', sure: 'yes' }
    await post(await loggedIn('Ada'), form).expect(403)
    await post(supertest.agent(app.origin), form).expect(303)
    await post(await loggedIn('Sam'), form)
      .set('Origin', 'https://evil.example')
      .expect(403)
    await refresh().expect(200)
  })

  it.each([
    {},
    { action: 'disconnect', value: '' },
    { action: 'end' },
    { action: 'block', list: 'constructor', value: 'assistant.example' },
    { action: 'allow', list: 'redirectHosts' },
    { action: 'erase', value: 'acme' },
  ])('refuses the form %j', async (form) => {
    await post(await loggedIn('Sam'), form).expect(400)
    expect(companies.get('acme')).toBe(asSaved.get('acme'))
  })

  it('shows what apps and customers have written as text, and runs no script', async () => {
    await connected('<i>Ada</i>', await registered('<b>Bold</b>'))
    const { text, headers } = await (await loggedIn('Sam')).get('/v1/acme/admin').expect(200)
    expect(text).toContain('<bdi>&lt;b&gt;Bold&lt;/b&gt;</bdi>')
    expect(text).toContain('<bdi>&lt;i&gt;Ada&lt;/i&gt;</bdi>')
    expect(text).not.toMatch(/<[ib]>/)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers['cache-control']).toBe('no-store')
  })

  it('lists an app once that is blocked twice', async () => {
    const sam = await loggedIn('Sam')
    const form = { action: 'block', list: 'redirectHosts', value: ' cursor: ' }
    for (const _ of [1, 2]) await post(sam, form).expect(303)
    expect(companies.get('acme')?.blockedClients).toEqual({ redirectHosts: ['cursor:'] })
  })
})
