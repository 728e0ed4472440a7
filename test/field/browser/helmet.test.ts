import { MemoryTenantStore } from 'customer-sign-in'
import type { Express } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import type { Page } from 'playwright-core'
import { Authorization } from '../../support/authorization'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { testSignIn } from '../../support/host-app'
import { allow, companies, site } from '../../support/visit'

// What docs/configuration.md tells a host to set for its login page. These hosts are http, so no browser must upgrade to https.
const forLoginPage: HelmetOptions = {
  contentSecurityPolicy: { directives: { formAction: null, upgradeInsecureRequests: null } },
  crossOriginOpenerPolicy: { policy: 'unsafe-none' },
  referrerPolicy: { policy: 'same-origin' },
}

/** Starts a host with helmet in front of everything, and with other settings of helmet for the login page. */
async function hostWithHelmet(loginPage: HelmetOptions, firstParty: boolean) {
  const tenants = companies.map((company) => ({
    ...company,
    clients: company.clients?.map((client) => ({ ...client, firstParty })),
  }))
  let routes: Express | undefined
  const formsFrom: unknown[] = []
  const { origin } = await site((app) => {
    routes = app
    app.use(helmet())
    app.use('/login', helmet(loginPage))
    app.get('/login', (_req, res) => void res.send('<form method="post"><button>Log in</button></form>'))
    app.post('/login', ({ query, headers }, res) => {
      formsFrom.push(headers.origin)
      res.cookie('customer', 'ada').redirect(303, String(query.next))
    })
  })
  routes?.use(
    testSignIn({
      baseUrl: origin,
      tenantStore: new MemoryTenantStore(tenants),
      authenticate: ({ headers }, res, { url }) => {
        if (headers.cookie?.includes('customer=')) return { subject: 'ada', name: 'Ada' }
        res.writeHead(303, { Location: `/login?next=${encodeURIComponent(url)}` }).end()
      },
    }),
  )
  return { origin, formsFrom }
}

/** Lets an app in a browser open a window for the sign-in, in which the customer logs in. */
async function loggedInPopup({
  loginPage = {},
  firstParty = false,
}: {
  loginPage?: HelmetOptions
  firstParty?: boolean
}) {
  const { origin: host, formsFrom } = await hostWithHelmet(loginPage, firstParty)
  const app = await site((routes) => {
    routes.get('/', (_req, res) => void res.send('<a target="_blank" rel="opener" href="/connect">Connect</a>'))
    routes.get('/connect', ({ headers }, res) => {
      const request = new Authorization({ url: host }, { redirect_uri: `http://${headers.host}/callback` })
      res.redirect(303, host + request.path)
    })
    routes.get('/callback', (_req, res) => void res.send('<script>opener.document.title = location.search</script>'))
  })
  const opener = await (await newBrowser()).newPage()
  await opener.goto(app.origin)
  const [popup] = await Promise.all([opener.waitForEvent('popup'), opener.getByText('Connect').click()])
  const messages: string[] = []
  popup.on('console', (message) => messages.push(message.text()))
  await popup.getByRole('button', { name: 'Log in' }).click({ noWaitAfter: true })
  return { opener, popup, messages, host, formsFrom }
}

async function expectCodeIn(opener: Page): Promise<void> {
  await opener.waitForFunction('document.title.includes("code=")')
  expect(new URLSearchParams(await opener.title()).get('code')).toMatch(/^csic_/)
}

describeWithBrowser('a host with helmet in front, whose login page sets what the docs say', () => {
  it('lets a client open the sign-in in a window of its own, and tells it the result', async () => {
    const { opener, popup } = await loggedInPopup({ loginPage: forLoginPage })
    await allow(popup)
    await expectCodeIn(opener)
  })

  it('is told that the form comes from its own page', async () => {
    const { popup, host, formsFrom } = await loggedInPopup({ loginPage: forLoginPage })
    await popup.getByRole('button', { name: 'Allow' }).waitFor()
    expect(formsFrom).toEqual([host])
  })

  it('leads from the login page straight to a client that needs no consent page', async () => {
    const { opener } = await loggedInPopup({ loginPage: forLoginPage, firstParty: true })
    await expectCodeIn(opener)
  })
})

describeWithBrowser('a login page with what helmet sets by default', () => {
  it('cuts the window off from the client that opened it, for good', async () => {
    const { contentSecurityPolicy } = forLoginPage
    const { popup } = await loggedInPopup({ loginPage: { contentSecurityPolicy } })
    await popup.getByRole('button', { name: 'Allow' }).waitFor()
    expect(await popup.evaluate('opener')).toBeNull()
  })

  it('is not told that the form comes from its own page', async () => {
    const { referrerPolicy: _, ...loginPage } = forLoginPage
    const { popup, formsFrom } = await loggedInPopup({ loginPage })
    await popup.getByRole('button', { name: 'Allow' }).waitFor()
    expect(formsFrom).toEqual(['null'])
  })

  it('does not lead to a client that needs no consent page', async () => {
    const { crossOriginOpenerPolicy } = forLoginPage
    const contentSecurityPolicy = { directives: { upgradeInsecureRequests: null } }
    const loginPage = { contentSecurityPolicy, crossOriginOpenerPolicy }
    const { popup, messages } = await loggedInPopup({ loginPage, firstParty: true })
    if (!messages.some((text) => text.includes('form-action')))
      await popup.waitForEvent('console', (message) => message.text().includes('form-action'))
    expect(popup.url()).toContain('/login')
  })
})
