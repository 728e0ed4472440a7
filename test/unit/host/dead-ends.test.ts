import { MemoryTenantStore } from 'customer-sign-in'
import { Authorization, asTheySay } from '../../support/authorization'
import { register } from '../../support/registration'
import { clientId, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const elsewhere = 'https://elsewhere.example/callback'
const unknownApp = 'unknown-app://callback'
const document = 'https://assistant.example/client.json'

type Request = (host: TestSignIn) => PromiseLike<unknown>

const asking = (parameters: Record<string, string | undefined>): Request => {
  return (host) => new Authorization(host, parameters).open()
}

describe('an assistant that gets no further leaves one event, which says what it asked for and what it would have got:', () => {
  it.each<[what: string, request: Request, event: object]>([
    [
      'a scope that nobody offers',
      asking({ scope: 'openid mail' }),
      {
        where: 'authorize',
        reason: 'scope_not_offered',
        clientId,
        detail: { asked: ['openid', 'mail'], accepted: ['profile', 'calendar'] },
      },
    ],
    [
      'an API that the company does not have',
      asking({ resource: 'https://elsewhere.example/mcp' }),
      {
        where: 'authorize',
        reason: 'unknown_resource',
        clientId,
        detail: { asked: ['https://elsewhere.example/mcp'], accepted: [expect.stringMatching(/\/v1\/acme\/oauth$/)] },
      },
    ],
    [
      'a redirect URI that it has not registered',
      asking({ redirect_uri: elsewhere }),
      {
        where: 'authorize',
        reason: 'wrong_redirect_uri',
        detail: { clientId, asked: elsewhere, accepted: expect.arrayContaining([redirectUri]) },
      },
    ],
    [
      'no PKCE',
      asking({ code_challenge: undefined, code_challenge_method: undefined }),
      { where: 'authorize', reason: 'no_code_challenge', clientId, detail: { accepted: ['S256'] } },
    ],
    [
      'PKCE without a challenge',
      asking({ code_challenge: undefined }),
      { where: 'authorize', reason: 'no_code_challenge', clientId },
    ],
    [
      'a client that is gone',
      asking({ client_id: 'gone' }),
      { where: 'authorize', reason: 'client_gone', detail: { clientId: 'gone' } },
    ],
    [
      'a metadata document where they are switched off',
      asking({ client_id: document }),
      { where: 'authorize', reason: 'documents_off', detail: { clientId: document } },
    ],
    [
      'a registration without a redirect URI that is accepted',
      (host) => register(host, { redirect_uris: [unknownApp, 'javascript:1'] }),
      {
        where: 'register',
        reason: 'redirect_uris_refused',
        detail: {
          asked: [unknownApp, 'javascript:1'],
          faults: [
            'must be https, http on loopback, or an app address that is accepted here',
            expect.stringMatching(/^must /),
          ],
        },
      },
    ],
  ])('%s', async (_, request, event) => {
    const host = await started({ authenticate: asTheySay, clients: { documents: false } })
    await request(host)
    expect(await host.told('denied')).toMatchObject([event])
  })

  it('a registration where it is switched off', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'acme', registration: false }])
    const host = await started({ tenantStore })
    await register(host)
    expect(await host.told('denied')).toMatchObject([{ where: 'register', reason: 'registration_off' }])
  })

  it('a resource at the token endpoint that was not granted', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    await host.refresh(refresh_token, { resource: 'https://elsewhere.example' })
    const detail = { asked: 'https://elsewhere.example', accepted: [host.issuer()] }
    expect(await host.told('denied')).toMatchObject([{ where: 'token', reason: 'wrong_resource', clientId, detail }])
  })

  it('a scope at the token endpoint that was not granted', async () => {
    const host = await started()
    const { refresh_token } = await host.connected({ scopes: 'profile' })
    await host.refresh(refresh_token, { scope: 'calendar' })
    const detail = { asked: ['calendar'], accepted: ['profile'] }
    expect(await host.told('denied')).toMatchObject([{ where: 'token', reason: 'scope_not_offered', clientId, detail }])
  })

  it('an access token without the scope of an API', async () => {
    const host = await started()
    const { access_token } = await host.connected({ scopes: 'profile' })
    const verifying = host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', scopes: 'calendar' })
    const detail = { asked: ['profile'], accepted: ['calendar'] }
    await expect(verifying).rejects.toMatchObject({ code: 'insufficient_scope', detail })
  })
})
