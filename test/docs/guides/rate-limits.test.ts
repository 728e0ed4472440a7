import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { rateLimit } from 'express-rate-limit'
import { Redis } from 'ioredis'
import request from 'supertest'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { clientId, formBody, redirectUri, type Tokens } from '../../support/sign-in'
import { snippetFolder, snippetsOf, snippetWith, tableUnder, textOf } from '../pages'
import { SnippetProcess } from './snippet-process'

const page = 'docs/rate-limits.md'

// A host with its own authorize page, at which every customer is known and agrees.
const before = `
import express from 'express'
import { Redis } from 'ioredis'
import { createCustomerSignIn, MemoryTenantStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
const redis = new Redis(String(process.env.REDIS_URL))
const log = { error(error) { throw error } }
const app = express().set('trust proxy', 'loopback')
const signIn = createCustomerSignIn({
  tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1', clients: [{ clientId: '${clientId}', redirectUris: ['${redirectUri}'] }] }]),
  tokenStore: new RedisTokenStore(redis),
  baseUrl: 'https://assistants.example',
  keys: { signing: [String(process.env.SIGNING_KEY)] },
  refreshRetryWindow: 300,
  hostTimeout: 60,
  onEvent() {},
})
app.post('/codes', express.json(), async (req, res) => res.json(await signIn.issueAuthorizationCode(req.body)))
`
const after = `
const server = app.listen(0, '127.0.0.1', () => process.send('http://127.0.0.1:' + server.address().port))
`
// A slow machine must not see the end of a minute within a test.
const inTenMinutes = (text: string) => text.replaceAll('60_000', '600_000')
// rate-limits.ts of Start here with the class of the page in place of its own, as the page says.
const limiter = textOf('examples/start-here/rate-limits.ts')
  .replace(
    /^\/\*\* Counts in PostgreSQL[\s\S]*?^\}\n/m,
    snippetWith('class RedisCounts', [page]).code.replace(/^import .*$/gm, ''),
  )
  .replaceAll('PostgresCounts', 'RedisCounts')
  .replace("import type { Pool } from 'pg'", "import type { Redis } from 'ioredis'")
  .replace('pool: Pool', 'pool: Redis')
const mounted = 'for (const [paths, limit] of rateLimits(redis)) app.use(paths, limit)\napp.use(signIn)\n'
const code = inTenMinutes(limiter)

