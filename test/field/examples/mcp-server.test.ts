import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import supertest, { type Response } from 'supertest'
import { createHost } from '../../../examples/mcp-server/host'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { expectErrorPage } from '../../support/authorization'
import { describeWithBrowser } from '../../support/browser'
import { consentForm, hiddenFields } from '../../support/consent-form'

// `npx tsx examples/mcp-server/main.ts`
const command = ['--import', 'tsx', join('examples', 'mcp-server', 'main.ts')]
const noBrowser = { CHROMIUM_PATH: '/nowhere/chromium' }

function runOnce(env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [...command, '--once'], {
    encoding: 'utf8',
    timeout: 300_000,
    env: { ...process.env, ...env },
  })
}

describeWithBrowser('the MCP server with --once', () => {
  it('is connected, used, refreshed and disconnected, also by a company’s identity provider, and ends by itself', () => {
    const { status, stdout, stderr } = runOnce()
    // The SDK says so when the customer has disconnected the assistant, and when the company has switched it off.
    const invalidGrant = expect.stringMatching(/^(\[mcp-sdk\] OAuth "invalid_grant"[^\n]+\n){2}$/)
    expect({ status, stderr }).toEqual({ status: 0, stderr: invalidGrant })
    const lines = [
      /POST \/v1\/acme\/mcp: 401 Bearer scope="profile", resource_metadata="http:\/\/localhost:\d+\/\.well-known\/oauth-protected-resource\/v1\/acme\/mcp"/,
      /GET \/\.well-known\/oauth-protected-resource\/v1\/acme\/mcp: 200/,
      /GET \/\.well-known\/oauth-authorization-server\/v1\/acme\/oauth: 200/,
      /POST \/v1\/acme\/oauth\/register: 201/,
      /browser: \/v1\/acme\/login "Log in to Acme Air"/,
      /browser: \/v1\/acme\/oauth\/authorize "Connect Travel Assistant to Acme Air\?"/,
      /POST \/v1\/acme\/oauth\/token: 200\n {3}who_am_i: Ada, customer of Acme Air/,
      /POST \/v1\/acme\/mcp: 403 Bearer error="insufficient_scope", .*scope="profile trips:write", resource_metadata="/,
      /browser: \/v1\/acme\/oauth\/authorize "Connect Travel Assistant to Acme Air\?"/,
      /POST \/v1\/acme\/oauth\/token: 200\n {3}book_trip: Booked for Ada with Acme Air/,
      /POST \/v1\/acme\/oauth\/token: 200\n {3}who_am_i: Ada, customer of Acme Air/,
      /browser: \/v1\/acme\/apps "Connected apps"/,
      /POST \/v1\/acme\/mcp: 401 .*error_description="The access token has been revoked"/,
      /POST \/v1\/acme\/oauth\/token: 400 invalid_grant/,
      /POST \/v1\/globex\/oauth\/token: 200\n {3}who_am_i: lee@globex\.example, customer of Globex Hotels/,
      /POST \/v1\/globex\/oauth\/token: 400 invalid_grant/,
      /Every step went as it should\./,
    ]
    expect(stdout).toMatch(new RegExp(lines.map(({ source }) => source).join('.*'), 's'))
    expect(stdout).not.toMatch(/csi[cr]_|eyJ/)
  })

  it('fails with a non-zero exit code if a response is wrong', () => {
    const otherwise = `
      import { ServerResponse } from 'node:http'
      const { writeHead } = ServerResponse.prototype
      ServerResponse.prototype.writeHead = function (status, ...more) {
        return writeHead.call(this, status === 401 ? 403 : status, ...more)
      }`
    const { status, stdout, stderr } = runOnce({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(otherwise)}`,
    })
    expect(status).toBe(1)
    expect(stderr).toContain('That was not expected')
    expect(stdout).not.toContain('Every step went as it should')
  })
})

describe('the MCP server on a machine without a browser', () => {
  it('with --once says so, and fails', () => {
    const { status, stderr } = runOnce(noBrowser)
    expect(status).toBe(1)
    expect(stderr).toContain('There is no Chromium at /nowhere/chromium')
  })

  it('prints an address that is all a client needs to connect', async () => {
    const env = { ...process.env, ...noBrowser, PORT: '0' }
    const example = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [printed] = await once(example.stdout, 'data')
      const [address = ''] = /http:\S+\/mcp/.exec(String(printed)) ?? []
      const refused = await fetch(address, { method: 'POST' })
      const [, document = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '') ?? []
      const resource = (await (await fetch(document)).json()) as Record<string, unknown>
      const issuer = new URL('oauth', address).href
      expect(resource).toMatchObject({ resource: address, authorization_servers: [issuer] })
      const metadata = await fetch(`${issuer}/.well-known/oauth-authorization-server`)
      expect(await metadata.json()).toMatchObject({ issuer, registration_endpoint: `${issuer}/register` })
    } finally {
      example.kill()
      await once(example, 'exit')
    }
  })
})

describe('the pages of the MCP server', () => {
  const baseUrl = 'http://localhost:3000'
  const app = createHost(baseUrl, () => {})

  /** A browser in which somebody has logged in. */
  async function loggedIn(name: string, company = 'acme') {
    const agent = supertest.agent(app)
    await agent.post(`/v1/${company}/login`).type('form').send({ name }).expect(303)
    return agent
  }

  async function registered(): Promise<string> {
    const metadata = { client_name: '<b>Bold</b>', redirect_uris: ['http://127.0.0.1/callback'] }
    const { body } = await supertest(app).post('/v1/acme/oauth/register').send(metadata).expect(201)
    return body.client_id
  }

  const codeVerifier = 'v'.repeat(43)

  async function authorizePath(more: Record<string, string> = {}): Promise<string> {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: await registered(),
      redirect_uri: 'http://127.0.0.1/callback',
      code_challenge: codeChallengeOf(codeVerifier),
      code_challenge_method: 'S256',
      ...more,
    })
    return `/v1/acme/oauth/authorize?${query}`
  }

  /** A customer who has connected an assistant. */
  async function connected(name: string) {
    const agent = await loggedIn(name)
    const path = await authorizePath()
    const form = consentForm(await agent.get(path).expect(200))
    const allowed = await agent.post(path).type('form').send({ consent_token: form.token, decision: 'allow' })
    const { searchParams } = new URL(allowed.headers.location ?? '')
    await agent
      .post('/v1/acme/oauth/token')
      .type('form')
      .send({
        grant_type: 'authorization_code',
        client_id: new URLSearchParams(path.split('?')[1]).get('client_id'),
        code: searchParams.get('code'),
        redirect_uri: 'http://127.0.0.1/callback',
        code_verifier: codeVerifier,
      })
      .expect(200)
    return agent
  }

  /** The form of a question, answered with yes. */
  const formOn = (page: Response): Record<string, string> => ({ ...hiddenFields(page), decision: 'allow' })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    `${baseUrl}.evil.example/v1/acme/`,
    `${baseUrl}@evil.example/v1/acme/`,
    `${baseUrl}/v1/globex/apps`,
    'javascript:alert(1)',
    '',
  ])('do not redirect from the login to %j', async (next) => {
    const { headers } = await supertest(app).post('/v1/acme/login').query({ next }).type('form').send({ name: 'Ada' })
    expect(headers.location).toBe(`${baseUrl}/v1/acme/apps`)
  })

  it('log nobody in without a name, or for a form on another site', async () => {
    const nameless = await supertest(app).post('/v1/acme/login').type('form').send({ name: ' ' }).expect(400)
    expect(nameless.headers).not.toHaveProperty('set-cookie')
    const foreign = supertest(app).post('/v1/acme/login').type('form').set('Origin', 'https://evil.example')
    expect((await foreign.send({ name: 'Ada' }).expect(403)).headers).not.toHaveProperty('set-cookie')
  })

  it('keep a login to its company', async () => {
    const agent = await loggedIn('Ada', 'globex')
    await agent.get('/v1/globex/apps').expect(200)
    const { headers } = await agent.get('/v1/acme/apps').expect(303)
    expect(headers.location).toMatch('/v1/acme/login?next=')
  })

  it('exist only for known companies', async () => {
    for (const page of ['login', 'connect', 'apps', 'mcp']) await supertest(app).get(`/v1/initech/${page}`).expect(404)
  })

  it('show an assistant by its name, as text', async () => {
    const { text } = await (await connected('<i>Ada</i>')).get('/v1/acme/apps')
    expect(text).toContain('<bdi>&#60;b&#62;Bold&#60;/b&#62;</bdi>')
  })

  it('let customers disconnect their own assistants only', async () => {
    const [ada, grace] = await Promise.all([connected('Ada'), connected('Grace')])
    const form = formOn(await ada.post('/v1/acme/apps').type('form').send({ asked: 'disconnect=all' }))
    const disconnect = (agent: typeof ada) => agent.post('/v1/acme/apps').type('form').send(form)

    await disconnect(grace).expect(200)
    await disconnect(supertest.agent(app)).expect(303)
    await disconnect(ada).set('Sec-Fetch-Site', 'cross-site').expect(303)
    expect((await ada.get('/v1/acme/apps')).text).toContain('Disconnect')
    await disconnect(ada).expect(303)
    expect((await ada.get('/v1/acme/apps')).text).toContain('You have connected no apps to')
  })

  it('ask for a login if the client wants a fresh one, and for none if it wants no page', async () => {
    const ada = await loggedIn('Ada')
    const fresh = await ada.get(await authorizePath({ prompt: 'login' })).expect(303)
    expect(fresh.headers.location).toMatch(/^\/v1\/acme\/login\?next=/)
    const none = await supertest(app).get(await authorizePath({ prompt: 'none' }))
    expect(expectErrorPage(none)).toContain('interaction_required')
  })
})
