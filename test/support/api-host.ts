import { randomBytes } from 'node:crypto'
import type { CustomerSignIn, CustomerSignInOptions, ProtectedResourceOptions } from 'customer-sign-in'
import express, { type Express, type Request, type Response } from 'express'
import { codeChallengeOf } from '../../src/protocol/pkce'
import { HostApp, postToken, testSignIn } from './host-app'
import { clientId, expectTokens, redirectUri } from './sign-in'

const running: HostApp[] = []

afterEach(() => Promise.all(running.splice(0).map((app) => app.stop())))

/** A host with an API for every tenant, by default at `/v1/:tenantKey/mcp`. It is stopped after the test. */
export class ApiHost {
  readonly baseUrl: string
  readonly signIn: CustomerSignIn
  readonly app: Express = express()

  private constructor(origin: string, options: Partial<CustomerSignInOptions>, basePath: string) {
    this.baseUrl = origin + basePath
    this.signIn = testSignIn({ baseUrl: this.baseUrl, ...options })
    this.app.use(this.signIn.wellKnown)
    this.app.use(basePath || '/', this.signIn)
  }

  static async start(options: Partial<CustomerSignInOptions> = {}, basePath = ''): Promise<ApiHost> {
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
  async token({
    tenantKey = 'acme',
    ...terms
  }: {
    tenantKey?: string
    resource?: string
    scopes?: string
  } = {}): Promise<string> {
    const codeVerifier = randomBytes(32).toString('base64url')
    const codeChallenge = codeChallengeOf(codeVerifier)
    const request = { tenantKey, clientId, redirectUri, codeChallenge, subject: 'customer-1', ...terms }
    const { code } = await this.signIn.issueAuthorizationCode({ ...request, codeChallengeMethod: 'S256' })
    const response = await postToken(this.issuer(tenantKey), {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    })
    return expectTokens(response).access_token
  }

  issuer(tenantKey = 'acme'): string {
    return `${this.baseUrl}/v1/${tenantKey}/oauth`
  }
}
