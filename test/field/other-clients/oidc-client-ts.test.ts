import { join } from 'node:path'
import express from 'express'
import type { Page } from 'playwright-core'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { describeWith } from '../../support/describe-with'
import { HostApp } from '../../support/host-app'
import { allow } from '../../support/visit'
import { AcmeHost } from './acme-host'
import { installed } from './client-app'
import { codeOf, tenantStoreOfThePage } from './page'

const packages = join(__dirname, 'node_modules')
const code = codeOf('oidc-client-ts')
const imports = {
  'oidc-client-ts': '/packages/oidc-client-ts/dist/esm/oidc-client-ts.js',
  'jwt-decode': '/packages/jwt-decode/build/esm/index.js',
}
const page = `<!doctype html><title>Acme on the web</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">globalThis.acme = await import('/snippet.js')</script>`

/** What the page of the app has after it has loaded. */
declare const acme: {
  login(): Promise<void>
  callback(): Promise<{ access_token: string }>
  refresh(): Promise<{ access_token: string; refresh_token: string }>
}

const whenInstalled = describeWith('test/field/other-clients/node_modules', installed.npm)

describeWithBrowser('a browser', () => {
  whenInstalled('oidc-client-ts', () => {
    let host: AcmeHost
    let app: HostApp
    beforeAll(async () => {
      host = await AcmeHost.start(await tenantStoreOfThePage())
      app = await HostApp.start((origin) => {
        const adapted = code.replaceAll('https://your.host', host.origin).replaceAll('https://app.example', origin)
        return express()
          .use('/packages', express.static(packages))
          .get('/snippet.js', (_req, res) => res.type('js').send(adapted))
          .get(['/', '/callback'], (_req, res) => res.send(page))
      })
    })
    afterAll(async () => {
      await app.stop()
      await host.stop()
    })

    it('signs a customer in from a browser app, calls the API, and refreshes', async () => {
      const tab = await (await newBrowser({ ignoreHTTPSErrors: true })).newPage()
      await tab.goto(app.origin)
      await loaded(tab)
      await tab.evaluate(() => void acme.login())
      await allow(tab)
      await tab.waitForURL(`${app.origin}/callback**`)
      await loaded(tab)

      const api = `${host.origin}/v1/acme/bookings`
      const first = await tab.evaluate(() => acme.callback())
      expect(await tab.evaluate(called, { api, token: first.access_token })).toEqual(ada)

      const second = await tab.evaluate(() => acme.refresh())
      expect(await tab.evaluate(called, { api, token: second.access_token })).toEqual(ada)
      const third = await tab.evaluate(() => acme.refresh())
      expect(third.refresh_token).not.toBe(second.refresh_token)
      expect(host.count('refreshed')).toBe(2)
      expect(host.events.filter(({ type }) => type === 'denied' || type === 'error')).toEqual([])
    })
  })
})

const ada = { subject: 'ada', clientId: 'web-app' }

function loaded(tab: Page): Promise<unknown> {
  return tab.waitForFunction(() => 'acme' in globalThis)
}

/** Runs in the browser. */
async function called({ api, token }: { api: string; token: string }): Promise<unknown> {
  const response = await fetch(api, { headers: { authorization: `Bearer ${token}` } })
  return response.json()
}
