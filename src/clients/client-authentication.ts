import type { ClientCredentials } from '../contract/tenant-store'
import {
  authenticationFailed,
  type ClientAuthenticationMethod,
  notAuthenticated,
} from '../protocol/client-authentication'
import { isSecretOf } from '../protocol/client-secret'
import type { OAuthError } from '../protocol/oauth-error'
import type { ResolvedTenant } from '../tenants/tenants'
import { isConfidential, methodsOf } from './authentication-methods'
import type { ClientAssertion, ClientAssertions, UseUp } from './client-assertions'
import type { Clients } from './clients'

/** What a request presents to prove that it is its client's. */
export type ClientProof =
  | { method: 'client_secret_basic' | 'client_secret_post'; secret: string }
  | { method: 'private_key_jwt'; assertion: ClientAssertion }

/** Authenticates clients (RFC 6749 section 2.3), before any credential is redeemed. */
export class ClientAuthentication {
  /** The methods that are on. */
  readonly methods: readonly ClientAuthenticationMethod[]
  /** Whether clients can authenticate here at all. */
  readonly isOn: boolean
  readonly #clients: Clients
  readonly #assertions: ClientAssertions

  constructor(methods: readonly ClientAuthenticationMethod[], clients: Clients, assertions: ClientAssertions) {
    this.methods = methods
    this.isOn = methods.some((method) => method !== 'none')
    this.#clients = clients
    this.#assertions = assertions
  }

  has(method: ClientAuthenticationMethod): boolean {
    return this.methods.includes(method)
  }

  /**
   * Checks what a request presents against what is known of its client.
   *
   * @returns How to use up what it presents, if that can be used only once.
   * @throws {OAuthError} `invalid_client`, or `temporarily_unavailable` if what is known of the client cannot be found now.
   */
  async authenticate(
    clientId: string,
    proof: ClientProof,
    tenant: ResolvedTenant,
    audiences: readonly string[],
  ): Promise<UseUp | undefined> {
    if (proof.method === 'private_key_jwt') {
      // Checked first, because it needs no look-up and no fetch.
      const assertion = this.#assertions.checked(proof.assertion, audiences)
      const credentials = await this.#find(clientId, proof, tenant)
      return this.#assertions.verify(assertion, credentials, tenant.id)
    }
    // A document has no secret, so it need not be fetched to refuse one.
    if (this.#clients.isDocument(clientId, tenant)) throw wrongMethod(clientId, proof)
    const { secretHashes = [] } = await this.#find(clientId, proof, tenant)
    if (isSecretOf(secretHashes, proof.secret)) return undefined
    throw authenticationFailed('The client_secret is not valid', clientId)
  }

  /**
   * Checks that a request which presents nothing is a public client's.
   *
   * @throws {OAuthError} `invalid_client` if its client must authenticate.
   */
  async checkPublic(clientId: string, tenant: ResolvedTenant): Promise<void> {
    const credentials = await this.#clients.findCredentials(clientId, tenant)
    if (isConfidential(credentials)) throw notAuthenticated(clientId)
  }

  async #find(clientId: string, proof: ClientProof, tenant: ResolvedTenant): Promise<ClientCredentials> {
    const credentials = await this.#clients.findCredentials(clientId, tenant)
    if (methodsOf(credentials).includes(proof.method)) return credentials
    throw wrongMethod(clientId, proof)
  }
}

function wrongMethod(clientId: string, { method }: ClientProof): OAuthError {
  return authenticationFailed(`The client does not authenticate by ${method}`, clientId)
}
