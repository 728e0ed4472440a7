import { MemoryTenantStore } from 'customer-sign-in'
import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import express from 'express'
import helmet from 'helmet'
import type { BrowserContextOptions } from 'playwright-core'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { HostApp } from '../../support/host-app'
import { redirectUri } from '../../support/sign-in'

const names = ['Travel Assistant', 'Notes', 'A name of sixty letters, which no page has ever seen before']
const clients = names.map((clientName, number) => ({
  clientId: `app-${number}`,
  clientName,
  redirectUris: [redirectUri],
}))

/** The page, behind helmet, of a customer who has connected three apps. */
async function opened(options: BrowserContextOptions = {}, locale = 'en') {
  const baseUrl = 'https://assistant.example'
  const tenantStore = new MemoryTenantStore([{ key: 'acme', id: 'acme', name: 'Acme', locale, clients }])
  const signIn = testSignIn({ tenantStore, baseUrl, scopes: { profile: { words: 'Know who you are' } } })
  const who = { tenantKey: 'acme', subject: 'ada' }
  for (const { clientId } of clients) await tokensFor(signIn, { ...who, clientId })
  const app = await HostApp.start(() =>
    express()
      .use(helmet())
      .use('/apps', signIn.pages.connectedApps({ who: () => who })),
  )
  apps.push(app)
  const page = await (await newBrowser(options)).newPage()
  await page.goto(`${app.origin}/apps`)
  const connected = async () => (await signIn.grants.list(who)).grants.map(({ clientName }) => clientName).sort()
  return { page, connected }
}

const apps: HostApp[] = []

afterEach(() => Promise.all(apps.splice(0).map((app) => app.stop())))

describeWithBrowser('the page of connected apps', () => {
  it('disconnects one app after a question, with the mouse', async () => {
    const { page, connected } = await opened()
    await page.getByRole('link', { name: 'Disconnect: Notes' }).click()
    await page.getByRole('heading', { name: 'Disconnect Notes from Acme?' }).waitFor()
    // A press counts only once the mouse has been over the page for a while.
    await page.getByRole('heading').hover()
    await page.evaluate('new Promise((resolve) => addEventListener("transitionend", resolve, { once: true }))')
    await page.getByRole('button', { name: 'Disconnect' }).click({ force: true })
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(2)
    expect(await connected()).toHaveLength(2)
  })

  it('disconnects all with the keyboard alone', async () => {
    const { page, connected } = await opened()
    await page.getByRole('link', { name: 'Disconnect all' }).press('Enter')
    await page.getByRole('heading', { name: 'Disconnect all apps from Acme?' }).waitFor()
    for (const button of ['Cancel', 'Disconnect all']) {
      // The second is hidden for a moment once the first has the focus.
      await page.getByRole('button', { name: button }).waitFor()
      await page.keyboard.press('Tab')
      expect(await page.locator(':focus').textContent()).toBe(button)
    }
    await page.keyboard.press('Enter')
    await page.getByText('You have connected no apps to Acme.').waitFor()
    expect(await connected()).toEqual([])
  })

  it('does nothing at a double click on what leads to the question', async () => {
    const { page, connected } = await opened()
    await page.getByRole('link', { name: 'Disconnect all' }).dblclick()
    await page.getByRole('heading', { name: 'Disconnect all apps from Acme?' }).waitFor()
    expect(await connected()).toHaveLength(3)
  })

  it.each([
    ['light', { colorScheme: 'light' as const }, 'en'],
    ['dark', { colorScheme: 'dark' as const }, 'de'],
    ['on a narrow screen', { viewport: { width: 320, height: 568 } }, 'en'],
    ['from right to left', {}, 'ar'],
  ])('has no fault that axe finds: %s', async (_, options, locale) => {
    const { page } = await opened(options, locale)
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.locator('a.button').last().click()
    await page.locator('form').waitFor()
    await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
    expect(await findings(page)).toEqual([])
  })
})
