import request, { type Test } from 'supertest'
import { ApiHost } from '../../support/api-host'
import { Authorization } from '../../support/authorization'

type Ask = (host: ApiHost) => Promise<Awaited<Test>>

const at = (path: string) => `/v1/acme/oauth${path}`
const metadata = '/.well-known/oauth-authorization-server/v1/acme/oauth'
const get = (path: string) => (host: ApiHost) => request(host.baseUrl).get(path)
const post = (path: string) => (host: ApiHost) => request(host.baseUrl).post(path)
const authorization = (host: ApiHost, parameters = {}) => new Authorization({ url: host.baseUrl }, parameters)

const responses: [what: string, status: number, ask: Ask][] = [
  ['the metadata', 200, get(metadata)],
  ['the metadata that a client has already', 304, (host) => get(metadata)(host).set('If-None-Match', '*')],
  ['the key set', 200, get(at('/jwks'))],
  ['the metadata of an API', 200, get('/.well-known/oauth-protected-resource/v1/acme/mcp')],
  [
    'a registration',
    201,
    (host) => post(at('/register'))(host).send({ redirect_uris: ['https://app.example/callback'] }),
  ],
  ['a registration that is refused', 400, (host) => post(at('/register'))(host).send({})],
  ['a token request that is refused', 400, post(at('/token'))],
  ['a revocation', 200, (host) => post(at('/revoke'))(host).type('form').send({ client_id: 'an-app', token: 'none' })],
  ['a preflight', 204, (host) => request(host.baseUrl).options(at('/token'))],
  ['the consent page', 200, (host) => authorization(host).open()],
  ['the error page', 400, get(at('/authorize'))],
  ['a redirect to the client', 303, (host) => authorization(host, { scope: 'unknown' }).open()],
  ['a tenant that there is not', 404, get('/v1/nobody/oauth/jwks')],
  ['a wrong method', 405, get(at('/token'))],
  ['an API without a token', 401, get('/v1/acme/mcp')],
]

describe('every response', () => {
  it.each(responses)('tells browsers not to guess its type: %s', async (_what, status, ask) => {
    const host = await ApiHost.start({ authenticate: () => ({ subject: 'customer-1' }) })
    const response = await ask(host.protect())
    expect(response.status).toBe(status)
    expect(response.get('X-Content-Type-Options')).toBe('nosniff')
  })
})

describe('the authorization endpoint', () => {
  it('keeps its connection to the client’s window, whatever middleware in front sets, also on a redirect to the login page', async () => {
    const host = await ApiHost.start({
      authenticate: (_req, res) => {
        res.writeHead(303, { Location: '/login' }).end()
        return null
      },
    })
    const response = await authorization(host).open()
    expect(response.status).toBe(303)
    expect(response.get('Cross-Origin-Opener-Policy')).toBe('unsafe-none')
  })
})
