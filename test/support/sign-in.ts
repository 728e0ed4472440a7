import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CustomerSignIn,
  type CustomerSignInEvent,
  type IssueAuthorizationCodeRequest,
  MemoryTenantStore,
  MemoryTokenStore,
  type Tenant,
} from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import request, { type Response, type Test } from 'supertest'
import { codeChallengeOf } from '../../src/protocol/pkce'
import { createSignIn, type TestOptions } from './test-options'

export const clientId = 'assistant-app'
export const redirectUri = 'https://assistant.example/callback'

/** The signing key of the tests, unless a test has its own. */
export const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Two companies; `globex` has its own API. */
export const tenants: Tenant[] = [
  {
    key: 'acme',
    id: 'acme',
    name: 'Acme',
    clients: [{ clientId, redirectUris: [redirectUri] }],
    scopes: ['profile', 'calendar'],
  },
  {
    key: 'globex',
    id: 'globex',
    name: 'Globex',
    clients: [
      { clientId, redirectUris: [redirectUri] },
      { clientId: 'other-app', redirectUris: [redirectUri] },
    ],
    resources: ['https://api.globex.example/mcp', 'https://files.globex.example/'],
  },
]

/** A form body. A list is a repeated parameter, and undefined is left out. */
export type FormFields = Record<string, string | string[] | undefined>

/** A code with everything that its redeemer must present. */
export interface SignedIn {
  code: string
  codeVerifier: string
  tenantKey: string
}

/** An authorization server on a free loopback port, and a client to it. */
export class TestSignIn {
  readonly events: CustomerSignInEvent[] = []
  readonly signIn: CustomerSignIn
  readonly tokenStore: TokenStore
  readonly url: string
  /** Sees each request before it is answered. */
  onRequest: (req: IncomingMessage) => void = () => {}
  /** Handles each request in an async context of the test. */
  inContext: (req: IncomingMessage, handle: () => void) => void = (_req, handle) => handle()
  readonly #server: Server

  private constructor(server: Server, options: TestOptions) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.tokenStore = options.tokenStore ?? new MemoryTokenStore()
    const needed = {
      tenantStore: new MemoryTenantStore(tenants),
      tokenStore: this.tokenStore,
      baseUrl: this.url,
      keys: { signing: [signingKey] },
      onEvent: (event: CustomerSignInEvent) => this.events.push(event),
    }
    this.signIn = createSignIn(needed, options)
    server.on('request', (req, res) => {
      this.onRequest(req)
      this.inContext(req, () => this.signIn(req, res))
    })
  }

  static async start(options: TestOptions = {}): Promise<TestSignIn> {
    const server = createServer()
    // On a busy machine, a client may send a request just as an idle connection is closed.
    server.keepAliveTimeout = 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new TestSignIn(server, options)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  issuer(tenantKey = 'acme'): string {
    return `${this.url}/v1/${tenantKey}/oauth`
  }

  /** Issues a code for a customer who signs in and agrees, as a host's own authorize page does. */
  async asCustomer(overrides: Partial<IssueAuthorizationCodeRequest> = {}): Promise<SignedIn> {
    const codeVerifier = randomBytes(32).toString('base64url')
    const tenantKey = overrides.tenantKey ?? 'acme'
    const { code } = await this.signIn.issueAuthorizationCode({
      tenantKey,
      clientId,
      redirectUri,
      codeChallenge: codeChallengeOf(codeVerifier),
      codeChallengeMethod: 'S256',
      subject: 'customer-1',
      ...overrides,
    })
    return { code, codeVerifier, tenantKey }
  }

  /** `POST I/token` with a form. */
  token(tenantKey: string, fields: FormFields): Test {
    return request(this.url).post(`/v1/${tenantKey}/oauth/token`).type('form').send(formBody(fields))
  }

  /** Redeems a code; `overrides` change single parameters. */
  exchange({ code, codeVerifier, tenantKey }: SignedIn, overrides: FormFields = {}): Test {
    return this.token(tenantKey, {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      ...overrides,
    })
  }

  /** Redeems a refresh token; `overrides` change single parameters. */
  refresh(refreshToken: string, overrides: FormFields = {}, tenantKey = 'acme'): Test {
    return this.token(tenantKey, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
      ...overrides,
    })
  }

  /** `POST I/revoke` with a form. */
  revoke(fields: FormFields, tenantKey = 'acme'): Test {
    const body = formBody({ client_id: clientId, ...fields })
    return request(this.url).post(`/v1/${tenantKey}/oauth/revoke`).type('form').send(body)
  }

  /** A customer's first tokens. */
  async connected(overrides: Partial<IssueAuthorizationCodeRequest> = {}): Promise<Tokens> {
    return expectTokens(await this.exchange(await this.asCustomer(overrides)))
  }

  /** The events of one type, once those under way have arrived. */
  async told<T extends CustomerSignInEvent['type']>(type: T): Promise<Extract<CustomerSignInEvent, { type: T }>[]> {
    await new Promise((resolve) => setImmediate(resolve))
    return this.events.filter((event): event is Extract<CustomerSignInEvent, { type: T }> => event.type === type)
  }
}

/** A token response (RFC 6749 section 5.1). */
export interface Tokens {
  access_token: string
  token_type: 'Bearer' | 'DPoP'
  expires_in: number
  refresh_token: string
  refresh_token_expires_in: number
  scope: string
}

/** What is looked at in a response, whichever client has received it. */
type Answer = Pick<Response, 'status' | 'body'> & { headers: object }

/** Fails unless the response is a well-formed success. @returns Its tokens. */
export function expectTokens(response: Answer, tokenType: Tokens['token_type'] = 'Bearer'): Tokens {
  expect(response.body).toEqual({
    access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    token_type: tokenType,
    expires_in: expect.any(Number),
    refresh_token: expect.stringMatching(/^csir_[\w-]{84}$/),
    refresh_token_expires_in: expect.any(Number),
    scope: expect.any(String),
  })
  expect(response.status).toBe(200)
  expectUncached(response)
  return response.body
}

/** Fails unless the response is this well-formed OAuth error. @returns Its description. */
export function expectError(response: Answer, status: number, error: string): string {
  const isOfApi = status === 401 && /^(Bearer|DPoP)\b/.test(String(Object(response.headers)['www-authenticate']))
  expect({ status: response.status, ...response.body }).toEqual({
    status,
    error,
    error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/),
    // What proxies pass on of a 401.
    ...(isOfApi && { message: 'Unauthorized' }),
  })
  expectUncached(response)
  return response.body.error_description
}

function expectUncached({ headers }: Answer): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
  })
}

export function formBody(fields: FormFields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item): [string, string] => [name, item]),
  )
  return new URLSearchParams(pairs).toString()
}
