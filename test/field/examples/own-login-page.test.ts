import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import supertest from 'supertest'
import { createHost } from '../../../examples/own-login-page/host'
import { authorizationUrl } from '../../../examples/own-login-page/walk'

// `npx tsx examples/own-login-page/main.ts`
const command = ['--import', 'tsx', join('examples', 'own-login-page', 'main.ts')]

function runOnce(env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [...command, '--once'], {
    encoding: 'utf8',
    timeout: 300_000,
    env: { ...process.env, ...env },
  })
}

describe('the login page of a host’s own', () => {
  it('with --once goes from the login to a token, and ends by itself', () => {
    const { status, stdout, stderr } = runOnce()
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      'GET  /v1/acme/oauth/authorize: 303, on to /login',
      'POST /login: 303, on to /v1/acme/oauth/authorize',
      'GET  /v1/acme/oauth/authorize: 200',
      'POST /v1/acme/oauth/authorize: 303, on to /arrived',
      'POST /v1/acme/oauth/token: 200',
      'The client may act for cus_W2kq8ZpX4nTb, with the scope profile.',
      'Every step went as it should.',
      '',
    ])
  })

  it('fails with a non-zero exit code if a response is wrong', () => {
    const loggedOut = `
      import { ServerResponse } from 'node:http'
      const { setHeader } = ServerResponse.prototype
      ServerResponse.prototype.setHeader = function (name, value) {
        return name === 'Set-Cookie' ? this : setHeader.call(this, name, value)
      }`
    const { status, stderr } = runOnce({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(loggedOut)}`,
    })
    expect(status).toBe(1)
    expect(stderr).toContain('That was not expected')
  })

  it('prints an address to open, at which a customer is asked to log in', async () => {
    const env = { ...process.env, PORT: '0' }
    const example = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [printed] = await once(example.stdout, 'data')
      const [address = ''] = /http:\S+/.exec(String(printed)) ?? []
      expect(await (await fetch(address)).text()).toContain('<h1>Log in</h1>')
    } finally {
      example.kill()
      await once(example, 'exit')
    }
  })

  it('takes no more than ten lines of authenticate', () => {
    const host = readFileSync(join('examples', 'own-login-page', 'host.ts'), 'utf8')
    const [, body = ''] = /authenticate\(.*?\) \{\n(.*?)\n {2}\}/s.exec(host) ?? []
    expect(body).toContain('redirect')
    expect(body.split('\n').length).toBeLessThanOrEqual(8)
  })
})

describe('the host with a login page of its own', () => {
  const baseUrl = 'http://localhost:3000'
  const app = createHost(baseUrl)
  const logIn = (next: string) =>
    supertest(app).post('/login').query({ next }).type('form').send({ email: 'ada@example.com' })

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    `${baseUrl}.evil.example/`,
    'javascript:1',
    '',
  ])('does not redirect from its login to %j', async (next) => {
    expect((await logIn(next)).headers.location).toBe('/')
  })

  it('asks for a login if the client wants a fresh one, and for none if it wants no page', async () => {
    const path = authorizationUrl(baseUrl).slice(baseUrl.length)
    const cookie = (await logIn('')).headers['set-cookie'] ?? ''
    const asked = (prompt: string) => supertest(app).get(path).query({ prompt }).set('Cookie', cookie)
    expect((await asked('').expect(200)).text).toContain('Ada Lovelace')
    expect((await asked('login').expect(303)).headers.location).toMatch(/^\/login\?next=/)
    const none = await supertest(app).get(path).query({ prompt: 'none' })
    expect(none.headers.location).toContain('error=login_required')
  })
})
