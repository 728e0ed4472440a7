import type { BrowserContextOptions, Page } from 'playwright-core'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser } from '../../support/browser'
import { appearances, openedPage } from '../../support/mounted-page'

const address = 'https://assistant.example/v1/acme/mcp'

const named = (page: Page, name: string) => page.locator('summary').getByText(name, { exact: true })

async function opened(options: BrowserContextOptions = {}, locale = 'en') {
  const record = { resources: [address], locale }
  const who = () => ({ tenantKey: 'acme' })
  const { page } = await openedPage(record, (signIn) => signIn.pages.connectAssistant({ who }), options)
  return page
}

describeWithBrowser('the page "Connect an assistant"', () => {
  it('shows the address, and the steps of one assistant at a time', async () => {
    const page = await opened()
    await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor()
    expect(await page.getByLabel('Address of Acme').inputValue()).toBe(address)
    const steps = () => page.getByRole('listitem').count()
    expect(await steps()).toBe(0)
    await named(page, 'Claude Code').click()
    const command = page.locator('details[open]').getByLabel('Command')
    expect(await command.inputValue()).toBe(`claude mcp add --transport http --scope user acme ${address}`)
    expect(await steps()).toBe(3)
    await named(page, 'Claude').click()
    await page.getByRole('link', { name: 'Open Claude' }).waitFor()
    expect(await command.count()).toBe(0)
  })

  it('shows ten assistants on less than two screens', async () => {
    const page = await opened({ viewport: { width: 480, height: 640 } })
    expect(await page.locator('summary').count()).toBeGreaterThan(9)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(1280)
  })

  it('copies the address, and says so', async () => {
    const page = await opened()
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
  })

  it('copies a configuration with its lines', async () => {
    const page = await opened()
    await named(page, 'Cursor').click()
    await page.locator('details[open]').getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(JSON.parse(copied)).toEqual({ mcpServers: { acme: { url: address } } })
  })

  it('selects the text where the browser refuses the clipboard', async () => {
    const page = await opened()
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.waitForFunction(`getSelection().toString() === '${address}'`)
  })

  it('lets the keyboard copy the address without JavaScript, and shows no button that would do nothing', async () => {
    const page = await opened({ javaScriptEnabled: false })
    expect(await page.getByRole('button').count()).toBe(0)
    for (const key of ['Tab', 'Control+A', 'Control+C']) await page.keyboard.press(key)
    // Where the clipboard arrives: another page of this browser.
    const other = await opened()
    expect(await other.evaluate('navigator.clipboard.readText()')).toBe(address)
  })

  it('opens an assistant with the keyboard alone', async () => {
    const page = await opened()
    await page.locator('summary', { hasText: 'ChatGPT' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').getAttribute('href')).toBe('https://chatgpt.com/plugins')
  })

  it('runs nothing but its own script', async () => {
    const page = await opened()
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.ran = true">')`)
    await page.evaluate(
      `document.head.append(Object.assign(document.createElement('script'), { text: 'globalThis.ran = true' }))`,
    )
    expect(await page.evaluate('globalThis.ran')).toBeUndefined()
  })

  it.each(appearances)(
    'has no fault that axe finds, and nothing wider than the screen: %s',
    async (_, options, locale) => {
      const page = await opened(options, locale)
      for (const name of ['Claude', 'Claude Code', 'Cursor', 'Zed']) {
        await named(page, name).click()
        await page.evaluate('scrollTo(0, 0)')
        expect(await findings(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
    },
  )
})
