import { auth as auth2 } from '@modelcontextprotocol/client'
import { auth as auth1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { auth as auth117 } from 'mcp-sdk-1.17.0/client/auth.js'
import { AssistantSession } from '../../support/assistant-session'
import { releaseClock, stopClock } from '../../support/clock'
import { CompanyHost } from '../../support/company-host'

type Auth = (
  session: AssistantSession,
  options: { serverUrl: string; authorizationCode?: string; iss?: string },
) => Promise<'AUTHORIZED' | 'REDIRECT'>

const versions: [string, Auth][] = [
  ['1.17.0', auth117],
  ['newest 1', auth1],
  ['2', auth2],
]

describe.each(versions)('auth() of the MCP SDK %s', (_version, auth) => {
  let host: CompanyHost
  beforeAll(async () => {
    host = await CompanyHost.start({ refreshRetryWindow: 10, onEvent: () => {} })
  })
  afterAll(() => host.stop())
  beforeEach(() => jest.spyOn(console, 'warn').mockImplementation())
  afterEach(() => {
    jest.restoreAllMocks()
    releaseClock()
  })

  /** An assistant that knew only the address of the API, and whose customer has signed in. */
  async function signedIn(): Promise<AssistantSession> {
    const session = new AssistantSession(host.issuer)
    expect(await auth(session, { serverUrl: host.api })).toBe('REDIRECT')
    const { searchParams } = await host.browse(session.authorizationUrl)
    expect(searchParams.get('state')).toBe(session.state())
    const [authorizationCode, iss] = [searchParams.get('code') ?? '', searchParams.get('iss') ?? undefined]
    expect(await auth(session, { serverUrl: host.api, authorizationCode, iss })).toBe('AUTHORIZED')
    return session
  }

  const refresh = (session: AssistantSession) => auth(session, { serverUrl: host.api })

  async function expectAccess(session: AssistantSession): Promise<void> {
    const authorization = `Bearer ${session.tokens()?.access_token}`
    const { status } = await fetch(host.api, { headers: { authorization } })
    expect(status).toBe(200)
  }

  it('needs only the address of the API to get an access token for it', async () => {
    await expectAccess(await signedIn())
  })

  it('refreshes again and again', async () => {
    const clock = stopClock()
    const session = await signedIn()
    const refreshTokens = new Set([session.tokens()?.refresh_token])
    for (let refreshed = 0; refreshed < 3; refreshed++) {
      clock.advance(10)
      expect(await refresh(session)).toBe('AUTHORIZED')
      refreshTokens.add(session.tokens()?.refresh_token)
    }
    expect(refreshTokens.size).toBe(4)
    await expectAccess(session)
  })

  it('refreshes in parallel without losing the session', async () => {
    const session = await signedIn()
    expect(await Promise.all([1, 2, 3].map(() => refresh(session)))).toEqual(Array(3).fill('AUTHORIZED'))
    expect(await refresh(session)).toBe('AUTHORIZED')
    await expectAccess(session)
  })

  it('keeps its tokens while the store is down, and uses them afterwards', async () => {
    const session = await signedIn()
    const tokens = session.tokens()
    const store = jest.spyOn(host.tokenStore, 'swapCredential').mockRejectedValue(new Error('the store is down'))
    await expect(refresh(session)).rejects.toThrow()
    expect(session.tokens()).toEqual(tokens)
    store.mockRestore()
    expect(await refresh(session)).toBe('AUTHORIZED')
    await expectAccess(session)
  })

  it('asks the customer to sign in again when the host has ended the grant', async () => {
    const session = await signedIn()
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    expect(await refresh(session)).toBe('REDIRECT')
    expect(session.tokens()).toBeUndefined()
  })
})
