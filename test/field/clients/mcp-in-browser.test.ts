import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import cors from 'cors'
import { MemoryTenantStore } from 'customer-sign-in'
import express from 'express'
import { ApiHost } from '../../support/api-host'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { HostApp } from '../../support/host-app'
import { mcpServerOfToday } from '../../support/mcp-server'
import { allow } from '../../support/visit'

const root = join(__dirname, '../../..')
const path = '/v1/:tenantKey/mcp'

describeWithBrowser(
  'an MCP client in a browser, on another origin than the server, that speaks MCP 2026-07-28 alone',
  () => {
    let page: HostApp
    beforeAll(async () => {
      const args = [join(__dirname, 'mcp-in-browser.page.mjs'), '--bundle', '--format=esm', '--log-level=error']
      const script = execFileSync(join(root, 'node_modules/.bin/esbuild'), args, { maxBuffer: 64 * 1024 * 1024 })
      page = await HostApp.start(() =>
        express()
          .get('/page.js', (_req, res) => res.type('js').send(script))
          .use((_req, res) =>
            res.send(
              '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>',
            ),
          ),
      )
    })
    afterAll(() => page.stop())

    /** Opens the page at a server whose API takes calls from pages of this origin, with CORS as Start here has it. */
    async function opened(origin: string) {
      const host = await ApiHost.start({
        tenantStore: new MemoryTenantStore([{ key: 'acme' }]),
        authenticate: () => ({ subject: 'customer-1' }),
      })
      const api = { path, allowedOrigins: [origin] }
      host.app.use(path, cors({ origin: api.allowedOrigins, exposedHeaders: ['WWW-Authenticate'] }))
      host.app.all(path, host.signIn.protectedResource(api))
      host.app.post(path, mcpServerOfToday('reject')(host.signIn))
      const tab = await (await newBrowser()).newPage()
      await tab.goto(`${page.origin}?server=${host.baseUrl}/v1/acme/mcp`)
      return tab
    }

    it('finds the sign-in, and calls a tool for the customer who allows it', async () => {
      const tab = await opened(page.origin)
      await allow(tab)
      await tab.getByText('"text":"customer-1"').waitFor()
      expect(new URL(tab.url()).origin).toBe(page.origin)
    })

    it('gets nowhere if its origin is none of those that may call', async () => {
      const tab = await opened('https://other.example')
      await tab.getByText('Failed: ').waitFor()
      expect(new URL(tab.url()).pathname).toBe('/')
    })
  },
)
