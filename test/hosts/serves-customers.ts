import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AuthorizedRequest, CustomerSignIn } from 'customer-sign-in'
import request from 'supertest'
import { codeForm, HostApp, postToken, refreshForm, signedInTo, testSignIn } from '../support/host-app'
import { expectError, expectTokens } from '../support/sign-in'

/** The parts of every host in these tests, to assemble with its framework. */
export interface HostParts {
  signIn: CustomerSignIn
  /** Where the router is mounted; empty for the root. */
  prefix: string
  /** The API at `/api`, behind `signIn.requireAccessToken`. */
  api(req: IncomingMessage, res: ServerResponse): void
  /** Answers the requests that no other handler has answered. */
  page(req: IncomingMessage, res: ServerResponse): void
  /** Answers when one of the host's own handlers has thrown. */
  failed(error: unknown, res: ServerResponse): void
}

const ownHandlers: Omit<HostParts, 'signIn' | 'prefix'> = {
  api(req, res) {
    if (req.url?.includes('broken')) throw new Error('the API is broken')
    res.end((req as AuthorizedRequest).auth.subject)
  },
  page(req, res) {
    if (req.url?.includes('broken')) throw new Error('the page is broken')
    res.end('a page of the host')
  },
  failed(error, res) {
    res.statusCode = 500
    res.end(`the host was told: ${(error as Error).message}`)
  },
}

/** How a router is mounted, and the addresses of its metadata. */
export interface Mounting {
  name: string
  prefix: string
  /** Whether `baseUrl` is set, or taken from the requests. */
  configured: boolean
  /** The addresses of the metadata, below the host's root. */
  metadata: string[]
}

const wellKnown = '/.well-known/oauth-authorization-server'

export const mountings = {
  atRoot: {
    name: 'at the root',
    prefix: '',
    configured: true,
    metadata: [`${wellKnown}/v1/acme/oauth`, `/v1/acme/oauth${wellKnown}`],
  },
  atRootUnconfigured: {
    name: 'at the root, baseUrl taken from the requests',
    prefix: '',
    configured: false,
    metadata: [`${wellKnown}/v1/acme/oauth`, `/v1/acme/oauth${wellKnown}`],
  },
  underPrefix: {
    name: 'under a prefix',
    prefix: '/auth',
    configured: true,
    metadata: [`${wellKnown}/auth/v1/acme/oauth`, `/auth/v1/acme/oauth${wellKnown}`, `/auth${wellKnown}/v1/acme/oauth`],
  },
  underPrefixUnconfigured: {
    name: 'under a prefix, baseUrl taken from the requests',
    prefix: '/auth',
    configured: false,
    metadata: [`${wellKnown}/auth/v1/acme/oauth`, `/auth/v1/acme/oauth${wellKnown}`, `/auth${wellKnown}/v1/acme/oauth`],
  },
} satisfies Record<string, Mounting>

/** The tests that every host must pass, however the router is mounted. */
export function servesCustomers(
  assemble: (parts: HostParts) => RequestListener,
  { name, prefix, configured, metadata }: Mounting,
): void {
  describe(name, () => {
    let signIn: CustomerSignIn
    let host: HostApp
    let issuer: string
    beforeAll(async () => {
      jest.spyOn(process, 'emitWarning').mockImplementation()
      host = await HostApp.start((origin) => {
        signIn = testSignIn({ baseUrl: configured ? origin + prefix : undefined })
        return assemble({ signIn, prefix, ...ownHandlers })
      })
      issuer = `${host.origin}${prefix}/v1/acme/oauth`
      // A client begins with the metadata. From that request, the server learns a `baseUrl` that is not set.
      await request(host.origin).get(`${prefix}/v1/acme/oauth${wellKnown}`).expect(200)
    })
    afterAll(async () => {
      await host.stop()
      jest.restoreAllMocks()
    })

    const get = (path: string) => request(host.origin).get(path)
    const callApi = (accessToken: string, path = '/api') =>
      get(path).set('Authorization', `Bearer ${accessToken}`).buffer(true)
    const connected = async () => expectTokens(await postToken(issuer, codeForm(await signedInTo(signIn))))

    it.each(metadata)('shows its metadata at %s', async (path) => {
      const { body } = await get(path).expect(200)
      expect(body).toMatchObject({ issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` })
    })

    it('serves the key set at the address in its metadata', async () => {
      const { body } = await request(issuer).get('/jwks').expect(200)
      expect(body.keys).toHaveLength(1)
    })

    it('exchanges a code, refreshes, and refuses the used refresh token', async () => {
      const first = await connected()
      const second = expectTokens(await postToken(issuer, refreshForm(first.refresh_token)))
      expectError(await postToken(issuer, refreshForm(first.refresh_token)), 400, 'invalid_grant')
      expectTokens(await postToken(issuer, refreshForm(second.refresh_token)))
    })

    it("protects the host's own API", async () => {
      const { access_token } = await connected()
      const { text } = await callApi(access_token).expect(200)
      expect(text).toBe('customer-1')
      expectError(await callApi('no-token-of-ours'), 401, 'invalid_token')
    })

    it("protects the host's own API also after requests to other pages of the host", async () => {
      const { access_token } = await connected()
      for (const path of ['/', prefix || '/', `${prefix}/`, `${prefix}?lang=en`, '/news']) await get(path).expect(200)
      await callApi(access_token).expect(200)
    })

    it('answers 404 for a company that has not set up customer sign-in', async () => {
      const nobody = issuer.replace('acme', 'initech')
      expectError(await postToken(nobody, {}), 404, 'not_found')
      expectError(await request(nobody).get(wellKnown), 404, 'not_found')
    })

    it('answers 405 for a wrong method, and names the right ones', async () => {
      const response = await request(issuer).get('/token')
      expectError(response, 405, 'method_not_allowed')
      expect(response.headers.allow).toBe('POST, OPTIONS')
      expectError(await request(issuer).put('/jwks'), 405, 'method_not_allowed')
    })

    it.each(['/v1/acme/oauth/authorize', '/v1/acme/oauth/token/more', '/v1/acme/oauth', '/v1/acme', '/'])(
      'leaves %s to the host',
      async (path) => {
        const { text } = await get(prefix + path).expect(200)
        expect(text).toBe('a page of the host')
      },
    )

    it('leaves the errors of the host to the host', async () => {
      const { access_token } = await connected()
      expect((await get(`${prefix}/broken`).expect(500)).text).toBe('the host was told: the page is broken')
      const response = await callApi(access_token, '/api/broken').expect(500)
      expect(response.text).toBe('the host was told: the API is broken')
    })
  })
}
