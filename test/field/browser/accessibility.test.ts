import { MemoryTenantStore } from 'customer-sign-in'
import { findings } from '../../support/axe-findings'
import { describeWithBrowser } from '../../support/browser'
import { companies, site, Visit } from '../../support/visit'

const logoUri = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"/>')}`

describe.each(['light', 'dark'] as const)('in a %s browser, axe finds no fault with', (colorScheme) => {
  const browser = { colorScheme }

  describeWithBrowser('the consent page', () => {
    it('for the company’s own app', async () => {
      const visit = await Visit.start({ browser })
      await visit.open(visit.request())
      expect(await findings(visit.page)).toEqual([])
    })

    it('for an app with a metadata document, at a company with a logo', async () => {
      const { origin } = await site((app) =>
        app.get('/client.json', (_req, res) => {
          const redirect_uris = [visit.redirectUri]
          res.json({ client_id: `${origin}/client.json`, client_name: 'Travel Assistant', redirect_uris })
        }),
      )
      const visit = await Visit.start({
        browser,
        clients: { documents: 'with-loopback' },
        tenantStore: new MemoryTenantStore(companies.map((company) => ({ ...company, logoUri }))),
        scopes: { profile: 'Know who you are', bookings: 'See your bookings' },
      })
      await visit.open(visit.request({ client_id: `${origin}/client.json` }))
      await visit.page.getByText(new URL(origin).host).waitFor()
      expect(await findings(visit.page)).toEqual([])
    })

    it('when it asks a second time, on a phone', async () => {
      const visit = await Visit.start({ browser: { ...browser, hasTouch: true, isMobile: true } })
      await visit.open(visit.request({ client_id: await visit.registered('Travel Assistant') }))
      await visit.page.getByRole('button', { name: 'Allow' }).tap()
      await visit.page.getByRole('heading', { name: 'Are you sure' }).waitFor()
      await visit.page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
      expect(await findings(visit.page)).toEqual([])
    })

    it('on a narrow screen, with a button in focus', async () => {
      const visit = await Visit.start({ browser: { ...browser, viewport: { width: 320, height: 568 } } })
      await visit.open(visit.request({ client_id: await visit.registered('Travel Assistant') }))
      await visit.page.keyboard.press('Tab')
      // So that no text is beneath the soft edge of a longer page: axe takes its background for that of the text.
      await visit.page.evaluate('scrollTo(0, document.body.scrollHeight)')
      expect(await findings(visit.page)).toEqual([])
    })
  })

  describeWithBrowser('the error page', () => {
    it('for an app that is not known, at a company with a page to go back to', async () => {
      const visit = await Visit.start({ browser })
      await visit.open(visit.request({ client_id: 'nobody' }))
      await visit.page.getByRole('heading', { name: 'Sign-in did not work' }).waitFor()
      expect(await findings(visit.page)).toEqual([])
    })

    it('for an app whose address does not answer, with a link that works without a script', async () => {
      let isAway = true
      const { origin } = await site((app) =>
        app.get('/client.json', (_req, res) => {
          const redirect_uris = ['http://127.0.0.1/callback']
          const document = { client_id: `${origin}/client.json`, client_name: 'Travel Assistant', redirect_uris }
          res.status(isAway ? 403 : 200).json(document)
        }),
      )
      const visit = await Visit.start({ browser, clients: { documents: 'with-loopback' } })
      const redirect_uri = 'http://127.0.0.1:41234/callback'
      await visit.open(visit.request({ client_id: `${origin}/client.json`, redirect_uri }))
      expect(await findings(visit.page)).toEqual([])
      isAway = false
      await visit.page.getByRole('link', { name: 'Try again' }).click()
      await visit.page.getByText('Any app on this device can pretend').waitFor()
      expect(await findings(visit.page)).toEqual([])
    })
  })
})