describeWithRedis('the limiter of docs/rate-limits.md, in two processes with one Redis', () => {
  let redis: RedisServer
  let hosts: SnippetProcess[]
  beforeAll(async () => {
    redis = await RedisServer.start()
    const environment = { REDIS_URL: redis.url, SIGNING_KEY: newKey() }
    hosts = await Promise.all([1, 2].map(() => SnippetProcess.start(before + code + mounted + after, environment)))
  })
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.stop()))
    await redis.stop()
  })

  /** Sends a form to one of the processes, from an address that their proxy names. */
  function post(path: string, address: string, body: string | object, host = 0) {
    const { url = '' } = hosts[host] ?? {}
    return request(url).post(`/v1/acme/oauth/${path}`).set('X-Forwarded-For', address).send(body)
  }

  const register = (address: string, host: number) => post('register', address, { redirect_uris: [redirectUri] }, host)
  const refresh = (refreshToken: string, address: string, host = 0) =>
    post(
      'token',
      address,
      formBody({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }),
      host,
    )

  async function connected(): Promise<Tokens> {
    const codeVerifier = 'v'.repeat(43)
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
    const issued = {
      tenantKey: 'acme',
      clientId,
      redirectUri,
      codeChallenge,
      codeChallengeMethod: 'S256',
      subject: 'ada',
    }
    const { body } = await request(hosts[0]?.url ?? '')
      .post('/codes')
      .send(issued)
      .expect(200)
    const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri, code: body.code }
    return (await post('token', '192.0.2.99', formBody({ ...form, code_verifier: codeVerifier })).expect(200)).body
  }

  it('counts a flood of registrations together, and tells clients when to come again', async () => {
    const statuses: number[] = []
    for (let each = 0; each < 40; each++) statuses.push((await register('192.0.2.1', each % 2)).status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
    const { headers, body } = await register('192.0.2.1', 1).expect(429)
    expect(body.error).toBe('too_many_requests')
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'access-control-allow-origin': '*',
      'retry-after': expect.stringMatching(/^\d+$/),
    })
    await register('192.0.2.2', 0).expect(201)
  })

  it('counts the addresses of one IPv6 customer as one, and others apart', async () => {
    for (let each = 0; each < 20; each++) await register(`2001:db8:1:2::${each + 1}`, each % 2).expect(201)
    await register('2001:db8:1:2:ffff::1', 0).expect(429)
    await register('2001:db8:1:3::1', 0).expect(201)
  })

  it('stops who presents wrong refresh tokens, and lets all refreshes of an assistant through from one address', async () => {
    const wrong = `csir_${'x'.repeat(84)}`
    const flood = Array.from({ length: 300 }, (_, each) => refresh(wrong, '192.0.2.3', each % 2))
    for (const { status } of await Promise.all(flood)) expect([400, 429]).toContain(status)
    // A process that did not reach the limit itself lets one refusal through.
    for (const host of [0, 1]) await refresh(wrong, '192.0.2.3', host)
    for (const host of [0, 1]) await refresh(wrong, '192.0.2.3', host).expect(429)

    const { refresh_token } = await connected()
    const busy = Array.from({ length: 400 }, (_, each) => refresh(refresh_token, '192.0.2.4', each % 2))
    const statuses = (await Promise.all(busy)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('counts no preflights', async () => {
    for (let each = 0; each < 30; each++) {
      const { url = '' } = hosts[0] ?? {}
      await request(url).options('/v1/acme/oauth/register').set('X-Forwarded-For', '192.0.2.5').expect(204)
    }
    await register('192.0.2.5', 0).expect(201)
  })
})

describeWithRedis('the limiter of docs/rate-limits.md, without its Redis', () => {
  it('limits nobody, and delays nobody', async () => {
    const server = await RedisServer.start()
    // As the page says.
    const redis = new Redis(server.port, '127.0.0.1', { enableOfflineQueue: false, commandTimeout: 200 })
    redis.on('error', () => {})
    await once(redis, 'ready')
    const reported = jest.spyOn(console, 'error').mockImplementation()
    const app = express()
    const serve: express.RequestHandler = (_req, res) => void res.status(400).json({ served: true })
    const folder = snippetFolder()
    writeFileSync(join(folder, 'limiter.ts'), limiter)
    const { rateLimits } = await import(join(folder, 'limiter.ts'))
    rmSync(folder, { recursive: true })
    for (const [paths, limit] of rateLimits(redis)) app.use(paths, limit)
    app.use(serve)
    await server.stop()
    for (const path of ['/v1/acme/oauth/register', '/v1/acme/oauth/token']) {
      const { body } = await request(app).post(path).expect(400)
      expect(body).toEqual({ served: true })
    }
    redis.disconnect()
    reported.mockRestore()
  })
})

describe('the limit of docs/rate-limits.md for an API', () => {
  it('counts by grant, wherever the request comes from', async () => {
    const { code } = snippetWith('const byGrant', [page])
    const guard = () => (req: object, _res: object, next: () => void) => {
      const { authorization } = Object(req).headers
      Object.assign(req, { auth: { grantId: authorization } })
      next()
    }
    const app: Express = express()
    const body = inTenMinutes(code).replace(/^import .*$/gm, '')
    const mcp = (_req: object, res: { end(): void }) => res.end()
    new Function('app', 'signIn', 'rateLimit', 'mcp', body)(
      app,
      { protectedResource: guard, auth: ({ auth }: { auth: unknown }) => auth },
      rateLimit,
      mcp,
    )
    const call = (grant: string) => request(app).post('/v1/acme/mcp').set('Authorization', grant)
    for (let each = 0; each < 120; each++) await call('one').expect(200)
    expect((await call('one').expect(429)).body.error).toBe('too_many_requests')
    await call('another').expect(200)
  })
})

it('the figures in the table of docs/rate-limits.md are those of its code, and of nginx', () => {
  const figures = tableUnder('## What to count', page).map(([route = '', , figure]) => [
    route.replaceAll('`', ''),
    figure,
  ])
  const limitOf = (name: string) => new RegExp(`${name}: (\\d+)`).exec(limiter)?.[1]
  const [, refused] = /refusedAtMost\((\d+), new/.exec(limiter) ?? []
  expect(figures).toEqual([
    ['I/register', limitOf('register')],
    ['I/authorize', limitOf('authorize')],
    ['I/token', refused],
    ['I/revoke', limitOf('revoke')],
    ['I/jwks, /.well-known', limitOf('jwks')],
    ['your own API', 'as you like'],
  ])
  const rates = [...textOf(page).matchAll(/zone=(\w+):10m +rate=(\d+)r\/m/g)].map(([, zone, rate]) => [zone, rate])
  expect(rates).toEqual([
    ['register', limitOf('register')],
    ['authorize', limitOf('authorize')],
    ['documents', limitOf('jwks')],
  ])
})

it('each snippet of docs/rate-limits.md is one that a test runs', () => {
  expect(snippetsOf(page)).toHaveLength(3)
})

function newKey(): string {
  return String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }))
}
