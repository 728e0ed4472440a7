import { createPublicKey, sign } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { MemoryTenantStore, MemoryTokenStore, OAuthError } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import { assertionOf, clientKey, withAssertion } from '../../support/confidential-clients'
import { codeForm, refreshForm, signedInTo, testSignIn } from '../../support/host-app'
import { clientId, formBody, redirectUri, signingKey, tenants } from '../../support/sign-in'
import { wrapStore } from '../../support/wrap-store'

/** A response as a client reads it. */
export interface Answer {
  status: number
  type: string
  location: string | undefined
  text: string
}

/** What the host's code does at one place, instead of what it should. */
export interface Misdeed {
  place: string
  act(): unknown
}

/** A host whose hooks and stores can all misbehave, and for each of these places a request or call that reaches it. */
export class HostileHost {
  misdeed: Misdeed | undefined
  readonly told: unknown[] = []
  #count = 0
  readonly #healthy = new MemoryTokenStore()
  readonly #key = clientKey()
  readonly #tenantStore = new MemoryTenantStore([
    { ...tenants[0], key: 'acme', clients: [...(tenants[0]?.clients ?? []), this.#ofKey()] },
    { ...tenants[0], key: 'initech', clients: [{ clientId, redirectUris: [redirectUri], firstParty: true }] },
  ])
  #issuer = ''

  async start(): Promise<() => void> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.#issuer = `${origin}/v1/acme/oauth`
    this.#signIn = this.#assembled(origin)
    server.on('request', this.#listener())
    return () => {
      server.closeAllConnections()
      server.close()
    }
  }

  #signIn = testSignIn()

  /** A client that authenticates with a key. */
  #ofKey() {
    return { clientId: 'client with a key', redirectUris: [redirectUri], jwks: { keys: [this.#key.jwk] } }
  }

  #assembled(baseUrl: string) {
    return testSignIn({
      baseUrl,
      clients: {
        authentication: ['none', 'private_key_jwt'],
        fetch: this.#at('clients.fetch', async () => this.#documentResponse()),
      },
      hostTimeout: 0.1,
      replayTolerance: 0,
      tokenStore: this.#tokenStore(),
      tenantStore: {
        findTenant: this.#at('tenantStore.findTenant', (key: string) => this.#tenantStore.findTenant(key)),
        findTenantByHost: this.#at('tenantStore.findTenantByHost', () => null),
      },
      authenticate: this.#at('authenticate', () => ({ subject: 'customer-1' })),
      pages: {
        consent: this.#at('pages.consent', () => true),
        error: this.#at('pages.error', (_req: unknown, res: ServerResponse) => this.#showError(res)),
      },
      accessTokenClaims: this.#at('accessTokenClaims', () => ({})),
      keys: {
        signing: [{ publicKey: createPublicKey(signingKey), sign: this.#at('keys.signing.sign', signed) }],
        credentialSecrets: ['0123456789'.repeat(4)],
      },
      onEvent: this.#at('onEvent', (event: unknown) => this.told.push(event)),
    })
  }

  #showError(res: ServerResponse): void {
    res.setHeader('Content-Type', 'text/html').end('<html>The host’s own page</html>')
  }

  /** A response whose parts can misbehave as well. */
  #documentResponse(): Response {
    const get = this.#at('clients.fetch, its headers', () => 'application/json')
    const next = this.#at('clients.fetch, its body', () => ({ done: true, value: undefined }))
    return { status: 200, headers: { get }, body: { [Symbol.asyncIterator]: () => ({ next }) } } as never
  }

  #at<A extends unknown[], T>(place: string, properly: (...args: A) => T): (...args: A) => T {
    return (...args) => (this.misdeed?.place === place ? (this.misdeed.act() as T) : properly(...args))
  }

  #tokenStore(): TokenStore {
    const store = wrapStore(this.#healthy, async ({ method, apply }) => this.#at(`tokenStore.${method}`, apply)())
    const next = this.#at('tokenStore.deleteGrants, as it goes on', () => ({ done: true, value: undefined }))
    const deleteGrants: TokenStore['deleteGrants'] = (owner) =>
      this.misdeed?.place === 'tokenStore.deleteGrants, as it goes on'
        ? ({ [Symbol.asyncIterator]: () => ({ next }) } as never)
        : (this.#at('tokenStore.deleteGrants', () => this.#healthy.deleteGrants(owner))() as never)
    return new Proxy(store, {
      get: (target, name) => ({ deleteGrants })[String(name)] ?? Reflect.get(target, name),
    })
  }

  #listener(): RequestListener {
    const tenantKey = this.#at('requireAccessToken.tenantKey', () => 'acme')
    const resource = this.#at('requireAccessToken.resource', () => this.#issuer)
    const guard = this.#signIn.requireAccessToken({ tenantKey, resource, checkRevocation: true })
    return (req, res) => {
      if (req.url !== '/api') this.#signIn(req, res)
      else guard(req as never, res, () => res.setHeader('Content-Type', 'application/json').end('{"welcome":true}'))
    }
  }

