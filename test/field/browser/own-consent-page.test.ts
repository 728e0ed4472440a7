import { MemoryTenantStore } from 'customer-sign-in'
import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import supertest from 'supertest'
import { Authorization } from '../../support/authorization'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { codeForm, testSignIn } from '../../support/host-app'
import { registered } from '../../support/registration'
import { allow, clockOf, companies, deny, isAskedAgain, middleOf, pointAt, press, site } from '../../support/visit'
import { ownConsentPage } from './own-consent-page'

type Callback = (...args: Parameters<RequestHandler>) => void

const backInTheApp: Callback = (_req, res) => void res.send('<h1>Back in the app</h1>')

describeWithBrowser('the consent page that docs/pages.md shows', () => {
  const options = ownConsentPage()

  /** A host with helmet in front, and a client of the company's own or one that registered itself. */
  async function opened({ clientName, callback = backInTheApp }: { clientName?: string; callback?: Callback } = {}) {
    let routes: Express = express()
    const { origin } = await site((app) => {
      routes = app
      app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }))
    })
    const tenantStore = new MemoryTenantStore(companies)
    const authenticate = () => ({ subject: 'customer-1', name: 'Ada <b>Lovelace</b>' })
    routes.use(testSignIn({ ...options(), baseUrl: origin, tenantStore, authenticate }))
    const app = await site((other) => other.get('/callback', callback))
    const redirect_uri = `${app.origin}/callback`
    const client_id =
      clientName && (await registered({ url: origin }, { client_name: clientName, redirect_uris: [redirect_uri] }))
    const page = await (await newBrowser()).newPage()
    const request = new Authorization({ url: origin }, { redirect_uri, ...(client_id && { client_id }) })
    const errors: string[] = []
    page.on('console', (message) => {
      // No icon is on these hosts.
      if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) errors.push(message.text())
    })
    await page.goto(origin + request.path)
    const back = async () => {
      await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
      return new URL(page.url()).searchParams
    }
    const redeem = async (code: string) => {
      const body = codeForm({ code, codeVerifier: request.codeVerifier, tenantKey: 'acme' })
      await supertest(origin)
        .post('/v1/acme/oauth/token')
        .type('form')
        .send({ ...body, redirect_uri })
        .expect(200)
    }
    return { page, back, errors, redeem }
  }

  it('leads back to the app with a code, or with access_denied, and no part of it is blocked', async () => {
    const allowing = await opened()
    await allow(allowing.page)
    expect((await allowing.back()).get('code')).toMatch(/^csic_/)
    expect(allowing.errors).toEqual([])
    const denying = await opened()
    await deny(denying.page)
    expect((await denying.back()).get('error')).toBe('access_denied')
  })

  it('shows who asks for what, and names as text', async () => {
    const { page } = await opened({ clientName: 'Free <i>Games</i>' })
    const text = ((await page.locator('body').textContent()) ?? '').replace(/[\u2068\u2069]/g, '')
    expect(text).toContain('Connect Free <i>Games</i> to Acme Air?')
    expect(text).toContain('You are signed in as Ada <b>Lovelace</b>')
    expect(text).toContain('see and change your bookings')
    expect(text).toContain('Any app on this device can pretend to be this app.')
    expect(text).toContain('Acme Air has not checked this app.')
  })

  it('has buttons that do nothing until the mouse has been there for a while', async () => {
    const { page, back } = await opened()
    const { x, y } = await middleOf(page.getByRole('button', { name: 'Allow' }))
    const clock = await clockOf(page)
    await clock.stop()
    await page.mouse.click(x, y)
    await clock.go()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await allow(page)
    await back()
  })

  it('asks a second time in a window that is too small, and then goes on', async () => {
    const { page, back } = await opened({ clientName: 'Free Games' })
    await page.setViewportSize({ width: 340, height: 150 })
    await press(page, 'Go on')
    await page.getByText('Are you sure?').waitFor()
    expect(await page.getByRole('button', { name: 'Allow' }).boundingBox()).toMatchObject({ y: expect.any(Number) })
    await allow(page)
    expect((await back()).get('code')).toMatch(/^csic_/)
  })

  it('appears anew to a customer who goes back, and can be allowed again', async () => {
    const { page, back } = await opened()
    await allow(page)
    const first = (await back()).get('code')
    await page.goBack()
    await allow(page)
    const second = (await back()).get('code')
    expect(second).toMatch(/^csic_/)
    expect(second).not.toBe(first)
  })

  it('is shown again to a customer who presses Allow once more because the app is slow to appear', async () => {
    let arrive = (_code: string) => {}
    const arrived = new Promise<string>((resolve) => {
      arrive = resolve
    })
    // The app never answers the browser.
    const { page, redeem } = await opened({ callback: ({ query }) => arrive(String(query.code)) })
    const { x, y } = await pointAt(page, 'Allow')
    await page.mouse.click(x, y)
    await redeem(await arrived)
    await isAskedAgain(page, () => page.mouse.click(x, y))
  })
})
