import { type IdentifiedClient, mayUse } from '../endpoints/requesting-client'
import type { Form } from '../http/form'
import { OAuthError } from '../protocol/oauth-error'
import { codeChallengeOf, isCodeVerifier } from '../protocol/pkce'
import { requestedResource } from '../protocol/resource'
import type { Service } from '../service'
import type { ResolvedTenant } from '../tenants/tenants'
import { accessTokenTerms, asStillOffered, type Redemption } from './access-token-terms'
import { redeem } from './redemptions'
import { naming, presentedCredential } from './refusals'

/** Redeems an authorization code (RFC 6749 section 4.1.3) with its PKCE verifier (RFC 7636 section 4.5). */
export async function redeemAuthorizationCode(
  form: Form,
  client: IdentifiedClient,
  tenant: ResolvedTenant,
  hasHungUp: () => Promise<boolean>,
  service: Service,
): Promise<Redemption> {
  const code = form.required('code')
  const redirectUri = form.required('redirect_uri')
  const codeVerifier = form.required('code_verifier')
  if (!isCodeVerifier(codeVerifier)) {
    throw new OAuthError('invalid_request', 'code_verifier must be 43 to 128 of A-Z a-z 0-9 - . _ ~')
  }
  const presented = presentedCredential('code', code, {
    binding: {
      client_id: client.clientId,
      redirect_uri: redirectUri,
      code_verifier: codeChallengeOf(codeVerifier),
    },
    resource: requestedResource(form.all('resource')),
    tenant,
    hasHungUp,
    // Without refresh tokens it is there for its access token alone.
    lifetime: mayUse('refresh_token', client) ? tenant.refreshTokenLifetime : tenant.accessTokenLifetime,
  })
  return naming(presented, service, async () => {
    const terms = await accessTokenTerms(presented, undefined, 'authorization_code', service)
    const redeemed = await redeem(presented, service)
    return { grantType: 'authorization_code', ...(await asStillOffered(redeemed, terms, presented, service)) }
  })
}