  /** The places, each with a request or call that reaches it. */
  readonly places: Record<string, () => Promise<Answer | Error | undefined>> = {
    'tenantStore.findTenant': () => this.#get('/token'),
    'tenantStore.findTenantByHost': () => this.#fetched(new URL('/oauth/token', this.#issuer)),
    authenticate: () => this.#authorize(),
    'pages.consent': () => this.#authorize(),
    'pages.error': () => this.#authorize('nobody'),
    'clients.fetch': () => this.#authorize(`https://assistant.example/${this.#count++}`),
    'clients.fetch, its headers': () => this.#authorize(`https://assistant.example/${this.#count++}`),
    'clients.fetch, its body': () => this.#authorize(`https://assistant.example/${this.#count++}`),
    accessTokenClaims: async () => this.#refresh(await this.#connected()),
    onEvent: () => this.#get('/token'),
    'tokenStore.createGrant': () => this.#authorize(),
    'tokenStore.findGrant': async () => this.#refresh(await this.#connected()),
    'tokenStore.swapCredential': async () => this.#refresh(await this.#connected()),
    'signIn.health': async () => {
      const { act } = this.misdeed ?? {}
      const asked = () => this.#signIn.health()
      await this.#misbehaving('tokenStore.swapCredential', () => act?.(), asked)
      await this.#misbehaving('keys.signing.sign', () => act?.(), asked)
      return undefined
    },
    'keys.signing.sign': async () => this.#refresh(await this.#connected()),
    'tokenStore.reverseSwap': async () => {
      const refreshToken = await this.#connected()
      const { act } = this.misdeed ?? {}
      // The answer is lost, and the next call fails.
      await this.#misbehaving(
        'tokenStore.swapCredential',
        () => new Promise(() => {}),
        () => this.#refresh(refreshToken),
      )
      return this.#misbehaving(
        'tokenStore.reverseSwap',
        () => act?.(),
        () => this.#refresh(refreshToken),
      )
    },
    'tokenStore.deleteGrant': async () => {
      const used = await this.#connected()
      await this.#properly(() => this.#refresh(used))
      return this.#refresh(used)
    },
    'tokenStore.listGrants': () => called(this.#signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })),
    'tokenStore.deleteGrants': () => this.#revokeAll(),
    'tokenStore.deleteGrants, as it goes on': () => this.#revokeAll(),
    'tokenStore.useOnce': async () => {
      const assertion = assertionOf(this.#key, this.#ofKey().clientId, this.#issuer)
      const refreshToken = String(await this.#connected('refresh_token'))
      return this.#post('/token', formBody({ ...refreshForm(refreshToken), ...withAssertion(assertion) }))
    },
    'requireAccessToken.tenantKey': async () => this.#callApi(),
    'requireAccessToken.resource': async () => this.#callApi(),
    'verifier.invalidToken': () => {
      const invalidToken = this.#at('verifier.invalidToken', (description: string) => new Error(description))
      return called(this.#signIn.verifier({ tenantKey: 'acme', invalidToken }).verifyAccessToken('none'))
    },
  }

  #revokeAll = () => called(this.#signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'nobody' }))

  async #callApi(): Promise<Answer> {
    const accessToken = await this.#connected('access_token')
    return this.#fetched(new URL('/api', this.#issuer), { headers: { Authorization: `Bearer ${accessToken}` } })
  }

  #authorize(client_id = clientId): Promise<Answer> {
    const query = formBody({
      response_type: 'code',
      client_id,
      redirect_uri: redirectUri,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    return this.#get(`/authorize?${query}`)
  }

  /** A live token, issued while nothing misbehaves. On a busy machine the short `hostTimeout` can be over before the store's turn. */
  #connected(token: 'refresh_token' | 'access_token' = 'refresh_token'): Promise<string> {
    return this.#properly(async () => {
      for (;;) {
        const code = await signedInTo(this.#signIn).catch(orTooLate)
        const { [token]: issued } = code ? JSON.parse((await this.#post('/token', formBody(codeForm(code)))).text) : {}
        if (issued) return issued
      }
    })
  }

  #refresh = (refreshToken: string) => this.#post('/token', formBody(refreshForm(refreshToken)))

  #properly<T>(work: () => Promise<T>): Promise<T> {
    return this.#misbehaving(undefined, () => {}, work)
  }

  async #misbehaving<T>(place: string | undefined, act: () => unknown, work: () => Promise<T>): Promise<T> {
    const before = this.misdeed
    this.misdeed = place === undefined ? undefined : { place, act }
    try {
      return await work()
    } finally {
      this.misdeed = before
    }
  }

  #get = (path: string) => this.#fetched(this.#issuer + path)

  #post(path: string, body: string, type = 'application/x-www-form-urlencoded'): Promise<Answer> {
    return this.#fetched(this.#issuer + path, { method: 'POST', headers: { 'Content-Type': type }, body })
  }

  /** Each request has a connection of its own: the server closes one that is idle while a place without requests is tried. */
  async #fetched(url: URL | string, { body, ...options }: RequestOptions & { body?: string } = {}): Promise<Answer> {
    const sent = request(url, { agent: false, ...options }).end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const { statusCode: status = 0, headers } = response
    return { status, type: headers['content-type'] ?? '', location: headers.location, text: await text(response) }
  }
}

function signed(data: Uint8Array): Uint8Array {
  return sign('sha256', data, signingKey)
}

/** What a function of the library rejects with, or undefined. */
async function called(promise: Promise<unknown>): Promise<Error | undefined> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason) => reason,
  )
  if (error === undefined || error instanceof OAuthError || error instanceof Error) return error
  return new Error('The library rejected with something that is not an Error')
}

function orTooLate(error: unknown): undefined {
  if (!(error instanceof OAuthError) || error.code !== 'temporarily_unavailable') throw error
}
