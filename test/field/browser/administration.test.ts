import type { SavedRules } from 'customer-sign-in'
import { type SignInForTests, tokensFor } from 'customer-sign-in/testing'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser } from '../../support/browser'
import { appearances, openedPage } from '../../support/mounted-page'
import { redirectUri } from '../../support/sign-in'
import { press } from '../../support/visit'

const names = ['Travel Assistant', 'Notes', 'W'.repeat(60)]
const clients = names.map((clientName, number) => ({
  clientId: `app-${number}`,
  clientName,
  redirectUris: [redirectUri],
}))
const blockedClients = { redirectHosts: ['evil.example'], clientIds: [`https://${'x'.repeat(60)}.example/client`] }

/** The page of a company with three apps of two customers. */
async function opened(options: BrowserContextOptions = {}, locale = 'en') {
  const saved: SavedRules[] = []
  const mount = async (signIn: SignInForTests) => {
    for (const { clientId } of clients)
      for (const subject of ['ada', 'bob']) await tokensFor(signIn, { tenantKey: 'acme', subject, clientId })
    const who = () => ({ tenantKey: 'acme', actor: 'staff:42' })
    return signIn.pages.administration({ who, saveRules: (rules) => saved.push(rules) })
  }
  const { page, signIn } = await openedPage({ clients, blockedClients, locale }, mount, options)
  const connected = async () => (await signIn.grants.list({ tenantKey: 'acme', anyCustomer: true })).grants.length
  return { page, connected, saved }
}

const back = (page: Page) => page.getByRole('heading', { name: 'Administration' }).waitFor()

describeWithBrowser('the page of a company’s staff', () => {
  it('disconnects an app from all customers after a question, with the mouse', async () => {
    const { page, connected } = await opened()
    await page.getByRole('button', { name: 'Disconnect: Notes' }).click()
    await page.getByRole('heading', { name: 'Disconnect Notes from all customers of Acme?' }).waitFor()
    await press(page, 'Disconnect')
    await back(page)
    expect(await connected()).toBe(4)
    expect(await page.getByRole('button', { name: 'Disconnect: Notes' }).count()).toBe(0)
  })

  it('disconnects one customer, and everybody, with the keyboard alone', async () => {
    const { page, connected } = await opened()
    await page.getByLabel('Customer id').focus()
    await page.keyboard.type('ada')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Disconnect all apps of this customer?' }).waitFor()
    expect(await page.getByRole('definition').textContent()).toBe('ada')
    await page.getByRole('button', { name: 'Disconnect all' }).press('Enter')
    await back(page)
    expect(await connected()).toBe(3)
    await page.getByRole('button', { name: 'Disconnect all customers' }).press('Enter')
    await page.getByRole('heading', { name: 'Disconnect all apps of all customers of Acme?' }).waitFor()
    await page.getByRole('button', { name: 'Disconnect all customers' }).press('Enter')
    await page.getByText('No customer of Acme has connected an app.').waitFor()
    expect(await connected()).toBe(0)
  })

  it('blocks what is typed, behind helmet', async () => {
    const { page, saved } = await opened()
    await page.getByLabel('Which apps').selectOption('Published by')
    await page.getByLabel('Host or client id').fill(' other.example ')
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await page.getByRole('heading', { name: 'Block these apps?' }).waitFor()
    expect(await page.getByRole('definition').textContent()).toBe('other.example')
    await press(page, 'Block')
    await back(page)
    expect(saved).toMatchObject([
      { actor: 'staff:42', blockedClients: { ...blockedClients, documentHosts: ['other.example'] } },
    ])
  })

  it('says what is wrong with an entry, and keeps it', async () => {
    const { page, saved } = await opened()
    await page.getByLabel('Which apps').selectOption('Published by')
    await page.getByLabel('Host or client id').fill('https://other.example/"')
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    expect(await page.getByRole('alert').textContent()).toBe('This is not a host or client id.')
    expect(await page.getByLabel('Host or client id').inputValue()).toBe('https://other.example/"')
    expect(await page.getByLabel('Which apps').inputValue()).toBe('documentHosts')
    expect(await findings(page)).toEqual([])
    expect(saved).toEqual([])
  })

  it('says that nobody has an id, and keeps it in its field', async () => {
    const { page } = await opened()
    await page.getByLabel('Customer id').fill('Bob')
    await page.getByRole('button', { name: 'Disconnect all', exact: true }).click()
    expect(await page.getByRole('alert').textContent()).toBe('No customer with this id has connected an app.')
    expect(await page.getByLabel('Customer id').inputValue()).toBe('Bob')
    expect(await findings(page)).toEqual([])
  })

  it('does nothing at a double click on what leads to a question', async () => {
    const { page, connected } = await opened()
    await page.getByRole('button', { name: 'Disconnect all customers' }).dblclick()
    await page.getByRole('heading', { name: 'Disconnect all apps of all customers of Acme?' }).waitFor()
    expect(await connected()).toBe(6)
  })

  it.each(appearances)(
    'has no fault that axe finds, and nothing wider than the screen: %s',
    async (_, options, locale) => {
      const { page } = await opened(options, locale)
      expect(await findings(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      for (const place of await page.locator('a.button, button, input:not([type=hidden]), select').all()) {
        const { height } = (await place.boundingBox()) ?? { height: Number.NaN }
        expect(height).toBeGreaterThanOrEqual(44)
      }
      await page.locator('button.button').last().click()
      await page.locator('[name=page_token]').waitFor({ state: 'attached' })
      await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
      expect(await findings(page)).toEqual([])
    },
  )
})
