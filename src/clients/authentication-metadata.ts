import type { ClientMetadata } from '../contract/tenant-store'
import { type ClientAuthenticationMethod, isClientAuthenticationMethod } from '../protocol/client-authentication'
import { isKeySetUrl, type JsonWebKeySet, keySetFault, publicPart } from '../protocol/json-web-keys'
import { oauthError } from '../protocol/oauth-error'

/** How a client that describes itself is to authenticate, and its keys if it does so with one. */
export interface ChosenAuthentication {
  method: ClientAuthenticationMethod
  keys: Pick<ClientMetadata, 'jwks' | 'jwksUri'>
}

/** Which methods are on, and where keys may be fetched from. */
export interface AuthenticationRules {
  methods: readonly ClientAuthenticationMethod[]
  /** Whether `jwks_uri` may be http on loopback. For development. */
  allowLoopback: boolean
}

/** The rules where clients cannot authenticate. */
export const publicClients: AuthenticationRules = { methods: ['none'], allowLoopback: false }

/**
 * Chooses how a client authenticates that has registered itself: by what it asks for, if that is on. A client that asks for nothing, or for a
 * secret in a way that is off, is public if it can be: assistants ask for a secret and do without (RFC 7591 section 3.2.1 lets the server
 * replace the method).
 *
 * @throws {OAuthError} `invalid_client_metadata` if all methods that it can use are off, or its keys cannot be used.
 */
export function authenticationOfRegistration(
  metadata: Readonly<Record<string, unknown>>,
  rules: AuthenticationRules,
): ChosenAuthentication {
  const offered = offeredMethods(metadata, rules.methods.includes('none') ? 'none' : 'client_secret_basic')
  const wantsSecret = offered.some((method) => method.startsWith('client_secret'))
  const instead = wantsSecret ? ['none', 'client_secret_basic', 'client_secret_post'] : []
  return chosen(metadata, [...offered, ...instead], rules)
}

/**
 * Chooses how a client authenticates that has a metadata document: by its own method, or else the first of those that it offers which is on.
 *
 * @throws {OAuthError} `invalid_client_metadata` if all of them are off, or its keys cannot be used.
 */
export function authenticationOfDocument(
  metadata: Readonly<Record<string, unknown>>,
  rules: AuthenticationRules,
): ChosenAuthentication {
  // A document cannot have a secret, because everyone can read it.
  const offered = offeredMethods(metadata, 'none').filter((method) => !method.startsWith('client_secret'))
  return chosen(metadata, offered, rules)
}

/** The methods that a client offers, the one that it prefers first. */
function offeredMethods(
  { token_endpoint_auth_method: own, token_endpoint_auth_methods_supported: others }: Readonly<Record<string, unknown>>,
  byDefault: ClientAuthenticationMethod,
): string[] {
  const listed: unknown[] = Array.isArray(others) ? others : []
  return [own ?? byDefault, ...listed].filter((method) => typeof method === 'string')
}

function chosen(
  metadata: Readonly<Record<string, unknown>>,
  offered: readonly string[],
  { methods, allowLoopback }: AuthenticationRules,
): ChosenAuthentication {
  const method = offered.filter(isClientAuthenticationMethod).find((known) => methods.includes(known))
  if (method === undefined) {
    const own =
      `token_endpoint_auth_method must be ${methods.join(' or ')}: see the option clientAuthentication` as const
    throw oauthError('invalid_client_metadata', own, {
      reason: 'method_off',
      detail: { asked: offered, accepted: methods },
    })
  }
  return { method, keys: method === 'private_key_jwt' ? checkedKeys(metadata, { allowLoopback }) : {} }
}

/** The keys of a client that authenticates with one. @throws {OAuthError} `invalid_client_metadata` if they cannot be used. */
export function checkedKeys(
  { jwks, jwks_uri }: Readonly<Record<string, unknown>>,
  { allowLoopback }: Pick<AuthenticationRules, 'allowLoopback'>,
): ChosenAuthentication['keys'] {
  const [hasKeys, hasAddress] = [jwks, jwks_uri].map((member) => member !== undefined && member !== null)
  if (hasKeys === hasAddress) {
    throw oauthError('invalid_client_metadata', 'private_key_jwt needs either jwks or jwks_uri')
  }
  if (hasAddress) {
    if (typeof jwks_uri === 'string' && isKeySetUrl(jwks_uri, { allowLoopback })) return { jwksUri: jwks_uri }
    throw oauthError('invalid_client_metadata', 'jwks_uri must be an https URL')
  }
  const fault = keySetFault(jwks)
  if (fault) throw oauthError('invalid_client_metadata', `jwks ${fault}`)
  return { jwks: publicPart(jwks as JsonWebKeySet) }
}
