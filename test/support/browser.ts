import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { findChromium, launchChromium } from '../../scripts/chromium'
import { describeWith } from './describe-with'

/** `describe` for suites that need a browser. Without one, they are skipped with a warning, and in CI they fail. */
export const describeWithBrowser = describeWith('Chromium (or CHROMIUM_PATH)', findChromium())

let browser: Promise<Browser> | undefined
const contexts: BrowserContext[] = []

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
})

afterAll(async () => (await browser)?.close())

/** A browser with a new profile, closed after the test. */
export async function newBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= launchChromium()
  const context = await (await browser).newContext(options)
  context.setDefaultTimeout(20_000)
  contexts.push(context)
  return context
}
