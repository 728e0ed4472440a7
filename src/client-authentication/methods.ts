import { type Check, distinct, must } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { ClientCredentials } from '../contract/tenant-store'
import { oauthError } from '../protocol/oauth-error'
import { clientSecretBasic } from './client-secret-basic'
import { clientSecretPost } from './client-secret-post'
import {
  type AuthenticationMethod,
  type AuthenticationRules,
  type ClaimedMetadata,
  type ClientAuthenticationMethod,
  type ClientKeys,
  invalidMetadata,
} from './method'
import { none } from './none'
import { privateKeyJwt } from './private-key-jwt'

/** The table of all methods. */
export const authenticationMethods: Readonly<Record<ClientAuthenticationMethod, AuthenticationMethod>> = {
  none,
  private_key_jwt: privateKeyJwt,
  client_secret_basic: clientSecretBasic,
  client_secret_post: clientSecretPost,
}

const all = Object.values(authenticationMethods)

/** The members of a client's record by which it authenticates, with their checks. */
export const credentialMembers: Required<AuthenticationMethod['credentials']> = Object.assign(
  {},
  ...all.map(({ credentials }) => credentials),
)

const memberNames = Object.keys(credentialMembers) as (keyof ClientCredentials)[]

/** Whether a text is a method that this library knows. */
export function isClientAuthenticationMethod(text: unknown): text is ClientAuthenticationMethod {
  return all.some(({ name }) => name === text)
}

const method = must<ClientAuthenticationMethod>(
  Object.keys(authenticationMethods)
    .join(', ')
    .replace(/, (?=\w+$)/, ' or '),
  isClientAuthenticationMethod,
  { quotes: true },
)

/** Checks the option `clients.authentication`. */
export const methodList: Check<readonly ClientAuthenticationMethod[]> = (given, name) => {
  const methods = distinct(method)(given, name)
  if (methods.length > 0) return methods
  throw new ConfigurationError(name, given, 'an array of at least one method, or omitted')
}

/** Whether a client must authenticate (RFC 6749 section 2.1). */
export function isConfidential(client: ClientCredentials): boolean {
  return memberNames.some((member) => client[member] !== undefined)
}

/** Whether a client has what one of these methods takes. */
export function canAuthenticate(client: ClientCredentials, methods: readonly ClientAuthenticationMethod[]): boolean {
  return isConfidential(client) && methodsOf(client).some(({ name }) => methods.includes(name))
}

/** Whether public clients are accepted. */
export function acceptPublic(methods: readonly ClientAuthenticationMethod[]): boolean {
  return methods.includes(none.name)
}

/** The algorithms that clients can sign with. Undefined if no method has any. */
export function algorithmsOf(methods: readonly ClientAuthenticationMethod[]): readonly string[] | undefined {
  const algorithms = methods.flatMap((name) => authenticationMethods[name].algorithms ?? [])
  return algorithms.length > 0 ? [...new Set(algorithms)] : undefined
}

/** The methods by which a client can authenticate, whether they are on or not. */
export function methodsOf(client: ClientCredentials): readonly AuthenticationMethod[] {
  if (!isConfidential(client)) return [none]
  return all.filter(({ credentials }) => memberNames.some((name) => name in credentials && client[name] !== undefined))
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
  const own = methodsOf(client).map(({ name }) => name)
  if (own.some((method) => methods.includes(method))) return
  throw oauthError(
    'invalid_client',
    `The option clients.authentication has no method of this client: ${own.join(', ')}`,
    { reason: 'method_off', detail: { clientId: client.clientId, asked: own, accepted: methods } },
  )
}

/** The methods with a secret, and the one of them that this library does not have. */
const bySecret: readonly string[] = [
  ...all.filter(({ sharesSecret }) => sharesSecret).map(({ name }) => name),
  'client_secret_jwt',
]

/**
 * Chooses how a client authenticates that has registered itself: by what it asks for, if that is on. A client that asks for nothing, or for a
 * secret in a way that is off, is public if it can be: assistants ask for a secret and do without (RFC 7591 section 3.2.1 lets the server
 * replace the method).
 *
 * @throws {OAuthError} `invalid_client_metadata` if all methods that it can use are off, or its keys cannot be used.
 */
export function authenticationOfRegistration(metadata: ClaimedMetadata, rules: AuthenticationRules) {
  const offered = offeredMethods(metadata, (acceptPublic(rules.methods) ? none : clientSecretBasic).name)
  const wantsSecret = offered.some((method) => bySecret.includes(method))
  return chosen(metadata, [...offered, ...(wantsSecret ? [none.name, ...bySecret] : [])], rules)
}

/**
 * Chooses how a client authenticates that has a metadata document: by its own method, or else the first of those that it offers which is on.
 *
 * @throws {OAuthError} `invalid_client_metadata` if it has a secret, all of its methods are off, or its keys cannot be used.
 */
export function authenticationOfDocument(metadata: ClaimedMetadata, rules: AuthenticationRules) {
  const { client_secret: secret = null, token_endpoint_auth_method: own } = metadata
  if (secret !== null || bySecret.includes(own as string)) {
    throw invalidMetadata('the document must not have a client_secret, because everyone can read it')
  }
  const offered = offeredMethods(metadata, none.name).filter((method) => !bySecret.includes(method))
  return chosen(metadata, offered, rules)
}

/** The methods that a client offers, the one that it prefers first. */
function offeredMethods(metadata: ClaimedMetadata, byDefault: ClientAuthenticationMethod): string[] {
  const { token_endpoint_auth_method: own, token_endpoint_auth_methods_supported: others } = metadata
  const listed: unknown[] = Array.isArray(others) ? others : []
  // An empty method is one that a client in Go has left out.
  return [own === '' ? byDefault : (own ?? byDefault), ...listed].filter((method) => typeof method === 'string')
}

/** The first method that is on, and the keys of the client if it authenticates with one. */
function chosen(
  metadata: ClaimedMetadata,
  offered: readonly string[],
  rules: AuthenticationRules,
): { method: AuthenticationMethod; keys: ClientKeys } {
  const { methods } = rules
  const name = offered.filter(isClientAuthenticationMethod).find((known) => methods.includes(known))
  if (name === undefined) {
    throw oauthError(
      'invalid_client_metadata',
      `token_endpoint_auth_method must be ${methods.join(' or ')}: see the option clients.authentication`,
      { reason: 'method_off', detail: { asked: offered, accepted: methods } },
    )
  }
  const method = authenticationMethods[name]
  return { method, keys: method.keysOf?.(metadata, rules) ?? {} }
}
