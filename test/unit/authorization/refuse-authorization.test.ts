import { MemoryTenantStore, OAuthError } from 'customer-sign-in'
import { clientId } from '../../support/sign-in'
import { started } from '../../support/started'

const redirectUri = 'https://assistant.example/callback?from=acme'

/** A host with its own authorize page. */
async function refusing() {
  const clients = [{ clientId, redirectUris: [redirectUri] }]
  const host = await started({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]) })
  const request = { tenantKey: 'acme', clientId, redirectUri, state: 'a state' }
  return { host, request, refused: (members = {}) => host.signIn.refuseAuthorization({ ...request, ...members }) }
}

describe('refuseAuthorization', () => {
  it('gives the address to send the browser to, with the refusal of the customer, state and iss', async () => {
    const { host, refused } = await refusing()
    const { origin, pathname, searchParams } = new URL((await refused()).redirectTo)
    expect(`${origin}${pathname}`).toBe('https://assistant.example/callback')
    expect(Object.fromEntries(searchParams)).toEqual({
      from: 'acme',
      error: 'access_denied',
      error_description: 'The customer has refused',
      state: 'a state',
      iss: host.issuer(),
    })
    const denied = {
      where: 'refuseAuthorization',
      reason: 'declined',
      error: 'access_denied',
      tenantKey: 'acme',
      clientId,
    }
    expect(await host.told('denied')).toMatchObject([denied])
  })

  it('says what issueAuthorizationCode has refused, and no state where there is none', async () => {
    const { host, request, refused } = await refusing()
    const issuing = { ...request, codeChallenge: 'short', codeChallengeMethod: 'S256', subject: 'customer-1' } as const
    const error = await host.signIn.issueAuthorizationCode(issuing).catch((thrown) => thrown)
    const { searchParams } = new URL((await refused({ error, state: undefined })).redirectTo)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      error: 'invalid_request',
      error_description: 'code_challenge must be 43 base64url characters',
    })
    expect(searchParams.has('state')).toBe(false)
    const ofHost = await refused({ error: new OAuthError('login_required', 'Nobody is logged in') })
    expect(new URL(ofHost.redirectTo).searchParams.get('error')).toBe('login_required')
  })

  it('sends the browser to no other address', async () => {
    const { refused } = await refusing()
    const elsewhere = { redirectUri: 'https://evil.example/callback' }
    await expect(refused(elsewhere)).rejects.toMatchObject({ code: 'unauthorized_client' })
    await expect(refused({ clientId: 'nobody' })).rejects.toMatchObject({ code: 'invalid_client' })
    await expect(refused({ tenantKey: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
  })
})
