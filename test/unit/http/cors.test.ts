import { createServer } from 'node:http'
import request, { type Test } from 'supertest'
import { answerPreflight } from '../../../src/http/responses'
import { Authorization } from '../../support/authorization'
import { HostApp, postToken, testSignIn } from '../../support/host-app'
import { expectError, formBody } from '../../support/sign-in'

/** A server that says for itself what is no preflight. */
const server = () =>
  createServer((req, res) => {
    if (!answerPreflight(req, res)) res.end('no preflight')
  })

describe('a preflight', () => {
  it('lets pages of any origin send what the endpoints read, and asks again after ten minutes', async () => {
    const { headers, text } = await request(server()).options('/').expect(204)
    expect({ text, ...headers }).toMatchObject({
      text: '',
      'content-length': '0',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': '*, Authorization, Content-Type, DPoP, MCP-Protocol-Version',
      'access-control-expose-headers': 'WWW-Authenticate, Retry-After, DPoP-Nonce',
      'access-control-max-age': '600',
      'x-content-type-options': 'nosniff',
    })
  })

  it.each(['get', 'post', 'put'] as const)('is no request by %s', async (method) => {
    const { text } = await request(server())[method]('/').expect(200)
    expect(text).toBe('no preflight')
  })
})

describe('behind middleware that lets the pages of one origin send cookies, as cors({ credentials: true }) does', () => {
  const page = 'https://www.acme.example'
  let host: HostApp
  beforeAll(async () => {
    host = await HostApp.start((baseUrl) => {
      const signIn = testSignIn({ baseUrl, authenticate: () => ({ subject: 'customer-1' }) })
      const guard = signIn.requireAccessToken({ tenantKey: 'acme' })
      return (req, res) => {
        res.setHeader('Access-Control-Allow-Origin', page)
        res.setHeader('Access-Control-Allow-Credentials', 'true')
        res.setHeader('Vary', 'Origin')
        signIn(req, res, () => guard(req, res, () => res.end()))
      }
    })
  })
  afterAll(() => host.stop())

  const issuer = () => `${host.origin}/v1/acme/oauth`
  const corsOf = async (response: Test) => {
    const { headers } = await response
    return [headers['access-control-allow-origin'], headers['access-control-allow-credentials']]
  }

  it.each<[string, () => Test]>([
    ['a token response', () => postToken(issuer(), {})],
    ['a preflight', () => request(issuer()).options('/token')],
    ['the metadata', () => request(issuer()).get('/.well-known/oauth-authorization-server')],
    ['the metadata that has not changed', () => request(issuer()).get('/jwks').set('If-None-Match', '*').expect(304)],
    [
      'a registration',
      () =>
        request(issuer())
          .post('/register')
          .send({ redirect_uris: ['https://acme.example/'] })
          .expect(201),
    ],
  ])('%s can be read by pages of every origin, without cookies', async (_, send) => {
    expect(await corsOf(send())).toEqual(['*', undefined])
  })

  it('what the authorization endpoint answers can be read by no page', async () => {
    const authorization = new Authorization({ url: host.origin })
    expect(await corsOf(authorization.open().expect(200))).toEqual([undefined, undefined])
    const response = await authorization.answer(await authorization.form())
    expect(response.status).toBe(303)
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
    const noClient = request(`${issuer()}/authorize?${formBody({ client_id: 'nobody' })}`).get('')
    expect(await corsOf(noClient.expect(400))).toEqual([undefined, undefined])
  })

  it('what a guard of the host’s own API answers has the headers of the host', async () => {
    const refused = request(host.origin).get('/').set('Authorization', 'Bearer x')
    expect(await corsOf(refused)).toEqual([page, 'true'])
    expectError(await refused, 401, 'invalid_token')
  })
})
