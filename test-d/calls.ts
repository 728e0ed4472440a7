// The methods that a host calls, for codes, tokens and grants.
import type {
  AccessTokenInfo,
  AssistantGuide,
  AuthorizationResponse,
  ConnectedGrant,
  ConnectGuide,
  CustomerSignIn,
  ExportedGrant,
  GrantsPage,
  TenantSelector,
} from 'customer-sign-in'

declare const signIn: CustomerSignIn

const request = {
  tenantKey: 'acme',
  clientId: 'app',
  redirectUri: 'https://app.example/callback',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  codeChallengeMethod: 'S256',
  subject: 'customer-1',
} as const

export async function authorize(): Promise<void> {
  const { code, redirectTo }: AuthorizationResponse = await signIn.issueAuthorizationCode(request)
  await signIn.issueAuthorizationCode({ ...request, scopes: 'profile', resource: code, state: redirectTo, claims: {} })

  // @ts-expect-error With `plain`, anybody who sees the request could redeem the code (RFC 7636 section 7.2).
  await signIn.issueAuthorizationCode({ ...request, codeChallengeMethod: 'plain' })

  const { codeChallenge: _, ...withoutPkce } = request
  // @ts-expect-error PKCE is mandatory.
  await signIn.issueAuthorizationCode(withoutPkce)

  const { subject: __, ...ofNobody } = request
  // @ts-expect-error `subject` is required: a code is for a customer.
  await signIn.issueAuthorizationCode(ofNobody)

  // @ts-expect-error There is no such parameter.
  await signIn.issueAuthorizationCode({ ...request, nonce: 'n' })
}

export async function verify(token: string): Promise<void> {
  const info: AccessTokenInfo = await signIn.verifyAccessToken(token, { tenantKey: 'acme' })
  const until: number = info.expiresAt
  const resource: URL = info.resource
  await signIn.verifyAccessToken(token, { tenantKey: 'acme', resource: resource.href, scopes: 'profile' })
  await signIn.verifyAccessToken(token, { tenantKey: 'acme', scopes: ['profile'], checkRevocation: until > 0 })
  await signIn.verifyAccessToken(token, { anyTenant: true })

  // @ts-expect-error A tenant must be named.
  await signIn.verifyAccessToken(token)

  // @ts-expect-error A tenant must be named.
  await signIn.verifyAccessToken(token, {})

  // @ts-expect-error A tenant must be named, also beside `scopes`.
  await signIn.verifyAccessToken(token, { scopes: 'profile' })

  // @ts-expect-error One tenant or any, not both.
  await signIn.verifyAccessToken(token, { tenantKey: 'acme', anyTenant: true })

  // @ts-expect-error `false` names no tenant.
  await signIn.verifyAccessToken(token, { anyTenant: false })

  const perhaps: { tenantKey?: string } = {}
  // @ts-expect-error A key that may be undefined names no tenant.
  await signIn.verifyAccessToken(token, perhaps)

  // @ts-expect-error The host must check the types of its own claims.
  info.claims.plan.toUpperCase()
}

export async function connect(): Promise<string[]> {
  const guide: ConnectGuide = await signIn.connect({ tenantKey: 'acme' })
  const [first]: AssistantGuide[] = guide.assistants
  await signIn.connect({ tenantKey: 'acme', resource: guide.address })

  // @ts-expect-error `tenantKey` is required: each company has an address of its own.
  await signIn.connect({})

  // @ts-expect-error Not every assistant has a link.
  first?.link.length

  return [
    guide.tenantName,
    guide.serverName,
    first?.command ?? '',
    first?.config?.file ?? '',
    first?.config?.text ?? '',
  ]
}

export async function connectedAssistants(): Promise<void> {
  const [grant] = (await signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants
  const connected: ConnectedGrant | undefined = grant
  const revoked: boolean = await signIn.grants.revoke({
    tenantKey: 'acme',
    subject: 'customer-1',
    grantId: connected?.grantId ?? '',
  })
  const page: GrantsPage<ConnectedGrant> = await signIn.grants.list({ tenantId: 'acme', anyCustomer: true, limit: 10 })
  const exported: GrantsPage<ExportedGrant> = await signIn.grants.export({
    tenantKey: 'acme',
    subject: 'customer-1',
    after: page.next,
  })
  const tenant: TenantSelector = { tenantKey: 'acme' }
  const ended: number = (await signIn.tenants.end(tenant)) + (await signIn.tenants.erase({ tenantId: 'acme' }))
  const count: number = await signIn.grants.revokeAll({ tenantKey: 'acme', subject: String(revoked) })
  await signIn.grants.revokeAll({ tenantKey: 'acme', clientId: `${count + ended} ${exported.grants.length}` })

  // @ts-expect-error The grants of all customers are never listed by mistake.
  await signIn.grants.list({ tenantKey: 'acme' })

  // @ts-expect-error Whose grant it is must be said.
  await signIn.grants.revoke({ tenantKey: 'acme', grantId: 'a grant' })(
    // @ts-expect-error `tenantKey` is required: a grant belongs to a tenant.
    await signIn.grants.list({ subject: 'customer-1' }),
  ).grants

  // @ts-expect-error The list leaves out the hash of a grant's credential.
  connected?.credential
}
