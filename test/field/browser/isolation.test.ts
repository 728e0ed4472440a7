import { describeWithBrowser } from '../../support/browser'
import { allow, site, Visit } from '../../support/visit'

describeWithBrowser('a page of somebody else', () => {
  it.each([
    ['the consent page', {}],
    ['the error page', { client_id: 'nobody' }],
  ])('cannot frame %s', async (_, parameters) => {
    const visit = await Visit.start()
    const framed = visit.host.url + visit.request(parameters).path
    const { origin } = await site((app) =>
      app.get('/', (_req, res) => res.send(`<iframe src="${framed.replaceAll('&', '&amp;')}"></iframe>`)),
    )
    const response = visit.page.waitForResponse(framed)
    await visit.page.goto(origin)
    await response
    const [, frame] = visit.page.frames()
    await frame?.waitForURL('chrome-error://**')
    expect(await frame?.getByRole('button', { name: 'Allow' }).count()).toBe(0)
  })
})

describeWithBrowser('a customer who presses Allow is sent', () => {
  const app = 'cursor://anysphere.cursor-mcp/oauth/callback'

  it('to an app with its own URI scheme', async () => {
    const visit = await Visit.start()
    const { page } = visit
    const clientId = await visit.registered('Cursor', app)
    await visit.open(visit.request({ client_id: clientId, redirect_uri: app }))
    const opened = page.waitForRequest((request) => request.url().startsWith(app))
    await allow(page)
    expect(new URL((await opened).url()).searchParams.get('code')).toMatch(/^csic_/)
  })

  it('to a web page that leads on to such an app', async () => {
    const visit = await Visit.start()
    const { page } = visit
    const { origin } = await site((routes) => routes.get('/callback', (_req, res) => res.redirect(app)))
    await visit.open(visit.request({ redirect_uri: `${origin}/callback` }))
    const opened = page.waitForRequest(app)
    await allow(page)
    await opened
  })
})
