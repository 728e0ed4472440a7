import axe, { type AxeResults } from 'axe-core'
import { MemoryTenantStore, type Theme } from 'customer-sign-in'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { packagedWords } from '../../../src/pages/languages'
import type { Words } from '../../../src/pages/words'
import { describeWithBrowser } from '../../support/browser'
import { companies, site, Visit } from '../../support/visit'

const logoUri = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"/>')}`

const links = {
  home: 'https://acme.example/',
  connectedApps: 'https://acme.example/apps',
  privacy: 'https://acme.example/privacy',
  terms: 'https://acme.example/terms',
  imprint: 'https://acme.example/imprint',
  support: 'https://acme.example/support',
}

const green: Theme = {
  light: { background: '#e6f4ea', card: '#fff', text: '#1d2b24', accent: '#0b6e4f' },
  dark: { background: '#000', card: '#0d1f17', text: '#e6f4ea', accent: '#5fd3a5' },
  radius: 24,
}

/** Colours that have just enough contrast. */
const faint: Theme = { light: { background: '#fff', text: '#767676', accent: '#949494' }, radius: 0 }

const phone: BrowserContextOptions = { viewport: { width: 320, height: 568 } }

const nowhere = { x: Number.NaN, y: Number.NaN, width: Number.NaN, height: Number.NaN }

const languages = Object.entries(packagedWords)

interface Look {
  tag?: string
  theme?: Theme
  browser?: BrowserContextOptions
  words?: Record<string, object>
}

/** A browser at a company with a logo and links, whose customer is asked about a stranger's app that can only be on the device. */
async function consentPage({ tag = 'en', theme = {}, browser = phone, words = {} }: Look): Promise<Visit> {
  const visit = await Visit.start({
    browser,
    pages: { theme, links, words },
    tenantStore: new MemoryTenantStore(companies.map((company) => ({ ...company, logoUri }))),
  })
  const client_id = await visit.registered('Travel Assistant', 'http://127.0.0.1:41234/callback')
  const redirect_uri = 'http://127.0.0.1:41234/callback'
  await visit.open(visit.request({ client_id, redirect_uri, ui_locales: tag }))
  return visit
}

/** The error page of the same company, for an app whose address does not answer. */
async function errorPage({ tag = 'en', theme = {}, browser = phone }: Look): Promise<Visit> {
  const { origin } = await site((app) => app.get('/client.json', (_req, res) => res.status(503).end()))
  const visit = await Visit.start({
    browser,
    pages: { theme, links },
    clients: { documents: 'with-loopback' },
    tenantStore: new MemoryTenantStore(companies.map((company) => ({ ...company, logoUri }))),
  })
  await visit.open(visit.request({ client_id: `${origin}/client.json`, ui_locales: tag }))
  return visit
}

