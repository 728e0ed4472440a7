import type { KeyObject } from 'node:crypto'
import { registeredClientSecret } from '../client-authentication/client-secret-basic'
import type { AuthenticationRules, ClaimedMetadata } from '../client-authentication/method'
import { authenticationOfRegistration, methodsOf } from '../client-authentication/methods'
import { BoundedMap } from '../collections/bounded-map'
import type { Client, ClientMetadata } from '../contract/tenant-store'
import { derivedKey } from '../protocol/digest'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import type { AppRedirects } from '../protocol/redirect-uri'
import {
  type CarriedRegistration,
  maxRegisteredIdLength,
  newRegisteredId,
  registrationIn,
} from '../protocol/registered-id'
import { isUrl } from '../protocol/resource'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { maxNameLength, offeredHere, presentableName, readClientMetadata } from './client-metadata'
import { checkMayRegister, checkMaySignIn, unknownClient } from './permissions'

// An id has at most a kilobyte, and what it says four.
const maxRemembered = 1000

/** What an id says, whatever the company and its rules. */
interface Said {
  metadata: ClientMetadata
  hasSecret: boolean
}

/** What is accepted of clients that describe themselves, by a registration or a metadata document. */
export interface RegistrationRules {
  /** Redirect URIs of apps that are accepted although their scheme has no dot. */
  appRedirects: AppRedirects
  authentication: AuthenticationRules
}

/** A client that has just registered itself. */
export type Registered = ReturnType<Registrations['register']>

/**
 * Clients that register themselves (RFC 7591). Nothing of them is stored: the id of a client carries its registration.
 *
 * Anybody can write such an id, so an id is judged as the body of a registration is, at each use and by the rules of that time. What it says
 * is worth as much as what a stranger sends to the registration endpoint (docs/security.md).
 */
export class Registrations {
  readonly #rules: RegistrationRules
  readonly #now: () => number
  readonly #said = new BoundedMap<string, Said>(maxRemembered)
  #keys!: readonly KeyObject[]

  /** @param secrets What the secrets of clients are derived from. */
  constructor(rules: RegistrationRules, secrets: readonly [Buffer, ...Buffer[]], now: () => number) {
    this.#rules = rules
    this.#now = now
    this.use(secrets)
  }

  /** Derives and recognises the secrets of clients with these from now on. */
  use(secrets: readonly [Buffer, ...Buffer[]]): void {
    this.#keys = secrets.map((secret) => derivedKey(secret, 'client secret'))
  }

