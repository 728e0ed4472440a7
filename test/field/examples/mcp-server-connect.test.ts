import type { BrowserContextOptions, Page } from 'playwright-core'
import { createHost } from '../../../examples/mcp-server/host'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { HostApp } from '../../support/host-app'

const address = 'https://host.example/v1/acme/mcp'

let app: HostApp
beforeAll(async () => {
  // The public address, without which no hosted assistant could connect.
  app = await HostApp.start(() => createHost('https://host.example', () => {}))
})
afterAll(() => app.stop())

/** The page in a new browser that may use the clipboard. */
async function opened(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await newBrowser(options)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.origin })
  const page = await context.newPage()
  await page.goto(`${app.origin}/v1/acme/connect`)
  return page
}

const selected = (page: Page) =>
  page.evaluate<string>(
    '((field) => field.value.slice(field.selectionStart, field.selectionEnd))(document.activeElement)',
  )

describeWithBrowser('the "Connect an assistant" page of the MCP server', () => {
  it('shows the address, and how each assistant is connected', async () => {
    const page = await opened()
    await page.getByRole('heading', { name: 'Connect an assistant to Acme Air' }).waitFor()
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe(address)
    const names = await page.getByRole('heading', { level: 2 }).allTextContents()
    expect(names).toEqual(expect.arrayContaining(['ChatGPT', 'Claude Code', 'Cursor', 'Gemini CLI']))
    expect(await page.getByLabel('Command for Claude Code', { exact: true }).inputValue()).toBe(
      `claude mcp add --transport http --scope user acme ${address}`,
    )
  })

  it('copies the address, and says so', async () => {
    const page = await opened()
    await page.getByRole('button', { name: 'Copy: Address', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
  })

  it('copies a configuration with its lines', async () => {
    const page = await opened()
    await page.getByRole('button', { name: 'Copy: Configuration, for ~/.cursor/mcp.json' }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(JSON.parse(copied)).toEqual({ mcpServers: { acme: { url: address } } })
  })

  it('selects the text and says what to do where the browser refuses the clipboard', async () => {
    const page = await opened()
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
    await page.getByRole('button', { name: 'Copy: Address', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'copy it with the keyboard' }).waitFor()
    expect(await selected(page)).toBe(address)
  })

  it('lets the keyboard select the address without JavaScript, and shows no button that would do nothing', async () => {
    const page = await opened({ javaScriptEnabled: false })
    expect(await page.getByRole('button').count()).toBe(0)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+C')
    // Where the clipboard arrives: another page of this browser.
    const other = await opened()
    expect(await other.evaluate('navigator.clipboard.readText()')).toBe(address)
  })

  it('has links that lead to the assistants, with the server filled in', async () => {
    const page = await opened()
    const hrefOf = async (name: string) => {
      const href = await page.getByRole('link', { name: `Open ${name}`, exact: true }).getAttribute('href')
      return new URL(href ?? '')
    }
    const claude = await hrefOf('Claude')
    expect([claude.origin, claude.searchParams.get('connectorName'), claude.searchParams.get('connectorUrl')]).toEqual([
      'https://claude.ai',
      'Acme Air',
      address,
    ])
    const vscode = await hrefOf('VS Code (GitHub Copilot)')
    expect([vscode.protocol, JSON.parse(decodeURIComponent(vscode.search.slice(1))).url]).toEqual(['vscode:', address])
    expect((await hrefOf('Cursor')).protocol).toBe('cursor:')
    expect((await hrefOf('ChatGPT')).href).toBe('https://chatgpt.com/plugins')
  })

  it('runs nothing but its own script', async () => {
    const page = await opened()
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.ran = true">')`)
    await page.evaluate(
      `document.head.append(Object.assign(document.createElement('script'), { text: 'globalThis.ran = true' }))`,
    )
    expect(await page.evaluate('globalThis.ran')).toBeUndefined()
  })

  it('fits a screen of 320 pixels', async () => {
    const page = await opened({ viewport: { width: 320, height: 568 } })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    for (const element of await page.locator('h1, h2, p, li, a, input, textarea, button').all()) {
      const { x, width } = (await element.boundingBox()) ?? { x: Number.NaN, width: Number.NaN }
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(320)
    }
  })

  it.each(['light', 'dark'] as const)('has no fault that axe finds in a %s browser', async (colorScheme) => {
    const page = await opened({ colorScheme })
    await page.getByRole('button', { name: 'Copy: Address', exact: true }).waitFor()
    expect(await findings(page)).toEqual([])
  })
})
