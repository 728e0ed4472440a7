import { MemoryTenantStore } from 'customer-sign-in'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describeWithBrowser } from '../../support/browser'
import { companies, site, Visit } from '../../support/visit'

const logoUri = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="900" height="90"><rect width="900" height="90"/></svg>')}`

const nowhere = { x: Number.NaN, y: Number.NaN, width: Number.NaN, height: Number.NaN }

/** The horizontal extent of each piece of the heading, in the order of the markup. */
function extents(page: Page): Promise<{ left: number; right: number }[]> {
  return page.evaluate(`[...document.querySelector('h1').childNodes].map((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect().toJSON()
  })`)
}

function backgroundOf(page: Page): Promise<string> {
  return page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
}

describeWithBrowser('the consent page', () => {
  it.each([
    ['the usual names', 'Travel Assistant'],
    ['long names', 'The Travel Assistant of All Who Ever Wanted to Get Anywhere '.repeat(3).trim()],
    ['names that cannot be broken', 'W'.repeat(200)],
    ['names from right to left', 'مساعد السفر '.repeat(15).trim()],
  ])('fits a screen of 320 pixels with %s', async (_, name) => {
    const visit = await Visit.start({
      browser: { viewport: { width: 320, height: 568 } },
      tenantStore: new MemoryTenantStore([{ key: 'acme', name, logoUri }]),
      authenticate: () => ({ subject: 'customer-1', name }),
      scopes: { profile: name },
    })
    const { page } = visit
    await visit.open(visit.request({ client_id: await visit.registered(name) }))
    const shown = [...name].length > 60 ? `${[...name].slice(0, 59).join('').trim()}…` : name
    expect(await page.getByRole('heading').textContent()).toBe(`Connect ${shown} to ${name}?`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    for (const text of await page.locator('h1, p, li, dd, img, form').all()) {
      const { x, width } = (await text.boundingBox()) ?? { x: Number.NaN, width: Number.NaN }
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(320)
    }
  })

  /** A page for a client of which a stranger has chosen everything that can be chosen. */
  async function strangersPage(browser: BrowserContextOptions): Promise<Page> {
    const path = `/${'p'.repeat(1900)}.json`
    const redirectUri = 'http://127.0.0.1:41234/callback'
    const { origin } = await site((app) =>
      app.get(path, (_req, res) =>
        res.json({ client_id: origin + path, client_name: 'W\u0301\u0301'.repeat(60), redirect_uris: [redirectUri] }),
      ),
    )
    const visit = await Visit.start({
      browser,
      clients: { documents: 'with-loopback' },
      tenantStore: new MemoryTenantStore([{ key: 'acme', name: 'Acme Air', logoUri }]),
    })
    await visit.open(visit.request({ client_id: origin + path, redirect_uri: redirectUri }))
    return visit.page
  }

  it.each([
    [320, 568],
    [360, 640],
    [375, 553],
    [500, 600],
  ])(
    'covers no warning with its buttons on a screen of %s by %s pixels, whatever text a stranger puts into it',
    async (width, height) => {
      const page = await strangersPage({ viewport: { width, height } })
      const buttons = (await page.locator('form').boundingBox()) ?? nowhere
      for (const warning of ['Any app on this device can pretend', 'has not checked this app']) {
        const { y, height: tall } = (await page.locator('p', { hasText: warning }).boundingBox()) ?? nowhere
        expect(y + tall).toBeLessThan(buttons.y)
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    },
  )

  it.each([
    [320, 568],
    [568, 320],
  ])(
    'shows both buttons when it asks again on a screen of %s by %s pixels, whatever a stranger puts into it',
    async (width, height) => {
      const page = await strangersPage({ viewport: { width, height }, hasTouch: true, isMobile: true })
      await page.getByRole('button', { name: 'Allow' }).tap()
      await page.getByRole('heading', { name: 'Are you sure' }).waitFor()
      for (const name of ['Deny', 'Allow']) {
        const box = (await page.getByRole('button', { name }).boundingBox()) ?? nowhere
        const distances = [box.x, box.y, width - box.x - box.width, height - box.y - box.height]
        expect(distances.filter((distance) => !(distance >= 0))).toEqual([])
      }
    },
  )

  it('breaks no word of a button, and leaves no link below it alone in its line', async () => {
    const [privacy, terms, imprint, support] = Array(4).fill('https://acme.example/')
    const visit = await Visit.start({
      browser: { viewport: { width: 320, height: 568 } },
      pages: { links: { privacy, terms, imprint, support } },
    })
    const { page } = visit
    await visit.open(visit.request({ ui_locales: 'de' }))
    for (const name of ['Ablehnen', 'Erlauben']) {
      expect((await page.getByRole('button', { name }).boundingBox())?.height).toBe(44)
    }
    const boxes = await Promise.all((await page.getByRole('link').all()).map((link) => link.boundingBox()))
    const [last, ...others] = boxes.map((box) => box?.y).reverse()
    expect(others).toContain(last)
  })

  it.each([
    ['written from right to left', 'سفر'],
    ['that turns the direction of what follows', '\u202eTrip'],
  ])('keeps its own words in order around a name %s', async (_, name) => {
    const visit = await Visit.start({ browser: { viewport: { width: 1200, height: 800 } } })
    await visit.open(visit.request({ client_id: await visit.registered(name) }))
    const pieces = await extents(visit.page)
    expect(pieces.length).toBe(5)
    for (const [index, { left }] of pieces.entries()) {
      // To the pixel, because a space at the end of a piece belongs to both.
      if (index > 0) expect(Math.round(left)).toBeGreaterThanOrEqual(Math.round(pieces[index - 1]?.right ?? 0))
    }
  })

  it('shows a name as text, whatever is in it', async () => {
    const name = "<script>document.title = 2</script>&amp;</h1><h1>'"
    const longer = `<img src=x onerror="document.title = 1">${name}`
    const visit = await Visit.start({ authenticate: () => ({ subject: 'customer-1', name: longer }) })
    await visit.open(visit.request({ client_id: await visit.registered(name) }))
    expect(await visit.page.getByRole('heading').textContent()).toBe(`Connect ${name} to Acme Air?`)
    await visit.page.getByText(`You are signed in as ${longer}.`).waitFor()
    expect(await visit.page.title()).toBe(`Connect “${name}” to Acme Air?`)
  })

  it('shows the company’s logo, and loads nothing else', async () => {
    const visit = await Visit.start({
      tenantStore: new MemoryTenantStore(companies.map((company) => ({ ...company, logoUri }))),
    })
    const loaded: string[] = []
    visit.page.on('request', (request) => loaded.push(request.url()))
    const request = visit.request()
    await visit.open(request)
    expect(await visit.page.evaluate('document.querySelector("img").naturalWidth')).toBe(900)
    expect(loaded).toEqual([visit.host.url + request.path])
  })

  it('is dark if the customer’s device is set to dark', async () => {
    const [light, dark] = await Promise.all(
      (['light', 'dark'] as const).map(async (colorScheme) => {
        const visit = await Visit.start({ browser: { colorScheme } })
        await visit.open(visit.request())
        return backgroundOf(visit.page)
      }),
    )
    expect(brightnessOf(light)).toBeGreaterThan(200)
    expect(brightnessOf(dark)).toBeLessThan(50)
  })
})

/** The brightest of red, green and blue in `rgb(r, g, b)`. */
function brightnessOf(color = ''): number {
  return Math.max(...(color.match(/\d+/g) ?? []).map(Number))
}