  /**
   * Registers a client (RFC 7591 section 3). Redirect URIs that are not accepted are left out.
   *
   * @returns How the client authenticates too, and what is offered here of the scopes that it has named. Times are milliseconds since 1970.
   * @throws {OAuthError} `invalid_redirect_uri` or `invalid_client_metadata`.
   */
  register(given: ClaimedMetadata, tenant: ResolvedTenant) {
    const { appRedirects, authentication } = this.#rules
    const described = readClientMetadata(given, appRedirects, tenant.address.ownAddresses)
    checkMayRegister(described.redirectUris, tenant)
    const { method, keys } = authenticationOfRegistration(given, authentication)
    const hasSecret = method.sharesSecret
    const { redirectUris, clientName, clientUri, dpopBoundAccessTokens: provesKey = false } = described
    const clientHost = clientUri && new URL(clientUri).host
    const carried = { redirectUris, clientName, clientHost, provesKey, hasSecret, ...keys }
    const clientId = newRegisteredId(carried)
    if (clientId === undefined) throw tooLong(carried)
    const [key] = this.#keys as [KeyObject]
    const secret = hasSecret ? registeredClientSecret(key, tenant.id, clientId).secret : undefined
    const { scopes } = offeredHere(described, tenant.policy.scopes)
    return { client: this.find(clientId, tenant), method: method.name, secret, scopes, registeredAt: this.#now() }
  }

  /**
   * Finds a client by what its id carries, as if it registered now.
   *
   * @throws {OAuthError} `invalid_client` if a registration like this would be refused; `unauthorized_client` (403) if a rule of the company
   * keeps the client out.
   */
  find(clientId: string, tenant: ResolvedTenant): Client {
    const registration = this.read(clientId, tenant.id)
    if (!registration) throw unknownClient(clientId)
    if (!tenant.policy.registeredClients) throw unknownClient(clientId, 'registration_off')
    const { redirectUris, clientName, clientUri, secretHashes, jwks, jwksUri, dpopBoundAccessTokens } = registration
    checkMaySignIn({ clientId, isDocument: false, redirectUris }, tenant)
    const { appRedirects, authentication } = this.#rules
    const body = {
      redirect_uris: redirectUris,
      client_name: clientName,
      client_uri: clientUri,
      jwks,
      jwks_uri: jwksUri,
      dpop_bound_access_tokens: dpopBoundAccessTokens,
    }
    try {
      const described = readClientMetadata(body, appRedirects, tenant.address.ownAddresses)
      const [method] = methodsOf(registration)
      return {
        clientId,
        ...described,
        ...method?.keysOf?.(body, authentication),
        ...(secretHashes && { secretHashes }),
      }
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      const reason = error.code === 'invalid_redirect_uri' ? 'redirect_uris_refused' : 'client_gone'
      throw unknownClient(clientId, reason, error.description)
    }
  }

  /**
   * Reads what a client has said about itself, whether a company accepts it now or not: a customer who has connected a client stays connected.
   *
   * @returns Undefined if no client can have got this id.
   */
  read(clientId: string, tenantId: string): ClientMetadata | undefined {
    const known = this.#said.get(clientId)
    // An id says the same at each use, so it is read once.
    const said = known ?? saidBy(clientId)
    if (said && !known) this.#said.set(clientId, said)
    if (!said?.hasSecret) return said?.metadata
    const secretHashes = this.#keys.map((key) => registeredClientSecret(key, tenantId, clientId).hash)
    return { ...said.metadata, secretHashes }
  }
}

function saidBy(clientId: string): Said | undefined {
  const carried = registrationIn(clientId)
  if (!carried) return undefined
  const { clientName = '', clientHost, hasSecret, provesKey, jwks, jwksUri } = carried
  const redirectUris = carried.redirectUris.filter((redirectUri) => isUrl(redirectUri))
  if (redirectUris.length === 0 || clientName.length > maxNameLength) return undefined
  // Made presentable here too: Node's tables of characters differ between versions, so a name may have been presentable elsewhere.
  const name = presentableName(clientName)
  Object.freeze(redirectUris)
  const metadata = Object.freeze({
    redirectUris,
    ...(name !== undefined && { clientName: name }),
    ...(clientHost !== undefined && { clientUri: `https://${clientHost}` }),
    ...(jwks && { jwks }),
    ...(jwksUri !== undefined && { jwksUri }),
    ...(provesKey && { dpopBoundAccessTokens: true }),
  })
  return { metadata, hasSecret }
}

/** The error for a registration that no id has room for. It names the member that takes the most. */
function tooLong({ redirectUris, clientName, clientHost, jwks, jwksUri }: CarriedRegistration): OAuthError {
  const sizes = {
    redirect_uris: redirectUris.join(' ').length,
    client_name: clientName?.length ?? 0,
    client_uri: clientHost?.length ?? 0,
    jwks: jwks ? JSON.stringify(jwks).length : 0,
    jwks_uri: jwksUri?.length ?? 0,
  }
  const [[member]] = Object.entries(sizes).sort(([, one], [, other]) => other - one) as [[string, number]]
  return oauthError(
    'invalid_client_metadata',
    `The client_id carries redirect_uris, client_name, the host of client_uri, and jwks or jwks_uri in at most ${maxRegisteredIdLength} characters: shorten ${member}`,
  )
}
