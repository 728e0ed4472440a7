import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryTenantStore, type Tenant } from 'customer-sign-in'
import express, { type Express } from 'express'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { Authorization } from './authorization'
import { newBrowser } from './browser'
import { HostApp } from './host-app'
import { registered } from './registration'
import { clientId, expectTokens, type FormFields, type TestSignIn, type Tokens } from './sign-in'
import { started } from './started'
import type { TestOptions } from './test-options'

/** Two companies, at which an app on the customer's own machine asks for consent. */
export const companies: Tenant[] = ['acme', 'globex'].map((key) => ({
  key,
  id: key,
  name: key === 'acme' ? 'Acme Air' : 'Globex Hotels',
  clients: [{ clientId, clientName: 'Travel Assistant', redirectUris: ['http://127.0.0.1/callback'] }],
}))

interface VisitOptions extends TestOptions {
  browser?: BrowserContextOptions
}

const apps: HostApp[] = []

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.stop()))
})

/** Somebody else's app, stopped after the test. */
export async function site(addRoutes: (routes: Express) => void): Promise<HostApp> {
  const routes = express()
  addRoutes(routes)
  const app = await HostApp.start(() => routes)
  apps.push(app)
  return app
}

/** A customer's browser, the host that it visits, and the client's app, from which it comes and to which it returns. */
export class Visit {
  readonly host: TestSignIn
  readonly page: Page
  /** The redirect URI of the client's app. */
  readonly redirectUri: string

  private constructor(host: TestSignIn, page: Page, redirectUri: string) {
    this.host = host
    this.page = page
    this.redirectUri = redirectUri
  }

  static async start({ browser, ...options }: VisitOptions = {}): Promise<Visit> {
    const host = await started({
      tenantStore: new MemoryTenantStore(companies),
      authenticate: () => ({ subject: 'customer-1', name: 'Ada Lovelace' }),
      ...options,
    })
    const { origin } = await site((app) => app.get('/callback', (_req, res) => res.send('<h1>Back in the app</h1>')))
    const context = await newBrowser(browser)
    return new Visit(host, await context.newPage(), `${origin}/callback`)
  }

  /** A request of the client's app. */
  request(parameters: FormFields = {}, tenantKey?: string): Authorization {
    return new Authorization(this.host, { redirect_uri: this.redirectUri, ...parameters }, tenantKey)
  }

  /** Registers a client with a name. @returns Its client id. */
  registered(name: string, redirectUri = this.redirectUri): Promise<string> {
    return registered(this.host, { client_name: name, redirect_uris: [redirectUri] })
  }

  /** Opens an authorization request in the browser. */
  async open(request: Authorization, page = this.page): Promise<void> {
    await page.goto(this.host.url + request.path)
  }

  /** The parameters with which the browser returns to the app. */
  async back(page = this.page): Promise<URLSearchParams> {
    await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
    return new URL(page.url()).searchParams
  }

  /** The tokens that the app gets for its code. */
  async tokens({ codeVerifier, tenantKey }: Authorization, answer: URLSearchParams): Promise<Tokens> {
    const signedIn = { code: answer.get('code') ?? '', codeVerifier, tenantKey }
    return expectTokens(await this.host.exchange(signedIn, { redirect_uri: this.redirectUri }))
  }
}

/** Presses a button of the consent page. */
export function allow(page: Page): Promise<void> {
  return press(page, 'Allow')
}

export function deny(page: Page): Promise<void> {
  return press(page, 'Deny')
}

/** Presses a button of the page as somebody who means it. */
export async function press(page: Page, name: string): Promise<void> {
  const { x, y } = await pointAt(page, name)
  await page.mouse.click(x, y)
}

/** Moves the focus to the next button of the page with the Tab key. Fails if it has another name. */
export async function reach(page: Page, name: string): Promise<void> {
  // The second button is reached once the first has had the focus for a while.
  if ((await page.locator(':focus').count()) > 0)
    await page.getByRole('button', { name }).and(page.locator('.key')).waitFor()
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').textContent()).toBe(name)
}

/** Moves the mouse onto a button, and waits until the page accepts a press. */
export async function pointAt(page: Page, name: string): Promise<{ x: number; y: number }> {
  const button = page.getByRole('button', { name })
  await button.scrollIntoViewIfNeeded()
  const point = await middleOf(button)
  await page.mouse.move(point.x, point.y)
  // Playwright's own wait scrolls the page again and again, and the mouse leaves the button.
  const isCovered = `document.elementFromPoint(${point.x}, ${point.y}).matches('.press i')`
  while (await page.evaluate(isCovered)) await sleep(50)
  return point
}

/** Waits until a press has led to the consent page itself. */
export async function isAskedAgain(page: Page, press: () => Promise<void>): Promise<void> {
  // An answer before it, which leads to the app, may still be told late.
  const answer = page.waitForResponse((response) => response.request().method() === 'POST' && response.status() === 200)
  await press()
  await answer
  await page.getByRole('button', { name: 'Allow' }).waitFor()
}

/** The middle of an element, in pixels of the window. Waits until the element exists. */
export async function middleOf(element: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await element.boundingBox()) ?? { x: Number.NaN, y: 0, width: 0, height: 0 }
  return { x: x + width / 2, y: y + height / 2 }
}

/** The clock of a page, and of those that take its place: the times for which their buttons wait are animations. */
export async function clockOf(page: Page): Promise<{ stop(): Promise<unknown>; go(): Promise<unknown> }> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Animation.enable')
  const run = (playbackRate: number) => debug.send('Animation.setPlaybackRate', { playbackRate })
  return { stop: () => run(0), go: () => run(1) }
}
