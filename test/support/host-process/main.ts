import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCustomerSignIn, MemoryTenantStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import express from 'express'
import { Cluster, Redis } from 'ioredis'
import type { HostMessage, HostSettings } from './settings'

// One of a host's processes: sign-in on Redis, and a route that issues a code for a customer.
const settings: HostSettings = JSON.parse(process.env.HOST_SETTINGS ?? '')
// The tests break thousands of connections, and nobody is waiting for the reconnects.
const retryStrategy = () => 5
const redis =
  'cluster' in settings.redis
    ? new Cluster(settings.redis.cluster)
    : new Redis({ host: '127.0.0.1', retryStrategy, ...settings.redis })
redis.on('error', () => {})

const app = express()
const server = createServer(app).listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signIn = createCustomerSignIn({
    tenantStore: new MemoryTenantStore([
      {
        key: 'acme',
        id: 'acme',
        clients: [{ clientId: 'assistant-app', redirectUris: ['https://assistant.example/callback'] }],
      },
    ]),
    tokenStore: new RedisTokenStore(redis, settings.store),
    baseUrl: 'https://assistants.example',
    signingKeys: [settings.signingKey],
    credentialSecrets: [settings.credentialSecret],
    onEvent: (event) => tell({ event: event.type, error: event.type === 'error' ? event.error.message : undefined }),
    ...settings.signIn,
  })
  app.use(signIn)
  app.post('/codes', express.json(), async (req, res) => {
    res.json(await signIn.issueAuthorizationCode(req.body))
  })
  if (settings.mcpPath !== undefined) {
    const path = settings.mcpPath
    const guard = signIn.protectedResource({ path, scopes: ['profile'], checkRevocation: true })
    app.post(path, guard, async (req, res) => {
      // Loaded at the first call, because the processes of most tests do not need it.
      const { mcpServer } = await import('../mcp-server.js')
      await mcpServer(req, res)
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
