import { ConfigurationError } from 'customer-sign-in'
import { testSignIn } from '../../support/host-app'
import { onDomains, storeOf } from '../../support/own-domain'
import { started } from '../../support/started'

const alike = ['/v1/:tenantKey/mcp', '/admin/:tenantKey/mcp', '/mcp/:tenantKey']
const pairs = alike.flatMap((one) => alike.filter((other) => other !== one).map((other) => [one, other] as const))

describe('two APIs whose paths end alike', () => {
  it.each(pairs)('cannot be announced where companies have domains of their own: %s and %s', (one, other) => {
    const signIn = testSignIn({ baseUrl: 'https://host.example', tenantStore: storeOf(() => onDomains) })
    signIn.protectedResource({ path: one })
    const announce = () => signIn.protectedResource({ path: other })
    expect(announce).toThrow(ConfigurationError)
    expect(announce).toThrow(
      `protectedResource.path is ${other}, which is /mcp on a company's own domain, as ${one} is`,
    )
    signIn.protectedResource({ path: one, scopes: 'profile' })
    signIn.protectedResource({ path: '/v1/:tenantKey/admin/mcp' })
  })

  it.each(pairs)('are two where no company has one: a token for %s is none for %s', async (one, other) => {
    const host = await started()
    for (const path of [one, other]) host.signIn.protectedResource({ path })
    const [mine, its] = [one, other].map((path) => host.url + path.replace(':tenantKey', 'acme'))
    const { access_token } = await host.connected({ resource: mine })
    const verify = (resource: string | undefined) =>
      host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', resource: resource ?? '' })
    await expect(verify(mine)).resolves.toMatchObject({ subject: 'customer-1' })
    await expect(verify(its)).rejects.toMatchObject({ reason: 'wrong_resource' })
  })
})
