import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CustomerSignInOptions, MemoryTenantStore } from 'customer-sign-in'
import express from 'express'
import { createSignIn } from '../test-options'
import type { HostMessage, HostSettings } from './settings'
import { openStore } from './store'

// One of a host's processes: sign-in on Redis or PostgreSQL, and a route that issues a code for a customer.
const settings: HostSettings = JSON.parse(process.env.HOST_SETTINGS ?? '')
const app = express()
const server = createServer(app).listen(0, '127.0.0.1', () => {
  // On a busy machine, a client may send a request just as an idle connection is closed.
  server.keepAliveTimeout = 0
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const needed: CustomerSignInOptions = {
    tenantStore: new MemoryTenantStore([
      {
        key: 'acme',
        id: 'acme',
        clients: [{ clientId: 'assistant-app', redirectUris: ['https://assistant.example/callback'] }],
        trustedIssuers: settings.trustedIssuers,
      },
    ]),
    tokenStore: openStore(settings),
    baseUrl: 'https://assistants.example',
    keys: { signing: [settings.signingKey], credentialSecrets: [settings.credentialSecret] },
    onEvent: (event) => tell({ event: event.type, error: event.type === 'error' ? event.error.message : undefined }),
  }
  // Where other processes want the same core, the store's answers take as long as they take.
  const signIn = createSignIn(needed, { hostTimeout: 60, ...settings.signIn })
  app.use(signIn)
  app.post('/codes', express.json(), async (req, res) => {
    res.json(await signIn.issueAuthorizationCode(req.body))
  })
  if (settings.mcpPath !== undefined) {
    const path = settings.mcpPath
    const guard = signIn.protectedResource({ path, scopes: ['profile'], checkRevocation: true })
    app.post(path, guard, async (req, res) => {
      // Loaded at the first call, because the processes of most tests do not need it.
      const { mcpServerOfToday } = await import('../mcp-server.js')
      await mcpServerOfToday()(signIn)(req, res)
    })
    // Other methods would open a stream of messages from the server, which has none to send.
    app.all(path, (_req, res) => void res.status(405).end())
  }
  tell({ url })
})

process.on('disconnect', () => process.exit())

function tell(message: HostMessage): void {
  process.send?.(message)
}
