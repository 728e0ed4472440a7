import { MemoryTenantStore } from 'customer-sign-in'
import { clientId, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const [web, loopback] = ['https://assistant.example/callback?from=acme', 'http://127.0.0.1/callback']

/** A host with its own authorize page, and a client with two redirect URIs. */
async function issuing() {
  const clients = [{ clientId, redirectUris: [web, loopback] }]
  const tenantStore = new MemoryTenantStore([{ key: 'acme', clients, scopes: ['profile', 'calendar'] }])
  const host = await started({ tenantStore })
  const request = {
    tenantKey: 'acme',
    clientId,
    codeChallenge,
    codeChallengeMethod: 'S256',
    subject: 'customer-1',
  } as const
  const issued = (redirectUri: string, state?: string) =>
    host.signIn.issueAuthorizationCode({ ...request, redirectUri, state })
  return { host, issued }
}

describe('issueAuthorizationCode', () => {
  it.each(['a state', undefined])(
    'gives the address to send the browser to, with the code and the state %j',
    async (state) => {
      const { host, issued } = await issuing()
      const { code, redirectTo } = await issued(web, state)
      const { origin, pathname, searchParams } = new URL(redirectTo)
      expect(`${origin}${pathname}`).toBe('https://assistant.example/callback')
      const answer = { from: 'acme', code, iss: host.issuer(), ...(state !== undefined && { state }) }
      expect(Object.fromEntries(searchParams)).toEqual(answer)
    },
  )

  it('sends the browser to any of the client’s redirect URIs, and to no other', async () => {
    const { issued } = await issuing()
    for (const redirectUri of [web, 'http://127.0.0.1:41234/callback']) {
      const { redirectTo } = await issued(redirectUri)
      expect(redirectTo.startsWith(redirectUri)).toBe(true)
    }
    await expect(issued('https://assistant.example/callback')).rejects.toMatchObject({ code: 'unauthorized_client' })
  })

  it('names to the host what the client did not send', async () => {
    const { host } = await issuing()
    const request = { tenantKey: 'acme', codeChallenge, codeChallengeMethod: 'S256', subject: 'customer-1' } as const
    const without = (sent: object) =>
      expect(host.signIn.issueAuthorizationCode({ ...request, ...sent } as never)).rejects
    await without({ redirectUri: web }).toMatchObject({ code: 'invalid_client', detail: { clientId: '' } })
    await without({ clientId }).toMatchObject({ code: 'unauthorized_client', detail: { clientId, asked: '' } })
  })

  it('refuses a subject that was cut in the middle of a character, as a mistake of the host', async () => {
    const host = await started()
    await expect(host.asCustomer({ subject: 'x😀'.slice(0, 2) })).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('issueAuthorizationCode.subject has half of a surrogate pair'),
    })
    expectTokens(await host.exchange(await host.asCustomer({ subject: '😀' })))
  })

  it.each(['client:nightly', 'client:', 'workload:agent'])(
    'refuses the subject %s, which no customer has',
    async (subject) => {
      const host = await started()
      await expect(host.asCustomer({ subject })).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining('subject must be text that does not begin with client: or workload:'),
      })
      expect((await host.tokenStore.listGrants({ tenantId: 'acme', limit: 10 })).grants).toEqual([])
    },
  )

  it.each(['client', 'Client:nightly', 'a client:'])('takes the subject %s, which is a customer’s', async (subject) => {
    const host = await started()
    expectTokens(await host.exchange(await host.asCustomer({ subject })))
  })

  it('grants the scopes that the customer has chosen, as a list', async () => {
    const host = await started()
    const signedIn = await host.asCustomer({ scopes: ['calendar'] })
    expect(expectTokens(await host.exchange(signedIn)).scope).toBe('calendar')
  })

  it('grants what is offered of a scope as the request has it, and a list as it is or not at all', async () => {
    const host = await started()
    const signedIn = await host.asCustomer({ scopes: ' openid calendar' })
    expect(expectTokens(await host.exchange(signedIn)).scope).toBe('calendar')
    const ofNothingElse = await host.asCustomer({ scopes: 'openid email' })
    expect(expectTokens(await host.exchange(ofNothingElse)).scope).toBe('profile calendar')
    for (const scopes of ['openid mail', ['openid', 'calendar'], ['openid'], ['offline_access']]) {
      await expect(host.asCustomer({ scopes })).rejects.toMatchObject({ code: 'invalid_scope' })
    }
  })

  it('without scopes grants those that the host has announced for the resource', async () => {
    const host = await started()
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: ['calendar'] })
    host.signIn.protectedResource({ path: '/v1/:tenantKey/trips', scopesSupported: ['profile'] })
    const granted = async (name: string) => {
      const resource = `${host.url}/v1/acme/${name}`
      return expectTokens(await host.exchange(await host.asCustomer({ resource }))).scope
    }
    expect(await granted('mcp')).toBe('calendar')
    expect(await granted('trips')).toBe('profile')
    expect(expectTokens(await host.exchange(await host.asCustomer())).scope).toBe('profile calendar')
  })
})
