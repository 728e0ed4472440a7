import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCustomerSignIn, MemoryTenantStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import type { ServerName } from '../bench/lineup'
import { setup } from '../bench/servers/contender'
import { RedisProcess } from '../scripts/redis-process'
import { check } from './check'
import { report } from './report'
import { storiesOf } from './stories'
import { type Held, TokenEndpoint } from './token-endpoint'
import { judge, type Verdict } from './verdict'

// The servers of the benchmark run as they are compiled.
const { ServerProcess }: typeof import('../bench/server-process') = require('../bench/dist/bench/server-process.js')

/** A server that is checked, and how it is set up. */
export interface Checked {
  name: string
  settings: string
  requests: number
  verdict: Verdict
}

interface Running {
  url: string
  codes(count: number): Promise<string[]>
  stop(): Promise<void>
}

const { values } = parseArgs({
  options: { waits: { type: 'string', default: '1,60' }, rounds: { type: 'string', default: '5' } },
})
const window = 300
const terms = {
  sizes: [2, 4, 8, 16],
  waits: values.waits.split(',').map(Number),
  late: window + 15,
  rounds: Number(values.rounds),
}
const file = join(__dirname, 'results.json')

const servers: { name: string; settings: string; start(port: number): Promise<Running> }[] = [
  { name: 'customer-sign-in', settings: `refreshRetryWindow: ${window}, Redis`, start: (port) => ours(port, window) },
  { name: 'customer-sign-in, strict', settings: 'without a window, Redis', start: (port) => ours(port, 0) },
  {
    name: 'oidc-provider',
    settings: 'rotateRefreshToken: true, an adapter for Redis like its example',
    start: (port) => ofBenchmark('oidc-provider', port),
  },
  {
    name: 'mcpAuthRouter',
    settings: 'the provider of its SDK’s example, which deletes the used token, with Redis',
    start: (port) => ofBenchmark('mcpAuthRouter', port),
  },
  {
    name: 'oauth2orize',
    settings: 'callbacks that delete the used token, with Redis',
    start: (port) => ofBenchmark('oauth2orize', port),
  },
]

async function main(): Promise<void> {
  // All of them wait at the same time.
  const checked = await Promise.all(servers.map(checkedOn))
  const about = { node: process.versions.node, processor: cpus()[0]?.model, terms }
  writeFileSync(file, `${JSON.stringify({ about, checked }, null, 1)}\n`)
  for (const { name, settings, requests, verdict } of checked) {
    process.stdout.write(`\n## ${name} (${settings}), ${requests} requests\n\n${report(verdict)}`)
  }
}

async function checkedOn({ name, settings, start }: (typeof servers)[number]): Promise<Checked> {
  const redis = await RedisProcess.start({ settings: [] })
  const server = await start(redis.port)
  try {
    const plans = storiesOf(terms)
    const tokens = await Promise.all((await server.codes(plans.length)).map((code) => redeemed(server.url, code)))
    const endpoint = new TokenEndpoint(new URL(server.url), 10 * plans.length, {})
    const verdict = judge(await check(endpoint, plans, tokens))
    return { name, settings, requests: endpoint.sent, verdict }
  } finally {
    await server.stop()
    await redis.stop()
  }
}

async function redeemed(url: string, code: string): Promise<Held> {
  const { clientId, redirectUri, codeVerifier } = setup
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  })
  const { refresh_token: token } = JSON.parse(await (await fetch(url, { method: 'POST', body })).text())
  return { token, clientId }
}

async function ofBenchmark(name: ServerName, redisPort: number): Promise<Running> {
  const server = await ServerProcess.start(name, redisPort)
  return {
    url: `http://127.0.0.1:${server.port}${server.paths.token}`,
    codes: (count) => server.issueCodes(count),
    stop: () => server.stop(),
  }
}

/** This library in this process, as its README mounts it. */
async function ours(redisPort: number, refreshRetryWindow: number): Promise<Running> {
  const { clientId, redirectUri, codeChallenge, scope, subject } = setup
  const redis = new Redis(redisPort, '127.0.0.1')
  const server = createServer((req, res) => signIn(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const scopes = scope.split(' ')
  const signIn = createCustomerSignIn({
    tenantStore: new MemoryTenantStore([{ key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }], scopes }]),
    tokenStore: new RedisTokenStore(redis),
    baseUrl: origin,
    keys: { signing: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey] },
    refreshRetryWindow,
  })
  const codeFor = async (_: unknown, number: number) => {
    const request = { tenantKey: 'acme', clientId, redirectUri, scopes, subject: `${subject}-${number}` }
    return (await signIn.issueAuthorizationCode({ ...request, codeChallenge, codeChallengeMethod: 'S256' })).code
  }
  return {
    url: `${origin}/v1/acme/oauth/token`,
    codes: (count) => Promise.all(Array.from({ length: count }, codeFor)),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      redis.disconnect()
    },
  }
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
