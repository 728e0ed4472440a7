import { OAuthError } from '../protocol/oauth-error'
import { isCodeChallenge } from '../protocol/pkce'
import { requestedResource } from '../protocol/resource'
import { grantedScopes } from '../protocol/scope'
import type { Client } from '../stores/tenant-store'
import { type ResolvedTenant, spelledByTenant } from '../tenants/tenants'

/** The terms of an authorization request, however it came in. */
export interface RequestedTerms {
  codeChallenge: string | undefined
  codeChallengeMethod: string | undefined
  scopes?: string | readonly string[] | undefined
  resources: readonly string[]
}

/** What a customer is asked to agree to, and the code challenge that the code will be bound to. */
export interface AgreedTerms {
  codeChallenge: string
  scopes: string[]
  /** In canonical form. */
  resource: string
}

/**
 * Checks the terms of an authorization request against what the tenant offers to the client.
 *
 * @throws {OAuthError} `unauthorized_client`, `invalid_request`, `invalid_scope` or `invalid_target`.
 */
export function checkedTerms(
  { codeChallenge, codeChallengeMethod, scopes, resources }: RequestedTerms,
  client: Client,
  tenant: ResolvedTenant,
): AgreedTerms {
  if (client.grantTypes && !client.grantTypes.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The client may not use authorization codes')
  }
  // Without a method it would be `plain` (RFC 7636 section 4.3).
  if (codeChallengeMethod !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256')
  if (typeof codeChallenge !== 'string' || !isCodeChallenge(codeChallenge)) {
    throw new OAuthError('invalid_request', 'code_challenge must be 43 base64url characters')
  }
  const offered = offeredTo(client, tenant)
  if (offered.length === 0 && tenant.scopes.length > 0) {
    throw new OAuthError('invalid_scope', 'The client may ask for nothing that is granted here')
  }
  return {
    codeChallenge,
    scopes: grantedScopes(scopes, offered),
    resource: grantedResource(resources, tenant),
  }
}

function offeredTo(client: Client, tenant: ResolvedTenant): readonly string[] {
  return tenant.scopes.filter((scope) => client.scopes?.includes(scope) ?? true)
}

function grantedResource(requested: readonly string[], tenant: ResolvedTenant): string {
  const resource = requestedResource(requested.length > 0 ? requested : [tenant.resources[0]]) as string
  if (spelledByTenant(resource, tenant) === undefined) {
    throw new OAuthError('invalid_target', 'resource is not one of this tenant')
  }
  return resource
}
