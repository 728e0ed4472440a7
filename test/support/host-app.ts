import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import request, { type Test } from 'supertest'
import { codeChallengeOf } from '../../src/protocol/pkce'
import { clientId, type FormFields, formBody, redirectUri, type SignedIn, signingKey, tenants } from './sign-in'
import { createSignIn, type TestOptions } from './test-options'

/** A host's app on a free loopback port. */
export class HostApp {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** Serves the app that `assemble` makes, given its address. */
  static async start(assemble: (origin: string) => RequestListener): Promise<HostApp> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const app = new HostApp(server)
    server.on('request', assemble(app.origin))
    return app
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }
}

/** Sign-in with the tests' tenants and keys, made as in production: unlike the kit for hosts' own tests, it adds nothing. */
export function testSignIn(options: TestOptions = {}): CustomerSignIn {
  const needed = {
    tenantStore: new MemoryTenantStore(tenants),
    tokenStore: new MemoryTokenStore(),
    keys: { signing: [signingKey] },
    onEvent: () => {},
  }
  return createSignIn(needed, options)
}

/** A customer signs in and agrees. */
export async function signedInTo(signIn: CustomerSignIn): Promise<SignedIn> {
  const codeVerifier = randomBytes(32).toString('base64url')
  const { code } = await signIn.issueAuthorizationCode({
    tenantKey: 'acme',
    clientId,
    redirectUri,
    codeChallenge: codeChallengeOf(codeVerifier),
    codeChallengeMethod: 'S256',
    subject: 'customer-1',
  })
  return { code, codeVerifier, tenantKey: 'acme' }
}

/** The form that redeems a code. */
export function codeForm({ code, codeVerifier }: SignedIn): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  }
}

/** The form that redeems a refresh token. */
export function refreshForm(refreshToken: string): Record<string, string> {
  return { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
}

/** `POST I/token` at an issuer. */
export function postToken(issuer: string, fields: FormFields): Test {
  return request(issuer).post('/token').type('form').send(formBody(fields))
}
