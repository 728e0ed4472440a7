import type { ClientCredentials } from '../contract/tenant-store'
import { basicChallenge, type ClientAuthenticationMethod } from '../protocol/client-authentication'
import { oauthError } from '../protocol/oauth-error'

/** The methods by which a client can authenticate, whether they are on or not. */
export function methodsOf({ secretHashes, jwks, jwksUri }: ClientCredentials): readonly ClientAuthenticationMethod[] {
  const bySecret = secretHashes ? (['client_secret_basic', 'client_secret_post'] as const) : []
  const byKey = jwks || jwksUri ? (['private_key_jwt'] as const) : []
  return secretHashes || jwks || jwksUri ? [...bySecret, ...byKey] : ['none']
}

/** Whether a client must authenticate (RFC 6749 section 2.1). */
export function isConfidential({ secretHashes, jwks, jwksUri }: ClientCredentials): boolean {
  return (secretHashes ?? jwks ?? jwksUri) !== undefined
}

/**
 * Checks that a client can authenticate here by one of its methods, or need not.
 *
 * @throws {OAuthError} `invalid_client`, with the name of the option, if all of its methods are off.
 */
export function checkMethods(
  client: ClientCredentials & { clientId: string },
  methods: readonly ClientAuthenticationMethod[],
): void {
  const own = methodsOf(client)
  if (own.some((method) => methods.includes(method))) return
  throw oauthError(
    'invalid_client',
    `The option clientAuthentication has no method of this client: ${own.join(', ')}`,
    {
      headers: basicChallenge,
      reason: 'method_off',
      detail: { clientId: client.clientId, asked: own, accepted: methods },
    },
  )
}
