import { type SignInForTests, tokensFor } from 'customer-sign-in/testing'
import type { BrowserContextOptions } from 'playwright-core'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser } from '../../support/browser'
import { appearances, openedPage, pressWithMouse } from '../../support/mounted-page'
import { redirectUri } from '../../support/sign-in'

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
  return { page, connected }
}

describeWithBrowser('the page of connected apps', () => {
  it('disconnects one app after a question, with the mouse', async () => {
    const { page, connected } = await opened()
    await page.getByRole('link', { name: 'Disconnect: Notes' }).click()
    await page.getByRole('heading', { name: 'Disconnect Notes from Acme?' }).waitFor()
    await pressWithMouse(page, 'Disconnect')
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

  it.each(appearances)('has no fault that axe finds: %s', async (_, options, locale) => {
    const { page } = await opened(options, locale)
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.locator('a.button').last().click()
    await page.locator('form').waitFor()
    await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
    expect(await findings(page)).toEqual([])
  })
})
