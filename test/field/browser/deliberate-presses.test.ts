import type { BrowserContextOptions, Page } from 'playwright-core'
import { describeWithBrowser } from '../../support/browser'
import { recordsOf } from '../../support/records'
import { allow, clockOf, deny, middleOf, pointAt, Visit } from '../../support/visit'

const phone: BrowserContextOptions = { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } }

/** Shows a customer the consent page for a client that registered itself. */
async function asked(browser: BrowserContextOptions) {
  const visit = await Visit.start({ browser })
  const request = visit.request({ client_id: await visit.registered('Free Games') })
  await visit.open(request)
  return { visit, page: visit.page }
}

const grantsAt = ({ host }: Visit) => recordsOf(host.tokenStore)
const isAskedAgain = (page: Page) => page.getByRole('heading', { name: 'Are you sure' }).waitFor()
const tapAllow = (page: Page) => page.getByRole('button', { name: 'Allow' }).tap()

/** Taps at a point. Does not wait for the browser to say so: it never does if the page goes away meanwhile. */
function tapAt(page: Page, { x, y }: { x: number; y: number }): void {
  page.touchscreen.tap(x, y).catch(() => {})
}

describeWithBrowser('a customer with a mouse', () => {
  it('presses nothing with a mouse that has only just arrived, and Allow once it has been there for a while', async () => {
    const { visit, page } = await asked({})
    const { x, y } = await middleOf(page.getByRole('button', { name: 'Allow' }))
    const clock = await clockOf(page)
    await clock.stop()
    await page.mouse.click(x, y)
    await clock.go()
    await allow(page)
    expect((await visit.back()).get('code')).toMatch(/^csic_/)
  })

  it('has to wait again after each press beside the buttons', async () => {
    const { visit, page } = await asked({})
    const { x, y } = await pointAt(page, 'Allow')
    const clock = await clockOf(page)
    await clock.stop()
    await page.mouse.click(x, y - 150)
    await page.mouse.click(x, y)
    await page.mouse.click(x, y)
    await clock.go()
    await deny(page)
    expect((await visit.back()).get('error')).toBe('access_denied')
  })

  it('is asked only once, even about a client that nobody vouches for', async () => {
    const { visit, page } = await asked({})
    expect(await page.getByRole('button').allTextContents()).toEqual(['Deny', 'Allow'])
    await allow(page)
    await visit.back()
  })
})

describeWithBrowser('a customer with a touch screen', () => {
  it('allows a client that nobody vouches for with two taps, at two places', async () => {
    const { visit, page } = await asked(phone)
    await tapAllow(page)
    await isAskedAgain(page)
    await tapAllow(page)
    expect((await visit.back()).get('code')).toMatch(/^csic_/)
  })

  it('allows the company’s own app with one tap', async () => {
    const visit = await Visit.start({ browser: phone })
    await visit.open(visit.request())
    await tapAllow(visit.page)
    await visit.back()
  })

  it('denies with one tap on either page', async () => {
    for (const taps of [['Deny'], ['Allow', 'Deny']]) {
      const { visit, page } = await asked(phone)
      for (const name of taps) await page.getByRole('button', { name }).tap()
      expect((await visit.back()).get('error')).toBe('access_denied')
    }
  })

  it('allows nothing by tapping in one place, however fast or often', async () => {
    const { visit, page } = await asked(phone)
    const allowed = await middleOf(page.getByRole('button', { name: 'Allow' }))
    await tapAllow(page)
    tapAt(page, allowed)
    await isAskedAgain(page)
    for (let taps = 0; taps < 4; taps++) await page.touchscreen.tap(allowed.x, allowed.y)
    await isAskedAgain(page)
    expect(await grantsAt(visit)).toEqual([])
  })

  it('allows nothing by two taps at the two places that follow each other too soon', async () => {
    const { visit, page } = await asked(phone)
    const first = page.getByRole('button', { name: 'Allow' })
    await first.tap({ trial: true })
    const clock = await clockOf(page)
    await clock.stop()
    await first.tap()
    await isAskedAgain(page)
    const { x, y } = await middleOf(page.locator('[value=allow]:not(.key)'))
    await page.touchscreen.tap(x, y)
    await clock.go()
    await tapAllow(page)
    expect((await visit.back()).get('code')).toMatch(/^csic_/)
    expect(await grantsAt(visit)).toHaveLength(1)
  })

  it.each([
    [320, 568],
    [568, 320],
    [360, 740],
    [820, 1180],
  ])('gets the buttons of the two pages far apart on a screen of %s by %s pixels', async (width, height) => {
    const { page } = await asked({ ...phone, viewport: { width, height } })
    // Where the buttons are highest.
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const first = await middleOf(page.getByRole('button', { name: 'Allow' }))
    await tapAllow(page)
    await isAskedAgain(page)
    const second = await middleOf(page.getByRole('button', { name: 'Allow' }))
    expect(Math.abs(first.y - second.y)).toBeGreaterThan(100)
  })
})

describeWithBrowser('a key that a stranger’s page has made the customer hold', () => {
  it.each(['Enter', 'Space'])('presses nothing when it is %s', async (key) => {
    const visit = await Visit.start()
    const { page } = visit
    await page.goto(visit.redirectUri)
    await page.keyboard.down(key)
    await visit.open(visit.request({ client_id: await visit.registered('Free Games') }))
    // A key that is held down repeats.
    for (let repeats = 0; repeats < 5; repeats++) await page.keyboard.down(key)
    await page.keyboard.up(key)
    await page.keyboard.press(key)
    await allow(page)
    await visit.back()
    expect(await grantsAt(visit)).toHaveLength(1)
  })
})
