import { inspect } from 'node:util'
import { ConfigurationError, type CustomerSignIn } from 'customer-sign-in'
import { clientId, redirectUri } from '../support/sign-in'
import { started } from '../support/started'

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

/** Calls a method as a host that does not use TypeScript can call it. */
type Call = (signIn: CustomerSignIn, given: never) => unknown

// The arguments of each method, and wrong ones. A requirement whose value is undefined must be refused, not dropped.
const requirements = [
  { scope: 'bookings' },
  { scopes: '' },
  { scopes: ' ' },
  { scopes: [] },
  { scopes: [''] },
  { scopes: null },
  { scopes: undefined },
  { scopes: 1 },
  { scopes: [['profile']] },
  { scopes: ['profile calendar'] },
  { scopes: 'two  spaces' },
  { scopes: 'offline_access' },
  { scopes: ['profile', 'profile'] },
  { checkRevocation: 'yes' },
  { checkRevocation: 1 },
  { checkRevocation: null },
  { checkRevocation: undefined },
]
const resources = [{ resource: '/mcp' }, { resource: '' }, { resource: null }, { resource: undefined }, { resource: 1 }]

// A tenant must be named in one way.
const notOneTenant = [
  { tenantId: 'acme' },
  { tenantKey: undefined },
  { tenantKey: '' },
  { tenantKey: null },
  { tenantId: '' },
]

const noActor = [{ actor: '' }, { actor: null }, { actor: 7 }, { actor: 'a'.repeat(201) }, { actor: 'two\nlines' }]

const notOneCustomer = [
  ...notOneTenant,
  { subject: '' },
  { subject: undefined },
  { subject: null },
  { subject: ['a'] },
  { clientId },
]

const methods: [string, Call, object, object[]][] = [
  [
    'verifyAccessToken',
    (signIn, given) => signIn.verifyAccessToken('a token', given),
    { tenantKey },
    [...requirements, ...resources, { tenantKey: undefined }, { tenantKey: null }, { anyTenant: undefined }],
  ],
  [
    'requireAccessToken',
    (signIn, given) => signIn.requireAccessToken(given),
    { tenantKey },
    [
      ...requirements,
      ...resources,
      { tenantKey: '' },
      { tenantKey: 'a/b' },
      { tenantKey: undefined },
      { anyTenant: true },
    ],
  ],
  [
    'verifier',
    (signIn, given) => signIn.verifier(given),
    { tenantKey, invalidToken },
    [
      ...resources,
      { scopes: 'profile' },
      { checkRevocation: undefined },
      { invalidToken: 'no' },
      { tenantKey: undefined },
      { anyTenant: true },
    ],
  ],
  [
    'protectedResource',
    (signIn, given) => signIn.protectedResource(given),
    { path: '/v1/:tenantKey/mcp' },
    [
      ...requirements,
      { path: '/mcp' },
      { path: undefined },
      { resource: 'https://api.example' },
      { scopesSupported: [] },
      { scopesSupported: undefined },
      { scopesSupported: 'offline_access' },
      { scopesSupported: ['a b'] },
      ...[
        'https://inspector.example/',
        'https://*.example',
        'null',
        '*',
        'inspector.example',
        'ws://inspector.example',
        1,
      ].map((one) => ({
        allowedOrigins: [one],
      })),
      { allowedOrigins: 'https://inspector.example' },
      { allowedOrigins: ['https://inspector.example', 'https://INSPECTOR.example:443'] },
      { allowedOrigins: undefined },
    ],
  ],
  [
    'refuseAuthorization',
    (signIn, given) => signIn.refuseAuthorization(given),
    { tenantKey, clientId: issuing.clientId, redirectUri: issuing.redirectUri },
    [
      { tenantKey: undefined },
      { error: 'access_denied' },
      { error: new Error('no OAuthError') },
      { subject: 'customer-1' },
    ],
  ],
  [
    'issueAuthorizationCode',
    (signIn, given) => signIn.issueAuthorizationCode(given),
    issuing,
    [
      { scope: 'profile' },
      { scopes: [] },
      { scopes: [1] },
      { scopes: [['profile']] },
      { scopes: { profile: true } },
      { nonce: 'a' },
      { tenantKey: undefined },
      { tenantKey: ['acme'] },
      { subject: undefined },
      { subject: '' },
      { subject: 7 },
      { claims: 'gold' },
      { claims: ['gold'] },
    ],
  ],
  [
    'connect',
    (signIn, given) => signIn.connect(given),
    { tenantKey: 'globex' },
    [
      { subject },
      { tenantKey: '' },
      { tenantKey: undefined },
      { tenantKey: null },
      { tenantKey: ['globex'] },
      { resource: 'https://elsewhere.example/mcp' },
      ...resources,
    ],
  ],
  [
    'grants.list',
    (signIn, given) => signIn.grants.list(given),
    { tenantKey, subject },
    [
      ...notOneTenant,
      { anyCustomer: true },
      { anyCustomer: 1 },
      { limit: 0 },
      { subject: '' },
      { subject: undefined },
      { subject: ['a'] },
      { tenantKey: 1 },
    ],
  ],
  [
    'grants.revoke',
    (signIn, given) => signIn.grants.revoke(given),
    { tenantKey, subject, grantId: 'a grant' },
    [...notOneCustomer, ...noActor, { grantId: '' }, { grantId: undefined }, { grantId: null }],
  ],
  [
    'grants.revokeAll',
    (signIn, given) => signIn.grants.revokeAll(given),
    { tenantKey, subject },
    [
      ...notOneTenant,
      ...noActor,
      { subject: undefined },
      { subject: null },
      { clientId: undefined },
      { clientId: '' },
      { grantId: 'a grant' },
      { all: true },
      { anyCustomer: true },
      { limit: 10 },
    ],
  ],
  [
    'grants.export',
    (signIn, given) => signIn.grants.export(given),
    { tenantKey, subject },
    [
      ...notOneCustomer,
      { after: '' },
      { after: 7 },
      { limit: 0 },
      { limit: 1001 },
      { limit: 1.5 },
      { limit: '10' },
      { limit: null },
    ],
  ],
  ...(['end', 'erase'] as const).map((name): [string, Call, object, object[]] => [
    `tenants.${name}`,
    (signIn, given) => signIn.tenants[name](given),
    { tenantKey },
    [...notOneTenant, ...noActor, { subject }],
  ]),
]

