import { MemoryTenantStore, type ProtectedResourceOptions } from 'customer-sign-in'
import { type SignInForTests, type TokensRequest, testSignIn, tokensFor } from 'customer-sign-in/testing'
import express, { type Express, type Request, type Response } from 'express'
import { HostApp } from './host-app'
import { clientId, signingKey, tenants } from './sign-in'
import { neededSecrets, replaced, type TestOptions } from './test-options'

const running: HostApp[] = []

afterEach(() => Promise.all(running.splice(0).map((app) => app.stop())))

/** A host with an API for every tenant, by default at `/v1/:tenantKey/mcp`. It is stopped after the test. */
export class ApiHost {
  readonly baseUrl: string
  readonly signIn: SignInForTests
  readonly app: Express = express()

  private constructor(origin: string, options: TestOptions, basePath: string) {
    this.baseUrl = origin + basePath
    const tenantStore = new MemoryTenantStore(tenants)
    const onEvent = () => {}
    const needed = { baseUrl: this.baseUrl, tenantStore, keys: { signing: [signingKey] }, onEvent }
    this.signIn = testSignIn(replaced(replaced(needed, neededSecrets(options)), options))
    this.app.use(this.signIn.wellKnown)
    this.app.use(basePath || '/', this.signIn)
  }

  static async start(options: TestOptions = {}, basePath = ''): Promise<ApiHost> {
    const hosts: ApiHost[] = []
    const server = await HostApp.start((origin) => {
      const host = new ApiHost(origin, options, basePath)
      hosts.push(host)
      return host.app
    })
    running.push(server)
    return hosts[0] as ApiHost
  }

  /** Adds an API, at its path and below, that responds with the customer of the request. */
  protect(options: Partial<ProtectedResourceOptions> = {}, mountedAt?: string): this {
    const path = options.path ?? '/v1/:tenantKey/mcp'
    this.app.use(
      mountedAt ?? path,
      this.signIn.protectedResource({ path, ...options }),
      (req: Request, res: Response) => {
        const { subject, tenantKey, resource } = Object(req).auth
        res.json({ subject, tenantKey, resource })
      },
    )
    return this
  }

  /** Signs a customer of a tenant in. @returns An access token. */
  async token(terms: Partial<TokensRequest> = {}): Promise<string> {
    const { accessToken } = await tokensFor(this.signIn, {
      tenantKey: 'acme',
      subject: 'customer-1',
      clientId,
      ...terms,
    })
    return accessToken
  }

  issuer(tenantKey = 'acme'): string {
    return `${this.baseUrl}/v1/${tenantKey}/oauth`
  }
}