/** The violations that axe finds on a page, and what it cannot decide. */
async function findings(page: Page): Promise<string[]> {
  // So that no text is beneath the soft edge of a longer page: axe takes its background for that of the text.
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.evaluate(axe.source)
  const { violations, incomplete, passes } = await page.evaluate<AxeResults>('axe.run()')
  expect(passes.map(({ id }) => id)).toEqual(expect.arrayContaining(['color-contrast', 'html-has-lang']))
  return [...violations, ...incomplete].map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** How far elements reach beyond a screen of 320 pixels. */
async function excess(page: Page): Promise<number[]> {
  const boxes = await Promise.all(
    (await page.locator('h1, p, li, dt, dd, form, button, a').all()).map((one) => one.boundingBox()),
  )
  return boxes.flatMap((box) => {
    const { x, width } = box ?? { x: 0, width: 0 }
    return [-x, x + width - 320].filter((distance) => distance > 0)
  })
}

/** Fails unless Deny and Allow are both on the screen at the end of the page. */
async function expectButtonsAtEnd(page: Page, { consent }: Words): Promise<void> {
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  for (const name of [consent.deny, consent.allow]) {
    const { x, y, width, height } = (await page.getByRole('button', { name, exact: true }).boundingBox()) ?? nowhere
    expect([x, y, 320 - x - width, 568 - y - height].filter((distance) => !(distance >= 0))).toEqual([])
  }
}

describeWithBrowser('both pages in every language', () => {
  it.each(languages)(
    'fit a screen of 320 pixels, end with both buttons, and axe finds no fault with them: %s',
    async (tag, words) => {
      const { page } = await consentPage({ tag })
      expect(await page.title()).toContain('Travel Assistant')
      await expectButtonsAtEnd(page, words)
      expect(await excess(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      expect(await findings(page)).toEqual([])

      const { page: error } = await errorPage({ tag })
      await error.getByRole('heading', { name: words.error.title }).waitFor()
      expect(await excess(error)).toEqual([])
      expect(await findings(error)).toEqual([])
    },
  )

  it('fit it with words of the host that cannot be broken', async () => {
    const long = 'Donaudampfschifffahrtsgesellschaft'.repeat(4)
    const own = {
      confirm: long,
      publisher: long,
      destination: long,
      question: `${long}{client}{tenant}`,
      allow: long,
      deny: 'Nein',
    }
    const links = { privacy: long, terms: long, imprint: long, support: long }
    const { page } = await consentPage({ tag: 'de', words: { de: { consent: own, links } } })
    expect(await page.getByRole('link').count()).toBe(5)
    expect(await excess(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  })
})

describe.each<[string, Theme, 'light' | 'dark']>([
  ['the package’s own look', {}, 'dark'],
  ['the look of a company', green, 'light'],
  ['the dark look of a company', green, 'dark'],
  ['a look with just enough contrast', faint, 'light'],
  ['a look that is light on a dark device too', faint, 'dark'],
])('with %s', (_, theme, colorScheme) => {
  describeWithBrowser('axe finds no fault with', () => {
    const browser = { ...phone, colorScheme }

    it('the consent page', async () => {
      const { page } = await consentPage({ theme, browser })
      expect(await findings(page)).toEqual([])
    })

    it('the error page', async () => {
      const { page } = await errorPage({ theme, browser })
      expect(await findings(page)).toEqual([])
    })
  })
})

describeWithBrowser('the look of a company', () => {
  const colorsOf = (page: Page) =>
    page.evaluate<string[]>(`[
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('main')).backgroundColor,
      getComputedStyle(document.querySelector('button[value=allow]')).backgroundColor,
      getComputedStyle(document.querySelector('main')).borderTopLeftRadius,
    ]`)

  it('has its colours and corners, which the policy of the page allows', async () => {
    const { page } = await consentPage({ theme: green })
    expect(await colorsOf(page)).toEqual(['rgb(230, 244, 234)', 'rgb(255, 255, 255)', 'rgb(11, 110, 79)', '24px'])
    const { page: dark } = await consentPage({ theme: green, browser: { ...phone, colorScheme: 'dark' } })
    expect(await colorsOf(dark)).toEqual(['rgb(0, 0, 0)', 'rgb(13, 31, 23)', 'rgb(95, 211, 165)', '24px'])
  })

  it('stays light on a dark device if it has no dark colours', async () => {
    const { page } = await consentPage({ theme: faint, browser: { ...phone, colorScheme: 'dark' } })
    expect(await colorsOf(page)).toEqual(['rgb(255, 255, 255)', 'rgb(255, 255, 255)', 'rgb(148, 148, 148)', '0px'])
  })

  it.each([
    ['the consent page', consentPage],
    ['the error page', errorPage],
  ])('gives way to the colours that a customer has forced: %s', async (_, open) => {
    const { page } = await open({ theme: green, browser: { ...phone, forcedColors: 'active', colorScheme: 'light' } })
    expect(await page.evaluate('getComputedStyle(document.querySelector("main")).borderTopWidth')).toBe('1px')
    expect(await page.evaluate('getComputedStyle(document.querySelector("main")).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    )
    const borders = await page.evaluate<string[]>(
      `[...document.querySelectorAll('button, .button')].map((button) => getComputedStyle(button).borderTopStyle)`,
    )
    expect(new Set(borders)).toEqual(new Set(['solid']))
  })
})

describeWithBrowser('a page from right to left', () => {
  const wide = { viewport: { width: 1200, height: 800 } }

  it('begins at the right, with Deny before Allow', async () => {
    const { page } = await consentPage({ tag: 'ar', browser: wide })
    const { consent } = packagedWords.ar as Words
    const [deny, allowed] = await Promise.all(
      [consent.deny, consent.allow].map((name) => page.getByRole('button', { name, exact: true }).boundingBox()),
    )
    expect(deny?.x).toBeGreaterThan(allowed?.x ?? Number.NaN)
    const heading = await page.evaluate<{ right: number; own: number }>(`(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('h1'))
      return { right: range.getBoundingClientRect().right, own: document.querySelector('h1').getBoundingClientRect().right }
    })()`)
    expect(heading.right).toBeCloseTo(heading.own, 0)
  })

  it('shows addresses and names from left to right, each in its place', async () => {
    const { page } = await consentPage({ tag: 'ar', browser: wide })
    expect(await page.getByRole('heading').textContent()).toBe('هل تريد ربط Travel Assistant مع Acme Air؟')
    expect(await page.getByText('127.0.0.1:41234').count()).toBe(1)
    const [name, company] = await Promise.all(
      ['Travel Assistant', 'Acme Air'].map((text) => page.locator('h1 bdi', { hasText: text }).boundingBox()),
    )
    // In the order of reading, also if the heading has two lines.
    const isFirst = name && company && (name.y < company.y - 10 || name.x > company.x)
    expect(isFirst).toBe(true)
  })

  it('says what the developer needs from left to right', async () => {
    const { page } = await errorPage({ tag: 'ar' })
    expect(await page.evaluate('getComputedStyle(document.querySelector("[lang=en]")).direction')).toBe('ltr')
    expect(await page.locator('[lang=en]').textContent()).toMatch(
      /^The metadata document .*\(temporarily_unavailable\)\.$/,
    )
  })
})

describeWithBrowser('a customer whose browser is set to German', () => {
  it('reads German on both questions, and connects the app', async () => {
    const visit = await Visit.start({ browser: { locale: 'de-AT', hasTouch: true, isMobile: true } })
    const request = visit.request({ client_id: await visit.registered('Travel Assistant') })
    await visit.open(request)
    await visit.page.getByRole('heading', { name: 'Travel Assistant mit Acme Air verbinden?' }).waitFor()
    await visit.page.getByRole('button', { name: 'Erlauben' }).tap()
    await visit.page.getByRole('heading', { name: 'Möchten Sie diese App wirklich verbinden?' }).waitFor()
    await visit.page.getByRole('button', { name: 'Erlauben' }).tap()
    expect((await visit.back()).get('code')).toBeTruthy()
  })

  it('reads the company’s own pages beside this one, which waits', async () => {
    const { page } = await consentPage({ tag: 'de' })
    const link = page.getByRole('link', { name: 'Datenschutz' })
    expect(await link.getAttribute('href')).toBe('https://acme.example/privacy')
    const [beside] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    expect(beside).not.toBe(page)
    await page.getByRole('button', { name: 'Ablehnen' }).waitFor()
  })
})
