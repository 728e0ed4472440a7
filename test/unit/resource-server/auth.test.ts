import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type { RequestHandler } from 'express'
import request from 'supertest'
import { ApiHost } from '../../support/api-host'
import { started } from '../../support/started'

describe('auth', () => {
  it('gives what each guard has found, to a route and to a tool of an MCP server', async () => {
    const host = await ApiHost.start()
    const { app, signIn, baseUrl } = host
    const resource = `${baseUrl}/v1/acme/mcp`
    const verifier = signIn.verifier({
      tenantKey: 'acme',
      resource,
      invalidToken: (description) => new InvalidTokenError(description),
    })
    const guards: Record<string, RequestHandler> = {
      mcp: signIn.protectedResource({ path: '/v1/:tenantKey/mcp' }),
      own: signIn.requireAccessToken({ tenantKey: 'acme', resource }),
      sdk: requireBearerAuth({ verifier }),
    }
    for (const [name, guard] of Object.entries(guards)) {
      app.get(`/v1/:tenantKey/${name}`, guard, (req, res) => {
        const authInfo = signIn.auth(req)
        expect(signIn.auth({ authInfo })).toBe(authInfo)
        // Passport sets such a member.
        expect(signIn.auth({ auth: authInfo, authInfo: {} })).toBe(authInfo)
        expect(signIn.auth({ mcpReq: {}, http: { authInfo } })).toBe(authInfo)
        res.json(authInfo)
      })
    }
    const token = await host.token({ resource, subject: 'customer-7' })
    for (const name of Object.keys(guards)) {
      const { body } = await request(baseUrl).get(`/v1/acme/${name}`).auth(token, { type: 'bearer' }).expect(200)
      expect(body).toMatchObject({ kind: 'customer', subject: 'customer-7', tenantKey: 'acme', resource, token })
    }
  })

  it.each([
    ['nothing', {}],
    ['the payload of another guard', { auth: { sub: 'customer-1', claims: {}, scopes: [], tenantKey: 'acme' } }],
    ['nobody', { auth: { claims: {}, scopes: [], tenantKey: 'acme', resource: new URL('https://api.example') } }],
    ['a tool that was called without a token', { authInfo: undefined, http: {} }],
  ])('throws a fault of the host if no guard ran: %s', async (_, req) => {
    const host = await started()
    expect(() => host.signIn.auth(req)).toThrow(expect.objectContaining({ code: 'server_error', status: 500 }))
    const [event] = await host.told('error')
    expect(event).toMatchObject({ where: 'auth', reason: 'misconfigured', error: { option: 'auth.req' } })
    expect(String(Object(event).error)).toContain(
      'put protectedResource, requireAccessToken or requireBearerAuth in front',
    )
  })
})
