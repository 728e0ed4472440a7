import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CustomerSignIn, createCustomerSignIn, MemoryTenantStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import { likeness } from '../grants'

const { tenantId: tenantKey, resource, scopes } = likeness
const ownClient = 'acme-air-app'
const redirectUri = 'https://assistant.example/oauth/callback'

/** A code, and what its redeemer must present with it. */
export interface IssuedCode {
  code: string
  codeVerifier: string
  clientId: string
}

/** A host with a store, and a client that calls it over loopback HTTP. */
export class Host {
  readonly #server: Server
  readonly #url: string
  readonly #signIn: CustomerSignIn

  private constructor(server: Server, tokenStore: TokenStore) {
    this.#server = server
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const clients = [{ clientId: ownClient, redirectUris: [redirectUri] }]
    this.#signIn = createCustomerSignIn({
      tenantStore: new MemoryTenantStore([{ key: tenantKey, id: tenantKey, clients, scopes, resources: [resource] }]),
      tokenStore,
      baseUrl: this.#url,
      keys: { signing: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey] },
    })
    server.on('request', this.#signIn)
  }

  static async start(tokenStore: TokenStore): Promise<Host> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new Host(server, tokenStore)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async issueCode(clientId = ownClient): Promise<IssuedCode> {
    const codeVerifier = randomBytes(32).toString('base64url')
    const { code } = await this.#signIn.issueAuthorizationCode({
      tenantKey,
      clientId,
      redirectUri,
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      codeChallengeMethod: 'S256',
      subject: randomBytes(20).toString('hex'),
    })
    return { code, codeVerifier, clientId }
  }

  exchange({ code, codeVerifier, clientId }: IssuedCode): Promise<Tokens> {
    return this.#token({
      grant_type: 'authorization_code',
      code,
      code_verifier: codeVerifier,
      client_id: clientId,
      redirect_uri: redirectUri,
    })
  }

  refresh(refreshToken: string, more: Record<string, string> = {}): Promise<Tokens> {
    return this.#token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: ownClient, ...more })
  }

  /** Signs a customer in. @returns The first tokens. */
  async connect(clientId = ownClient): Promise<Tokens> {
    return this.exchange(await this.issueCode(clientId))
  }

  /** Registers a client. @returns Its `client_id`. */
  async register(): Promise<string> {
    const body = JSON.stringify({ client_name: 'Travel Assistant', redirect_uris: [redirectUri] })
    const headers = { 'Content-Type': 'application/json' }
    const { client_id } = (await this.#post('register', { body, headers })) as { client_id: string }
    return client_id
  }

  /** A customer disconnects the client in the client itself (RFC 7009). */
  revoke({ refresh_token }: Tokens): Promise<unknown> {
    return this.#post('revoke', { body: new URLSearchParams({ token: refresh_token, client_id: ownClient }) })
  }

  /** Verifies an access token, and checks that its grant has not ended. */
  verify({ access_token }: Tokens): Promise<unknown> {
    return this.#signIn.verifyAccessToken(access_token, { tenantKey, checkRevocation: true })
  }

  async #token(form: Record<string, string>): Promise<Tokens> {
    return (await this.#post('token', { body: new URLSearchParams(form) })) as Tokens
  }

  async #post(endpoint: string, request: RequestInit): Promise<unknown> {
    const response = await fetch(`${this.#url}/v1/${tenantKey}/oauth/${endpoint}`, { method: 'POST', ...request })
    if (!response.ok) throw new Error(`The host answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
}

/** A token response (RFC 6749 section 5.1). */
export interface Tokens {
  access_token: string
  refresh_token: string
}
