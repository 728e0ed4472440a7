import { randomBytes } from 'node:crypto'
import { type CustomerSignIn, OAuthError, type Tenant, type TenantStore } from 'customer-sign-in'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import request, { type Test } from 'supertest'
import { codeChallengeOf } from '../../src/protocol/pkce'
import { HostApp, testSignIn } from './host-app'
import { storeOf } from './own-domain'
import { clientId, expectTokens, formBody, redirectUri, type Tokens } from './sign-in'

const running: HostApp[] = []

afterEach(() => Promise.all(running.splice(0).map((app) => app.stop())))

/** A host of companies with and without domains of their own, with an MCP server for each. It is stopped after the test. */
export class OwnDomainApi {
  readonly app: Express = express()
  readonly signIn: CustomerSignIn
  companies: readonly Tenant[]
  /** The hosts that the tenant store was asked for. */
  readonly lookUps: string[] = []
  readonly #origin: string

  private constructor(origin: string, companies: (origin: string) => readonly Tenant[]) {
    this.#origin = origin
    this.companies = companies(origin)
    const store = storeOf(() => this.companies)
    const tenantStore: TenantStore = {
      ...store,
      findTenantByHost: (host) => {
        this.lookUps.push(host)
        return store.findTenantByHost?.(host)
      },
    }
    this.signIn = testSignIn({ baseUrl: origin, tenantStore, refreshRetryWindow: 10 })
    this.app.use(this.signIn)
    const path = '/v1/:tenantKey/mcp'
    const answer = (req: Request, res: Response) => {
      const { subject, tenantKey, resource } = Object(req).auth
      res.json({ subject, tenantKey, resource })
    }
    this.app.use([path, '/mcp'], this.signIn.protectedResource({ path, scopes: 'profile', allowedOrigins: [] }), answer)
    const tenantKey = async ({ hostname }: Request) => (await tenantStore.findTenantByHost?.(hostname))?.key ?? ''
    this.app.get('/bookings', this.signIn.requireAccessToken<Request>({ tenantKey }), answer)
    const byKey = this.signIn.requireAccessToken({ tenantKey: 'acme' })
    this.app.get('/acme', byKey, answer)
    this.app.get('/more', byKey, (req) => this.signIn.requireScopes(req, 'calendar'))
    const answerRefusal: ErrorRequestHandler = (error, _req, res, next) => {
      if (error instanceof OAuthError) res.status(error.status).set(error.headers).json(error)
      else next(error)
    }
    this.app.use(answerRefusal)
  }

  static async start(companies: (origin: string) => readonly Tenant[]): Promise<OwnDomainApi> {
    const hosts: OwnDomainApi[] = []
    const server = await HostApp.start((origin) => {
      const host = new OwnDomainApi(origin, companies)
      hosts.push(host)
      return host.app
    })
    running.push(server)
    return hosts[0] as OwnDomainApi
  }

  /** The shared address, of companies without a domain of their own. */
  get shared(): string {
    return this.#origin
  }

  /** Sends a request to an address, on whatever domain. All domains lead to the test's own server. */
  get(address: string, token?: string): Test {
    return this.#to(address, 'get', token)
  }

  /** Sends a form to an address. */
  post(address: string, fields: Record<string, string | undefined>): Test {
    return this.#to(address, 'post').type('form').send(formBody(fields))
  }

  /** A customer of a company signs in. @returns The tokens that the client gets at a token endpoint. */
  async tokens(endpoint: string, { tenantKey = 'acme', resource }: { tenantKey?: string; resource?: string } = {}) {
    const codeVerifier = randomBytes(32).toString('base64url')
    const { code } = await this.signIn.issueAuthorizationCode({
      tenantKey,
      clientId,
      redirectUri,
      resource,
      codeChallenge: codeChallengeOf(codeVerifier),
      codeChallengeMethod: 'S256',
      subject: 'customer-1',
    })
    const fields = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirectUri }
    return expectTokens(await this.post(endpoint, { ...fields, code_verifier: codeVerifier }))
  }

  refresh(endpoint: string, { refresh_token }: Tokens, more: { resource?: string } = {}): Test {
    return this.post(endpoint, { grant_type: 'refresh_token', client_id: clientId, refresh_token, ...more })
  }

  #to(address: string, method: 'get' | 'post', token?: string): Test {
    const { host, pathname, search } = new URL(address)
    const test = request(this.#origin)
      [method](pathname + search)
      .set('Host', host)
    return token === undefined ? test : test.set('Authorization', `Bearer ${token}`)
  }
}

/** The address of the metadata in a challenge. */
export function metadataIn({ headers }: { headers: Record<string, string> }): string | undefined {
  return /resource_metadata="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1]
}
