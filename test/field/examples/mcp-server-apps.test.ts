import type { BrowserContextOptions, Page } from 'playwright-core'
import supertest from 'supertest'
import { Callback } from '../../../examples/mcp-server/callback'
import { createHost } from '../../../examples/mcp-server/host'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { HostApp } from '../../support/host-app'

const codeVerifier = 'v'.repeat(43)

let app: HostApp
let callback: Callback
beforeAll(async () => {
  app = await HostApp.start((origin) => createHost(origin, () => {}))
  callback = await Callback.listen()
})
afterAll(async () => {
  callback.close()
  await app.stop()
})

/** An assistant that a customer has connected in a browser, and the customer's page of connected apps. */
async function connected(options: BrowserContextOptions = {}, name = 'Travel Assistant') {
  const page = await (await newBrowser(options)).newPage()
  const { clientId, ...tokens } = await connect(page, name)
  await page.goto(`${app.origin}/v1/acme/apps`)
  const refresh = (refresh_token = tokens.refresh_token) =>
    supertest(app.origin)
      .post('/v1/acme/oauth/token')
      .type('form')
      .send({ grant_type: 'refresh_token', client_id: clientId, refresh_token })
  return { page, refresh }
}

async function connect(page: Page, client_name: string, registered?: string) {
  const redirect_uri = callback.redirectUri
  const metadata = { client_name, redirect_uris: [redirect_uri] }
  const registering = () => supertest(app.origin).post('/v1/acme/oauth/register').send(metadata).expect(201)
  const clientId: string = registered ?? (await registering()).body.client_id
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri,
    scope: 'profile trips:write',
    code_challenge: codeChallengeOf(codeVerifier),
    code_challenge_method: 'S256',
    prompt: 'consent',
  })
  await page.goto(`${app.origin}/v1/acme/oauth/authorize?${query}`)
  if (page.url().includes('/login')) {
    await page.getByLabel('Your name').fill(`Ada ${clientId.slice(6, 14)}`)
    await page.getByRole('button', { name: 'Log in' }).click()
  }
  const answer = callback.answer()
  await page.getByRole('button', { name: /^(Allow|Erlauben|Autoriser)$/ }).press('Enter')
  const { body } = await supertest(app.origin)
    .post('/v1/acme/oauth/token')
    .type('form')
    .send({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: (await answer).get('code'),
      redirect_uri,
      code_verifier: codeVerifier,
    })
    .expect(200)
  await page.getByRole('heading', { name: 'Back in the assistant' }).waitFor()
  return { clientId, refresh_token: String(body.refresh_token) }
}

describeWithBrowser('the "Connected apps" page of the MCP server', () => {
  it('shows what the customer has connected, since when, and what it can do', async () => {
    const { page } = await connected()
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Travel Assistant'])
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'Know who you are',
      'Book and cancel trips for you',
    ])
    expect(await page.getByRole('definition').first().textContent()).toBe('an app on a device')
    for (const time of await page.locator('time').all()) {
      const age = Date.now() - Date.parse((await time.getAttribute('datetime')) ?? '')
      expect(age).toBeGreaterThanOrEqual(0)
      expect(age).toBeLessThan(60_000)
    }
    expect(await page.locator('time').count()).toBe(2)
    await page.getByText('Acme Air has not checked this app.').waitFor()
  })

  it('disconnects an app, whose refresh is refused from then on', async () => {
    const { page, refresh } = await connected()
    const { body } = await refresh().expect(200)
    await page.getByRole('button', { name: 'Disconnect: Travel Assistant' }).click()
    await page.getByRole('button', { name: 'Disconnect', exact: true }).press('Enter')
    await page.getByText('You have connected no apps to Acme Air.').waitFor()
    expect((await refresh(body.refresh_token).expect(400)).body.error).toBe('invalid_grant')
  })

  it('shows an app once, however often the customer has connected it, and ends its earlier sign-in', async () => {
    const page = await (await newBrowser()).newPage()
    const first = await connect(page, 'Travel Assistant')
    await connect(page, 'Travel Assistant', first.clientId)
    await page.goto(`${app.origin}/v1/acme/apps`)
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(1)
    const { body } = await supertest(app.origin)
      .post('/v1/acme/oauth/token')
      .type('form')
      .send({ grant_type: 'refresh_token', client_id: first.clientId, refresh_token: first.refresh_token })
      .expect(400)
    expect(body.error).toBe('invalid_grant')
  })

  it('is in German for a browser that asks for German', async () => {
    const { page } = await connected({ locale: 'de-AT' })
    await page.getByRole('heading', { name: 'Verbundene Apps' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Travel Assistant'])
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'Wissen, wer Sie sind',
      'Reisen für Sie buchen und absagen',
    ])
    await page.getByRole('button', { name: 'Trennen: Travel Assistant' }).click()
    await page.getByRole('button', { name: 'Trennen', exact: true }).press('Enter')
    await page.getByText('Sie haben keine Apps mit Acme Air verbunden.').waitFor()
  })

  it('is in English for a browser that asks for another language', async () => {
    const { page } = await connected({ locale: 'fi' })
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  })

  it('fits a screen of 320 pixels, also with a name without spaces', async () => {
    const { page } = await connected({ viewport: { width: 320, height: 568 } }, 'W'.repeat(60))
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    for (const element of await page.locator('h1, h2, p, li, dd, a').all()) {
      const { x, width } = (await element.boundingBox()) ?? { x: Number.NaN, width: Number.NaN }
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(320)
    }
  })

  it.each(['light', 'dark'] as const)('has no fault that axe finds in a %s browser', async (colorScheme) => {
    const { page } = await connected({ colorScheme })
    await page.getByRole('button', { name: 'Disconnect: Travel Assistant' }).waitFor()
    expect(await findings(page)).toEqual([])
  })
})
