import { InvalidTokenError as InvalidToken1 } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth as requireBearerAuth1 } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { type AccessTokenVerifier, ConfigurationError, type VerifierOptions } from 'customer-sign-in'
import express, { type RequestHandler } from 'express'
import { InvalidTokenError as InvalidToken117 } from 'mcp-sdk-1.17.0/server/auth/errors.js'
import { requireBearerAuth as requireBearerAuth117 } from 'mcp-sdk-1.17.0/server/auth/middleware/bearerAuth.js'
import request from 'supertest'
import { forgedToken, unsignedToken } from '../../support/forged-token'
import { HostApp } from '../../support/host-app'
import { TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

type RequireBearerAuth = (options: { verifier: AccessTokenVerifier; requiredScopes?: string[] }) => RequestHandler

const versions: [string, RequireBearerAuth, new (description: string) => Error][] = [
  ['1.17.0', requireBearerAuth117, InvalidToken117],
  ['newest 1', requireBearerAuth1, InvalidToken1],
]

describe.each(versions)(
  'verifier, in requireBearerAuth of the MCP SDK %s',
  (_version, requireBearerAuth, InvalidToken) => {
    let host: TestSignIn
    let api: HostApp
    beforeAll(async () => {
      host = await TestSignIn.start()
      const invalidToken = (description: string) => new InvalidToken(description)
      const of = (options: Partial<VerifierOptions> = {}) =>
        host.signIn.verifier({ tenantKey: 'acme', invalidToken, ...options })
      api = await HostApp.start(() => {
        const app = express()
        const answer: RequestHandler = (req, res) => res.json(req.auth)
        app.get('/acme', requireBearerAuth({ verifier: of() }), answer)
        app.get('/calendar', requireBearerAuth({ verifier: of(), requiredScopes: ['calendar'] }), answer)
        app.get('/payments', requireBearerAuth({ verifier: of({ checkRevocation: true }) }), answer)
        app.get('/initech', requireBearerAuth({ verifier: of({ tenantKey: 'initech' }) }), answer)
        const files = of({ tenantKey: 'globex', resource: 'https://files.globex.example' })
        app.get('/files', requireBearerAuth({ verifier: files }), answer)
        return app
      })
    })
    afterAll(() => Promise.all([api.stop(), host.stop()]))
    afterEach(() => jest.restoreAllMocks())

    const call = (path: string, accessToken: string) =>
      request(api.origin).get(path).set('Authorization', `Bearer ${accessToken}`)

    it('lets a good token through and tells the handler whose it is', async () => {
      const { access_token } = await host.connected()
      const { body } = await call('/acme', access_token).expect(200)
      expect(body).toMatchObject({
        token: access_token,
        clientId: 'assistant-app',
        scopes: ['profile', 'calendar'],
        subject: 'customer-1',
        resource: host.issuer(),
      })
    })

    it('makes the SDK answer every bad token with 401 and invalid_token, never with a server error', async () => {
      const { access_token } = await host.connected()
      const elsewhere = await host.connected({ tenantKey: 'globex' })
      const bad = [
        'not-a-token',
        'a.b.c',
        access_token.slice(0, -4),
        unsignedToken(access_token),
        forgedToken(access_token, { payload: { exp: 1 } }),
        forgedToken(access_token, { header: { typ: 'JWT' } }),
        elsewhere.access_token,
      ]
      for (const token of bad) {
        const response = await call('/acme', token)
        expect({ status: response.status, error: response.body.error }).toEqual({ status: 401, error: 'invalid_token' })
        expect(response.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token", error_description="[^"]+"/)
      }
      await call('/initech', access_token).expect(401)
    })

    it('accepts only tokens for its resource', async () => {
      const resource = 'https://files.globex.example'
      await call('/files', (await host.connected({ tenantKey: 'globex', resource })).access_token).expect(200)
      await call('/files', (await host.connected({ tenantKey: 'globex' })).access_token).expect(401)
    })

    it('leaves the scope to the SDK', async () => {
      const { access_token } = await host.connected({ scopes: 'profile' })
      const { body } = await call('/calendar', access_token).expect(403)
      expect(body.error).toBe('insufficient_scope')
    })

    it('refuses a token of a revoked grant if it checks revocation', async () => {
      const { access_token } = await host.connected()
      const { body } = await call('/payments', access_token).expect(200)
      await host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId: body.grantId })
      await call('/payments', access_token).expect(401)
    })

    it('does not call a token bad because the store is down', async () => {
      const { access_token } = await host.connected()
      jest.spyOn(host.tokenStore, 'findGrant').mockRejectedValueOnce(new Error('the store is down'))
      await call('/payments', access_token).expect(500)
      await call('/payments', access_token).expect(200)
    })

    it('does not call a token bad because the record of the company cannot be used', async () => {
      const wrong = await started({ tenantStore: { findTenant: () => ({ key: 'acme', scopes: 7 }) as never } })
      const invalidToken = (description: string) => new InvalidToken(description)
      const verifying = wrong.signIn.verifier({ tenantKey: 'acme', invalidToken }).verifyAccessToken('not-a-token')
      await expect(verifying).rejects.toMatchObject({ status: 500, code: 'server_error' })
    })

    it('says whose fault it is if the function for the error of the SDK makes none', async () => {
      const invalidToken = (() => 'no error') as unknown as VerifierOptions['invalidToken']
      const verifying = host.signIn.verifier({ tenantKey: 'acme', invalidToken }).verifyAccessToken('not-a-token')
      await expect(verifying).rejects.toMatchObject({
        status: 503,
        reason: 'hook_failed',
        cause: new TypeError('verifier.invalidToken must return an Error'),
      })
    })

    it('cannot be made without a tenant, or without the error of the SDK', () => {
      const invalidToken = (description: string) => new InvalidToken(description)
      for (const options of [{ invalidToken }, { tenantKey: 'acme' }, { anyTenant: true, invalidToken }] as unknown[]) {
        expect(() => host.signIn.verifier(options as VerifierOptions)).toThrow(ConfigurationError)
      }
    })
  },
)
