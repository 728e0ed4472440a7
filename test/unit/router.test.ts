import { connect } from 'node:net'
import request from 'supertest'
import { HostApp, testSignIn } from '../support/host-app'
import { expectError, type TestSignIn } from '../support/sign-in'
import { started } from '../support/started'

const addresses = [
  ['token', 'POST', '/v1/{tenant}/oauth/token'],
  ['jwks', 'GET', '/v1/{tenant}/oauth/jwks'],
  ['metadata', 'GET', '/.well-known/oauth-authorization-server/v1/{tenant}/oauth'],
  ['metadata below the issuer', 'GET', '/v1/{tenant}/oauth/.well-known/oauth-authorization-server'],
] as const

const at = (address: string, tenantKey: string) => address.replace('{tenant}', tenantKey)

function ask(host: TestSignIn, method: string, path: string) {
  const agent = request(host.url)
  const asking = { GET: agent.get, POST: agent.post, PUT: agent.put, DELETE: agent.delete, PATCH: agent.patch }
  return asking[method as keyof typeof asking](path)
}

/** Sends the head of a request that announces a body, without the body. @returns The first line of the response. */
function statusWithoutBody(host: TestSignIn, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
    const type = 'application/x-www-form-urlencoded'
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\n`)
    socket.once('data', (data) => {
      resolve(data.toString().split('\r\n')[0] ?? '')
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

describe.each(addresses)('%s', (_, method, address) => {
  it('is a 404 for a company that has not set up customer sign-in', async () => {
    const host = await started()
    expectError(await ask(host, method, at(address, 'initech')), 404, 'not_found')
  })

  it('is a 404 for another spelling of a company', async () => {
    const host = await started()
    for (const tenantKey of ['Acme', 'acme%20', '%61cme', 'acme.', 'acme;a=b', '-', '.', '%2e', 'a'.repeat(65)]) {
      expectError(await ask(host, method, at(address, tenantKey)), 404, 'not_found')
    }
  })

  it('names the allowed methods with 405', async () => {
    const host = await started()
    for (const wrong of ['PUT', 'DELETE', 'PATCH', method === 'GET' ? 'POST' : 'GET']) {
      const response = await ask(host, wrong, at(address, 'acme'))
      expectError(response, 405, 'method_not_allowed')
      expect(response.headers.allow).toBe(method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS')
    }
  })

  it('is a 404 for an unknown company, whatever the method', async () => {
    const host = await started()
    expectError(await ask(host, 'PUT', at(address, 'initech')), 404, 'not_found')
  })

  it('ignores a query', async () => {
    const host = await started()
    expect((await ask(host, method, `${at(address, 'acme')}?a=b&c`)).status).toBe(method === 'GET' ? 200 : 400)
  })

  it('answers a preflight of any origin', async () => {
    const host = await started()
    const { status, headers } = await request(host.url)
      .options(at(address, 'acme'))
      .set({ Origin: 'https://inspector.example', 'Access-Control-Request-Method': method })
      .set('Access-Control-Request-Headers', 'authorization, content-type, mcp-protocol-version')
    expect(status).toBe(204)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-methods']?.split(/, */)).toContain(method)
    const allowed = headers['access-control-allow-headers']?.toLowerCase().split(/, */)
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'mcp-protocol-version']))
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('lets clients in a browser read its answers, the errors too', async () => {
    const host = await started()
    for (const tenantKey of ['acme', 'initech']) {
      const { headers } = await ask(host, method, at(address, tenantKey)).set('Origin', 'https://inspector.example')
      expect(headers['access-control-allow-origin']).toBe('*')
    }
  })
})

describe('the router', () => {
  it('answers 404 for an unknown company before the body has come', async () => {
    const host = await started()
    expect(await statusWithoutBody(host, '/v1/initech/oauth/token')).toBe('HTTP/1.1 404 Not Found')
  })

  it('lets a client in a browser read the headers that it needs', async () => {
    const host = await started()
    const response = await host.refresh('csir_', { client_id: 'nobody' }).set('Origin', 'https://inspector.example')
    expectError(response, 401, 'invalid_client')
    const exposed = response.headers['access-control-expose-headers']?.split(/, */)
    expect(exposed).toEqual(expect.arrayContaining(['WWW-Authenticate', 'Retry-After']))
  })

  it.each([
    '/',
    '/v1/acme/oauth',
    '/v1/acme/oauth/',
    '/v1/acme/oauth/authorize',
    '/v1/acme/oauth/constructor',
    '/v1/acme/oauth/token/',
    '/v1/acme/oauth/token/more',
    '/v1/acme/oauth/Token',
    '/v1/acme/oauth//token',
    '//v1/acme/oauth/token',
    '/V1/acme/oauth/token',
    '/v2/acme/oauth/token',
    '/v1/acme/more/oauth/token',
    '/v1//oauth/token',
    '/before/v1/acme/oauth/token',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/v1/acme/oauth/token',
    '/.well-known/openid-configuration/v1/acme/oauth',
    '/v1/acme/oauth/.well-known/openid-configuration',
  ])('leaves %s to the host', async (path) => {
    const passed: string[] = []
    const host = await HostApp.start((baseUrl) => {
      const signIn = testSignIn({ baseUrl })
      return (req, res) =>
        signIn(req, res, (error) => {
          passed.push(`${req.url} ${error}`)
          res.setHeader('X-From', 'host').end()
        })
    })
    try {
      const { headers } = await request(host.origin).post(path)
      expect(passed).toEqual([`${path} undefined`])
      expect(headers).toMatchObject({ 'x-from': 'host' })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    } finally {
      await host.stop()
    }
  })

  it('answers 404 itself if there is no next handler', async () => {
    const host = await started()
    expectError(await request(host.url).get('/elsewhere'), 404, 'not_found')
  })
})

describe('every handler and guard', () => {
  it('has three parameters, because koa-connect goes on at once after a function that has fewer', () => {
    const signIn = testSignIn()
    const guards = [
      signIn.requireAccessToken({ tenantKey: 'acme' }),
      signIn.protectedResource({ path: '/v1/:tenantKey/mcp' }),
    ]
    expect([signIn, signIn.wellKnown, ...guards].map(({ length }) => length)).toEqual([3, 3, 3, 3])
  })
})
