import { describeWithBrowser } from '../../support/browser'
import { allow, reach, Visit } from '../../support/visit'

describeWithBrowser('a customer without a mouse', () => {
  it('reaches Deny before Allow, sees the focus, and presses Enter', async () => {
    const visit = await Visit.start()
    const { page } = visit
    const request = visit.request()
    await visit.open(request)

    for (const button of ['Deny', 'Allow']) {
      await reach(page, button)
      const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outline')
      expect(outline).toMatch(/ solid [3-9]px$/)
    }
    await page.keyboard.press('Enter')
    await visit.tokens(request, await visit.back())
  })

  it('denies with the first button', async () => {
    const visit = await Visit.start()
    await visit.open(visit.request())
    await visit.page.keyboard.press('Tab')
    await visit.page.keyboard.press('Enter')
    expect((await visit.back()).get('error')).toBe('access_denied')
  })
})

describeWithBrowser('a customer without JavaScript', () => {
  it('can allow a client', async () => {
    const visit = await Visit.start({ browser: { javaScriptEnabled: false } })
    const request = visit.request()
    await visit.open(request)
    await allow(visit.page)
    await visit.tokens(request, await visit.back())
  })
})
