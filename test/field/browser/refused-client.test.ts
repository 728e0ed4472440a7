import axe, { type AxeResults } from 'axe-core'
import { MemoryTenantStore } from 'customer-sign-in'
import { packagedWords } from '../../../src/pages/languages'
import { describeWithBrowser } from '../../support/browser'
import { companies, Visit } from '../../support/visit'

describeWithBrowser('a customer of a company that does not allow the app', () => {
  it.each(Object.entries(packagedWords))(
    'reads the company’s rule on a narrow screen, in %s',
    async (tag, { error }) => {
      const visit = await Visit.start({
        browser: { viewport: { width: 320, height: 568 } },
        tenantStore: new MemoryTenantStore(companies.map((company) => ({ ...company, allowedClients: {} }))),
      })
      await visit.open(visit.request({ client_id: 'https://assistant.example/client.json', ui_locales: tag }))
      const { page } = visit
      const name = companies[0]?.name ?? ''
      await page.getByText(error.notAllowed.replaceAll('{tenant}', name)).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate<AxeResults>('axe.run()')
      expect(violations).toEqual([])
    },
  )
})
