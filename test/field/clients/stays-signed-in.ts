import { CompanyHost, type CompanyHostOptions } from '../../support/company-host'

/** A token response as a client returns it. */
export interface ClientTokens {
  access_token: string
  refresh_token?: string
}

/** One sign-in of a client. */
export interface ClientSession {
  /** Where the client sends the customer's browser. */
  authorizationUrl: URL
  /** Validates the authorization response as the client does, and exchanges its code. */
  exchange(callback: URL): Promise<ClientTokens>
  refresh(refreshToken: string): Promise<ClientTokens>
  revoke?(token: string): Promise<void>
}

/** A client that others wrote, used as its documentation says. */
export interface ClientUnderTest {
  /** Discovers the authorization server and prepares an authorization request for the API. */
  start(issuer: string, api: string): Promise<ClientSession>
  /** Whether the client compares the `iss` of an authorization response (RFC 9207). */
  checksIssuer: boolean
  /** The OAuth error code of an error that the client throws. */
  errorCode(error: unknown): Promise<string> | string
  /** Options of the host, beside those of every test. */
  options?: CompanyHostOptions
}

/** The tests that every client must pass. */
export function staysSignedIn({ start, checksIssuer, errorCode, options = {} }: ClientUnderTest): void {
  let host: CompanyHost
  beforeAll(async () => {
    host = await CompanyHost.start({ onEvent: () => {}, ...options })
  })
  afterAll(() => host.stop())
  afterEach(() => jest.restoreAllMocks())

  const discover = () => start(host.issuer, host.api)

  async function signedIn(): Promise<ClientSession & { tokens: Required<ClientTokens> }> {
    const session = await discover()
    const callback = await host.browse(session.authorizationUrl)
    expect(callback.searchParams.get('state')).toBe(session.authorizationUrl.searchParams.get('state'))
    return { ...session, tokens: both(await session.exchange(callback)) }
  }

  async function refusal(attempt: Promise<unknown>): Promise<string> {
    return attempt.then(() => 'accepted', errorCode)
  }

  async function expectAccess({ access_token }: ClientTokens): Promise<void> {
    const response = await fetch(host.api, { headers: { Authorization: `Bearer ${access_token}` } })
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { subject: 'customer-1' },
    })
  }

  it('discovers a company, signs a customer in and calls the API', async () => {
    const { tokens } = await signedIn()
    await expectAccess(tokens)
  })

  it('finds nothing for a company that has not set up customer sign-in', async () => {
    await expect(start(host.issuer.replace('acme', 'globex'), host.api)).rejects.toThrow()
  })

  if (checksIssuer) {
    it('refuses an authorization response of another issuer, or of none, and accepts the right one afterwards', async () => {
      const { authorizationUrl, exchange } = await discover()
      const callback = await host.browse(authorizationUrl)
      await expect(exchange(withIssuer(callback, host.issuer.replace('acme', 'globex')))).rejects.toThrow()
      await expect(exchange(withIssuer(callback, undefined))).rejects.toThrow()
      await expectAccess(await exchange(callback))
    })
  }

  it('refreshes twice, each time for new tokens', async () => {
    const { refresh, tokens } = await signedIn()
    const second = both(await refresh(tokens.refresh_token))
    const third = both(await refresh(second.refresh_token))
    expect(new Set([tokens, second, third].map(({ refresh_token }) => refresh_token)).size).toBe(3)
    await expectAccess(third)
  })

  it('is refused when it presents a used refresh token', async () => {
    const { refresh, tokens } = await signedIn()
    await refresh(tokens.refresh_token)
    expect(await refusal(refresh(tokens.refresh_token))).toBe('invalid_grant')
  })

  it('is refused when it presents a used code', async () => {
    const { authorizationUrl, exchange } = await discover()
    const callback = await host.browse(authorizationUrl)
    await exchange(callback)
    expect(await refusal(exchange(callback))).toBe('invalid_grant')
  })

  it('is told to retry while the store is down, and then goes on with the token it has', async () => {
    const { refresh, tokens } = await signedIn()
    const store = jest.spyOn(host.tokenStore, 'swapCredential').mockRejectedValue(new Error('the store is down'))
    expect(await refusal(refresh(tokens.refresh_token))).toBe('temporarily_unavailable')
    store.mockRestore()
    await expectAccess(await refresh(tokens.refresh_token))
  })
}

function both({ access_token, refresh_token }: ClientTokens): Required<ClientTokens> {
  expect(refresh_token).toEqual(expect.any(String))
  return { access_token, refresh_token: refresh_token ?? '' }
}

function withIssuer(callback: URL, issuer: string | undefined): URL {
  const changed = new URL(callback)
  changed.searchParams.delete('iss')
  if (issuer !== undefined) changed.searchParams.set('iss', issuer)
  return changed
}
