import { ConfigurationError, type CustomerSignIn } from 'customer-sign-in'
import { clientId, redirectUri } from './support/sign-in'
import { started } from './support/started'

const tenantKey = 'acme'
const subject = 'customer-1'
const invalidToken = (description: string) => new Error(description)
const issuing = {
  tenantKey,
  clientId,
  redirectUri,
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  codeChallengeMethod: 'S256',
  subject,
}

/** Calls a method as a host without types can call it. */
type Call = (signIn: CustomerSignIn, given: never) => unknown

// What each method is called with, and members that are wrong.
const methods: [string, Call, object, object[]][] = [
  [
    'verifyAccessToken',
    (signIn, given) => signIn.verifyAccessToken('a token', given),
    { tenantKey },
    [{ scope: 'bookings' }, { scopes: 1 }, { scopes: 'two  spaces' }, { checkRevocation: 'yes' }, { resource: '/mcp' }],
  ],
  [
    'requireAccessToken',
    (signIn, given) => signIn.requireAccessToken(given),
    { tenantKey },
    [{ scope: ['bookings'] }, { scopes: [''] }, { checkRevocation: 1 }, { resource: 1 }, { tenantKey: '' }],
  ],
  [
    'verifier',
    (signIn, given) => signIn.verifier(given),
    { tenantKey, invalidToken },
    [{ scopes: 'profile' }, { invalidToken: 'no' }, { tenantKey: undefined }, { anyTenant: true }],
  ],
  [
    'protectedResource',
    (signIn, given) => signIn.protectedResource(given),
    { path: '/v1/:tenantKey/mcp' },
    [{ scope: 'profile' }, { path: '/mcp' }, { checkRevocation: 'no' }],
  ],
  [
    'issueAuthorizationCode',
    (signIn, given) => signIn.issueAuthorizationCode(given),
    issuing,
    [{ scope: 'profile' }, { nonce: 'a' }, { tenantKey: undefined }, { tenantKey: ['acme'] }],
  ],
  [
    'grants.list',
    (signIn, given) => signIn.grants.list(given),
    { tenantKey, subject },
    [{ clientId }, { subject: '' }, { subject: undefined }, { tenantKey: 1 }],
  ],
  [
    'grants.revoke',
    (signIn, given) => signIn.grants.revoke(given),
    { tenantKey, grantId: 'a grant' },
    [{ subject }, { grantId: '' }, { grantId: undefined }],
  ],
  [
    'clients.find',
    (signIn, given) => signIn.clients.find(given),
    { tenantKey, clientId },
    [{ subject }, { clientId: '' }, { clientId: undefined }],
  ],
  [
    'clients.delete',
    (signIn, given) => signIn.clients.delete(given),
    { tenantKey, clientId },
    [{ subject }, { clientId: '' }, { clientId: undefined }],
  ],
]

describe.each(methods)('%s', (_name, call, right, wrong) => {
  const outcomeOf = async (given: unknown) => {
    const { signIn } = await started()
    try {
      return await call(signIn, given as never)
    } catch (error) {
      return error
    }
  }

  it('takes what its types say', async () => {
    expect(await outcomeOf(right)).not.toBeInstanceOf(ConfigurationError)
  })

  it.each(wrong.map((members) => [JSON.stringify(members), members]))('refuses %s', async (_members, members) => {
    expect(await outcomeOf({ ...right, ...(members as object) })).toBeInstanceOf(ConfigurationError)
  })

  it.each([undefined, null, 'acme'])('refuses %p in place of its members', async (given) => {
    expect(await outcomeOf(given)).toBeInstanceOf(Error)
  })
})
