import { type SignInForTests, tokensFor } from 'customer-sign-in/testing'
import type { BrowserContextOptions } from 'playwright-core'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser } from '../../support/browser'
import { appearances, openedPage } from '../../support/mounted-page'
import { redirectUri } from '../../support/sign-in'
import { press, reach } from '../../support/visit'

const names = ['Travel Assistant', 'Notes', 'A name of sixty letters, which no page has ever seen before']
const clients = names.map((clientName, number) => ({
  clientId: `app-${number}`,
  clientName,
  redirectUris: [redirectUri],
}))

const ada = { tenantKey: 'acme', subject: 'ada' }

/** The page of a customer who has connected three apps. */
async function opened(options: BrowserContextOptions = {}, locale = 'en') {
  const mount = async (signIn: SignInForTests) => {
    for (const { clientId } of clients) await tokensFor(signIn, { ...ada, clientId })
    return signIn.pages.connectedApps({ who: () => ada })
  }
  const { page, signIn } = await openedPage({ clients, locale }, mount, options)
  const connected = async () => (await signIn.grants.list(ada)).grants.map(({ clientName }) => clientName).sort()
  return { page, signIn, connected }
}

describeWithBrowser('the page of connected apps', () => {
  it('disconnects one app after a question, with the mouse', async () => {
    const { page, connected } = await opened()
    await page.getByRole('button', { name: 'Disconnect: Notes' }).click()
    await page.getByRole('heading', { name: 'Disconnect Notes from Acme?' }).waitFor()
    await press(page, 'Disconnect')
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(2)
    expect(await connected()).toHaveLength(2)
  })

  it('disconnects one sign-in of an app with the keyboard alone', async () => {
    const { page, signIn, connected } = await opened()
    await tokensFor(signIn, { ...ada, clientId: 'app-1' })
    await page.reload()
    await page.getByText('Sign-ins: 2').press('Enter')
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Disconnect: Notes, Connected now' }).first().press('Enter')
    await page.getByRole('heading', { name: 'Disconnect this sign-in of Notes from Acme?' }).waitFor()
    await page.getByRole('button', { name: 'Disconnect', exact: true }).press('Enter')
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
    expect(await page.getByText('Sign-ins:').count()).toBe(0)
    expect(await connected()).toHaveLength(3)
  })

  it('disconnects all with the keyboard alone', async () => {
    const { page, connected } = await opened()
    await page.getByRole('button', { name: 'Disconnect all' }).press('Enter')
    await page.getByRole('heading', { name: 'Disconnect all apps from Acme?' }).waitFor()
    for (const button of ['Cancel', 'Disconnect all']) await reach(page, button)
    await page.keyboard.press('Enter')
    await page.getByText('You have connected no apps to Acme.').waitFor()
    expect(await connected()).toEqual([])
  })

  it('does nothing at a double click on what leads to the question', async () => {
    const { page, connected } = await opened()
    await page.getByRole('button', { name: 'Disconnect all' }).dblclick()
    await page.getByRole('heading', { name: 'Disconnect all apps from Acme?' }).waitFor()
    expect(await connected()).toHaveLength(3)
  })

  it.each(appearances)('has no fault that axe finds: %s', async (_, options, locale) => {
    const { page } = await opened(options, locale)
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.locator('button.button').last().click()
    await page.locator('[name=page_token]').waitFor({ state: 'attached' })
    await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
    expect(await findings(page)).toEqual([])
  })
})
