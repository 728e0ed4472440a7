import { setTimeout as wait } from 'node:timers/promises'
import { MemoryTenantStore } from 'customer-sign-in'
import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import type { Express, Request, Response } from 'express'
import { Display, describeWithDisplay } from '../../support/display'
import { chromium } from '../../support/engines'
import { redirectUri } from '../../support/sign-in'
import { site } from '../../support/visit'

const ada = { tenantKey: 'acme', subject: 'ada' }
const clients = [{ clientId: 'notes', clientName: 'Notes', redirectUris: [redirectUri] }]

/** A browser without a debugger at a host with a login, a logout and the page of connected apps, of which one is connected. */
async function atHost(tell: (res: Response) => void) {
  const requests: string[] = []
  let isLoggedIn = true
  const signIn = testSignIn({ tenantStore: new MemoryTenantStore([{ key: 'acme', name: 'Acme', clients }]) })
  await tokensFor(signIn, { ...ada, clientId: 'notes' })
  const who = ({ headers }: Request, res: Response) =>
    isLoggedIn && headers.cookie === 'session=1' ? ada : res.redirect(303, '/login')
  const { origin } = await site((app: Express) => {
    app.use(({ method, path }, _res, next) => {
      requests.push(`${method} ${path}`)
      next()
    })
    app.get('/begin', (_req, res) =>
      // Nothing is before the page of connected apps: who goes back twice is there too.
      res.cookie('session', '1', { httpOnly: true }).send(`<script>location.replace('/apps')</script>`),
    )
    app.get('/logout', (_req, res) => {
      isLoggedIn = false
      tell(res)
      res.send(`<script>onload = () => fetch('/shown/logout')</script>`)
    })
    app.use('/apps', signIn.pages.connectedApps({ who }))
  })
  const display = await Display.open()
  // A key can get lost while a page appears.
  const until = async (isSo: () => boolean, meanwhile = () => {}) => {
    for (let count = 0; count < 200; count++) {
      if (isSo()) return
      if (count % 20 === 4) meanwhile()
      await wait(100)
    }
    throw new Error(`"${display.title()}" is shown. Requests: ${requests.join(', ')}`)
  }
  const requested = (request: string, meanwhile?: () => void) => until(() => requests.includes(request), meanwhile)
  const shown = (title: string, meanwhile?: () => void) => until(() => display.title().startsWith(title), meanwhile)
  display.browse(chromium, `${origin}/begin`)
  await shown('Connected apps')
  await requested('GET /shown/logout', () => {
    // The same address again adds nothing to the history.
    display.do('key', 'ctrl+l')
    display.do('type', `${origin}/logout`)
    display.do('key', 'Return')
  })
  requests.length = 0
  return { display, requested, shown, connected: async () => (await signIn.grants.list(ada)).grants.length }
}

describeWithDisplay(chromium, 'somebody who goes back after a logout', () => {
  it('finds nothing that acts, although the session has ended on the server alone: a press leads to the login', async () => {
    const { display, requested, shown, connected } = await atHost(() => {})
    await shown('Connected apps', () => display.do('key', 'alt+Left'))
    await requested('GET /login', () => {
      display.do('key', 'Tab')
      display.do('key', 'Return')
    })
    expect(await connected()).toBe(1)
  })

  it.each<[string, (res: Response) => void]>([
    ['its cookie is deleted', (res) => void res.clearCookie('session')],
    ['Clear-Site-Data says so', (res) => void res.set('Clear-Site-Data', '"cookies"')],
  ])('finds the login if %s', async (_, tell) => {
    const { display, requested, connected } = await atHost(tell)
    await requested('GET /login', () => display.do('key', 'alt+Left'))
    expect(await connected()).toBe(1)
  })
})
