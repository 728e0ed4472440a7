import type { ServerName } from '../lineup'
import type { StartContender } from './contender'
import type { StoreName } from './customer-sign-in'
import type { HostApp } from './host-apps'
import { serve } from './serving'

// All commands of a turn of the event loop leave in one write.
const autoPipelining = { enableAutoPipelining: true }

// Each process loads only its own server.
const starters: Record<ServerName, () => Promise<StartContender>> = {
  F0: floorOn('node:http', false),
  F1: floorOn('node:http'),
  FX: floorOn('Express 5'),
  'customer-sign-in': oursOn('node:http', 'Redis'),
  'customer-sign-in in Express 5': oursOn('Express 5', 'Redis'),
  'customer-sign-in, PostgreSQL': oursOn('node:http', 'PostgreSQL'),
  'customer-sign-in in Express 5, PostgreSQL': oursOn('Express 5', 'PostgreSQL'),
  'customer-sign-in in Express 5, PostgreSQL in a pipeline': oursOn('Express 5', 'PostgreSQL in a pipeline'),
  'customer-sign-in, appendfsync everysec': oursOn('node:http', 'Redis'),
  'customer-sign-in, PostgreSQL, synchronous_commit on': oursOn('node:http', 'PostgreSQL'),
  'customer-sign-in, with a signer': async () => (await import('./customer-sign-in.js')).customerSignInWithSigner,
  'customer-sign-in, in memory': oursOn('node:http', 'memory'),
  'oidc-provider': async () => (await import('./oidc-provider.js')).oidcProviderWithJwt,
  'oidc-provider, opaque tokens': async () => (await import('./oidc-provider.js')).oidcProviderWithOpaqueTokens,
  mcpAuthRouter: async () => (await import('./mcp-sdk.js')).mcpSdk(),
  'mcpAuthRouter, auto-pipelining': async () => (await import('./mcp-sdk.js')).mcpSdk(autoPipelining),
  'express-oauth-server': async () => (await import('./express-oauth-server.js')).expressOAuthServer,
  oauth2orize: async () => (await import('./oauth2orize.js')).oauth2orize(),
  'oauth2orize, auto-pipelining': async () => (await import('./oauth2orize.js')).oauth2orize(autoPipelining),
}

function floorOn(host: HostApp, isStored = true) {
  return async () => (await import('./floor.js')).floor(host, isStored)
}

function oursOn(host: HostApp, store: StoreName) {
  return async () => (await import('./customer-sign-in.js')).customerSignIn(host, store)
}

const [name = '', databasePort] = process.argv.slice(2)
void starters[name as ServerName]().then((start) => serve(start, Number(databasePort)))
