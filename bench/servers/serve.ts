import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'
import type { ServerName } from '../lineup'
import type { Contender, StartContender } from './contender'
import type { HostApp } from './host-apps'
import type { Order } from './order'
import { endProfile, startProfile } from './profiler'

// Each process loads only its own server.
const starters: Record<ServerName, () => Promise<StartContender>> = {
  F0: async () => (await import('./floor.js')).floor('node:http', { stored: false }),
  F1: async () => (await import('./floor.js')).floor('node:http', { stored: true }),
  FX: async () => (await import('./floor.js')).floor('Express 5', { stored: true }),
  'F1, auto-pipelined': async () => (await import('./floor.js')).floor('node:http', { stored: true }),
  F2: async () => withPartsOfOurs('node:http'),
  'F2 in Express 5': async () => withPartsOfOurs('Express 5'),
  'F1 in Express 4': async () => (await import('./floor.js')).floor('Express 4', { stored: true }),
  'F1 in Connect': async () => (await import('./floor.js')).floor('Connect', { stored: true }),
  'customer-sign-in': async () => (await import('./customer-sign-in.js')).customerSignIn('node:http', 'Redis'),
  'customer-sign-in in Express 5': async () =>
    (await import('./customer-sign-in.js')).customerSignIn('Express 5', 'Redis'),
  'customer-sign-in in Express 4': async () =>
    (await import('./customer-sign-in.js')).customerSignIn('Express 4', 'Redis'),
  'customer-sign-in in Connect': async () => (await import('./customer-sign-in.js')).customerSignIn('Connect', 'Redis'),
  'customer-sign-in, in memory': async () =>
    (await import('./customer-sign-in.js')).customerSignIn('node:http', 'memory'),
  'customer-sign-in in Express 5, in memory': async () =>
    (await import('./customer-sign-in.js')).customerSignIn('Express 5', 'memory'),
  'customer-sign-in in Express 4, in memory': async () =>
    (await import('./customer-sign-in.js')).customerSignIn('Express 4', 'memory'),
  'customer-sign-in in Connect, in memory': async () =>
    (await import('./customer-sign-in.js')).customerSignIn('Connect', 'memory'),
  'oidc-provider': async () => (await import('./oidc-provider.js')).oidcProviderWithJwt,
  'oidc-provider, opaque tokens': async () => (await import('./oidc-provider.js')).oidcProviderWithOpaqueTokens,
  mcpAuthRouter: async () => (await import('./mcp-sdk.js')).mcpSdk,
  'express-oauth-server': async () => (await import('./express-oauth-server.js')).expressOAuthServer,
  oauth2orize: async () => (await import('./oauth2orize.js')).oauth2orize,
}

async function withPartsOfOurs(host: HostApp): Promise<StartContender> {
  const [{ floor }, { partsOfOurs }] = await Promise.all([import('./floor.js'), import('./floor-parts.js')])
  return floor(host, { stored: true, parts: partsOfOurs })
}

async function serve(name: ServerName, redisPort: number): Promise<void> {
  const redis = new Redis(redisPort, '127.0.0.1', { enableAutoPipelining: name === 'F1, auto-pipelined' })
  let handle: RequestListener = (_req, res) => res.writeHead(503).end()
  // No keep-alive timeout: a server waits while others have their turn.
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => handle(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const start = await starters[name]()
  const contender = await start(`http://127.0.0.1:${port}`, redis)
  handle = contender.handler
  process.on('disconnect', () => process.exit())
  process.on('message', (order: Order) => void obey(order, contender))
  process.send?.({ port, paths: contender.paths })
}

async function obey(order: Order, contender: Contender): Promise<void> {
  process.send?.(await answerTo(order, contender))
}

function answerTo(order: Order, contender: Contender): unknown {
  switch (order) {
    case 'cpu':
      return process.cpuUsage()
    case 'start profile':
      return startProfile().then(() => 'started')
    case 'end profile':
      return endProfile()
    default:
      return codesOf(contender, order.issueCodes)
  }
}

async function codesOf(contender: Contender, count: number): Promise<string[]> {
  const codes: string[] = []
  while (codes.length < count) {
    const some = Math.min(100, count - codes.length)
    codes.push(...(await Promise.all(Array.from({ length: some }, () => contender.issueCode()))))
  }
  return codes
}

const [name = '', redisPort] = process.argv.slice(2)
void serve(name as ServerName, Number(redisPort))
