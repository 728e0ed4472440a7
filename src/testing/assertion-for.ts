import { randomUUID } from 'node:crypto'
import { sign } from 'jsonwebtoken'
import { anything, optional, record, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { TrustedIssuer } from '../contract/tenant-store'
import { endpointsOf, issuerOf } from '../protocol/resource'
import { byHost } from '../trusted-issuers/trusted-issuer'
import { issuerKid, ownKey, partsOf, type SignInForTests, testClient } from './test-sign-in'
import { redeemed, type TestTokens } from './tokens-for'

/** Whose assertion a test wants. */
export interface AssertionRequest {
  /** The key of the company. Its record has the trusted issuer. */
  tenantKey: string
  /** What the issuer calls the customer or the workload: the claim that the record's `subject` names, and `sub`. */
  subject: string
  /** The client that presents it. Default: `test-client`, which {@link testSignIn} adds to each company; of a workload none. */
  clientId?: string | undefined
  /** The trusted issuer, as the record has it. Default: the first of the company. */
  issuer?: string | undefined
  /** More claims, such as `email`, or others than the assertion would have. One that is undefined is left out. */
  claims?: Record<string, unknown> | undefined
}

/** An assertion of a company's trusted issuer. */
export interface TestAssertion {
  /** The JWT, for `assertion` of a request to the token endpoint. */
  readonly assertion: string

  /**
   * Redeems it, as the client does. There is no refresh token.
   *
   * @throws {OAuthError} `invalid_grant` if it is refused, for example because your `customerOf` finds nobody, or it has been redeemed before.
   */
  redeem(): Promise<TestTokens>
}

const members = record({
  tenantKey: text,
  subject: text,
  clientId: optional(text),
  issuer: optional(text),
  claims: anything<AssertionRequest['claims']>,
})

/**
 * Makes an assertion of a trusted issuer of a company, to test what your `customerOf` and your records make of it. It is signed with a key of
 * this kit, in place of the issuer's: nothing is fetched.
 *
 * @param signIn What `testSignIn` has returned.
 * @throws {ConfigurationError} for a member that is unknown, missing or wrong, and if the company does not trust such an issuer.
 *
 * @example
 * const { redeem } = await assertionFor(signIn, { tenantKey: 'acme', subject: '00u1', claims: { email: 'ada@acme.example' } })
 * const { accessToken } = await redeem()
 */
export async function assertionFor(signIn: SignInForTests, request: AssertionRequest): Promise<TestAssertion> {
  const { tenantKey, subject, issuer, claims, ...given } = members(request, 'assertionFor')
  const { baseUrl: shared, clock, tenants } = partsOf(signIn)
  const tenant = await tenants.findTenant(tenantKey)
  const trusted = tenant?.trustedIssuers?.find((one) => one.issuer === (issuer ?? one.issuer))
  if (!trusted) {
    const allowed = 'one of the trustedIssuers of the company'
    throw new ConfigurationError('assertionFor.issuer', issuer, allowed, { quotes: true })
  }
  const isWorkload = trusted.kind === 'workload'
  const clientId = given.clientId ?? (isWorkload ? undefined : testClient.clientId)
  const baseUrl = tenant?.baseUrl ?? shared
  const address = { baseUrl, keyInPath: baseUrl === shared ? tenantKey : undefined }
  const claim = trusted.subject ?? 'sub'
  const now = Math.floor(clock.now() / 1000)
  const payload = {
    ...pinned(trusted.claims ?? {}),
    iss: trusted.issuer,
    sub: subject,
    [claim === byHost ? 'sub' : claim]: subject,
    aud: issuerOf(address),
    client_id: clientId,
    jti: randomUUID(),
    iat: now,
    exp: now + 300,
    ...claims,
  }
  const assertion = sign(JSON.stringify(payload), ownKey, {
    algorithm: 'ES256',
    header: { alg: 'ES256', kid: issuerKid, typ: isWorkload ? 'JWT' : 'oauth-id-jag+jwt' },
  })
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion,
    ...(clientId !== undefined && { client_id: clientId }),
  }
  return { assertion, redeem: () => redeemed(signIn, `${endpointsOf(address)}/token`, form) }
}

/** The first value of each claim that must be there. */
function pinned(claims: NonNullable<TrustedIssuer['claims']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).map(([claim, value]) => [claim, [value].flat()[0]]))
}
