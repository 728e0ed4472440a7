import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Client,
  type CustomerSignIn,
  type IssueAuthorizationCodeRequest,
  MemoryTenantStore,
  MemoryTokenStore,
} from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import express, { type Express, type Request, type RequestHandler } from 'express'
import { clientId, redirectUri, signingKey } from './sign-in'
import { createSignIn, type TestOptions } from './test-options'

export interface CompanyHostOptions extends TestOptions {
  /** What the API does; by default it responds with the customer. */
  api?: (signIn: CustomerSignIn) => RequestHandler
  /** What the client of the company has, beside its id and redirect URI. */
  client?: Partial<Client>
}

/**
 * The app of a company called Acme, on a free loopback port. It has sign-in, its own authorize page, at which every customer is known and
 * agrees, and an API that needs an access token. `globex` has not set up customer sign-in.
 */
export class CompanyHost {
  readonly app: Express = express()
  readonly signIn: CustomerSignIn
  readonly tokenStore: TokenStore
  readonly url: string
  readonly #server: Server

  private constructor(server: Server, { api = greet, client, ...options }: CompanyHostOptions) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.tokenStore = options.tokenStore ?? new MemoryTokenStore()
    const needed = {
      tenantStore: new MemoryTenantStore([
        {
          key: 'acme',
          id: 'acme',
          clients: [{ clientId, redirectUris: [redirectUri], ...client }],
          resources: [`${this.url}/v1/acme/files`, this.api],
        },
      ]),
      baseUrl: this.url,
      keys: { signing: [signingKey] },
      tokenStore: this.tokenStore,
    }
    this.signIn = createSignIn(needed, options)
    this.#addRoutes(api)
    server.on('request', this.app)
  }

  static async start(options: CompanyHostOptions = {}): Promise<CompanyHost> {
    const server = createServer()
    // On a busy machine, a client may send a request just as an idle connection is closed.
    server.keepAliveTimeout = 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new CompanyHost(server, options)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get issuer(): string {
    return `${this.url}/v1/acme/oauth`
  }

  /** The API's address, which is also its resource indicator. It is not the resource of a request that names none. */
  get api(): string {
    return `${this.url}/v1/acme/api`
  }

  /** Opens an authorization URL in the customer's browser. @returns Where the browser is redirected: the client's own address. */
  async browse(authorizationUrl: URL): Promise<URL> {
    const response = await fetch(authorizationUrl, { redirect: 'manual' })
    expect(response.status).toBe(302)
    return new URL(response.headers.get('location') ?? '')
  }

  #addRoutes(api: (signIn: CustomerSignIn) => RequestHandler): void {
    const { app, signIn } = this
    app.use(signIn)

    app.get('/v1/:tenantKey/oauth/authorize', async (req, res) => {
      expect(req.query.response_type).toBe('code')
      const { redirectTo } = await signIn.issueAuthorizationCode(authorizationRequest(req))
      res.redirect(redirectTo)
    })

    app.all(
      '/v1/:tenantKey/api',
      signIn.protectedResource({ path: '/v1/:tenantKey/api', scopes: ['profile'] }),
      api(signIn),
    )
  }
}

function greet(signIn: CustomerSignIn): RequestHandler {
  return (req, res) => res.json({ subject: signIn.auth(req).subject })
}

function authorizationRequest({ params, query }: Request<{ tenantKey: string }>): IssueAuthorizationCodeRequest {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : undefined)
  return {
    tenantKey: params.tenantKey,
    clientId: text('client_id') ?? '',
    redirectUri: text('redirect_uri') ?? '',
    codeChallenge: text('code_challenge') ?? '',
    codeChallengeMethod: text('code_challenge_method') as 'S256',
    subject: 'customer-1',
    scopes: text('scope'),
    resource: text('resource'),
    state: text('state'),
  }
}