describe.each(methods)('%s', (name, call, right, wrong) => {
  const outcomeOf = async (given: unknown) => {
    const { signIn } = await started()
    try {
      return await call(signIn, given as never)
    } catch (error) {
      return error
    }
  }

  it('accepts arguments that match its types', async () => {
    expect(await outcomeOf(right)).not.toBeInstanceOf(ConfigurationError)
  })

  it.each(wrong.map((members) => [inspect(members), members]))(
    'refuses wrong arguments: %s',
    async (_members, members) => {
      expect(await outcomeOf({ ...right, ...(members as object) })).toBeInstanceOf(ConfigurationError)
    },
  )

  it.each([undefined, null, 'acme'])(
    'refuses %p in place of its arguments, and names itself in the error',
    async (given) => {
      expect(await outcomeOf(given)).toMatchObject({ message: expect.stringContaining(`customer-sign-in: ${name} `) })
    },
  )
})

describe('issueAuthorizationCode', () => {
  it.each([
    [{ clientId: ['a', 'b'] }, 'client_id'],
    [{ redirectUri: ['a', 'b'] }, 'redirect_uri'],
    [{ codeChallenge: 1 }, 'code_challenge'],
    [{ codeChallengeMethod: {} }, 'code_challenge_method'],
    [{ dpopJkt: 7 }, 'dpop_jkt'],
    [{ resource: ['https://a.example', 'https://b.example'] }, 'resource'],
    [{ state: ['a', 'b'] }, 'state'],
  ])('refuses a faulty request with an error for the client: %j', async (members, parameter) => {
    const { signIn } = await started()
    const issued = signIn.issueAuthorizationCode({ ...issuing, ...members } as never)
    await expect(issued).rejects.toMatchObject({
      code: 'invalid_request',
      description: `${parameter} must be sent once, as a string`,
    })
  })

  it.each(['', '  '])(
    'grants nothing for the empty scope %j, which a page may send when the customer has chosen none',
    async (scopes) => {
      const { signIn } = await started()
      const issued = signIn.issueAuthorizationCode({ ...issuing, codeChallengeMethod: 'S256', scopes })
      await expect(issued).rejects.toMatchObject({ code: 'invalid_scope' })
    },
  )

  it('refuses null as an unknown client or redirect URI', async () => {
    const { signIn } = await started()
    const issued = (members: object) => signIn.issueAuthorizationCode({ ...issuing, ...members } as never)
    await expect(issued({ clientId: null })).rejects.toMatchObject({ code: 'invalid_client', detail: { clientId: '' } })
    await expect(issued({ redirectUri: null })).rejects.toMatchObject({ code: 'unauthorized_client' })
  })

  it('accepts null for the parameters that the request does not have', async () => {
    const { signIn } = await started()
    const absent = { scopes: null, resource: null, state: null, claims: null }
    const { redirectTo } = await signIn.issueAuthorizationCode({ ...issuing, ...absent } as never)
    expect(new URL(redirectTo).searchParams.has('state')).toBe(false)
  })
})

describe('verifyAccessToken', () => {
  it.each([undefined, null, 7, {}, ['a token'], ''])('refuses %p as no token', async (token) => {
    const { signIn } = await started()
    await expect(signIn.verifyAccessToken(token as never, { tenantKey })).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })
})
