import { redirectUri } from './sign-in'

interface Tokens {
  access_token: string
  token_type: string
  refresh_token?: string
}

/** An assistant that knows only an address: an `OAuthClientProvider` for every version of the MCP SDK. */
export class NewAssistant {
  readonly redirectUrl: string
  readonly clientMetadata: { client_name: string; redirect_uris: string[] }
  /** The address of its metadata document, for an SDK that supports such documents. */
  readonly clientMetadataUrl: string | undefined
  #client: { client_id: string } | undefined
  #tokens: Tokens | undefined
  #codeVerifier = ''
  #authorizationUrl: URL | undefined
  #discovered: unknown
  readonly #state: string

  /** @param identity The address of its metadata document, and its client id if it has one; its redirect URI, and the state that it sends. */
  constructor({
    metadataUrl,
    clientId,
    callback = redirectUri,
    state = 'a state',
  }: { metadataUrl?: string; clientId?: string; callback?: string; state?: string } = {}) {
    this.redirectUrl = callback
    this.clientMetadata = { client_name: 'Assistant', redirect_uris: [callback] }
    this.#state = state
    this.clientMetadataUrl = metadataUrl
    this.#client = clientId === undefined ? undefined : { client_id: clientId }
  }

  /** Where the SDK has sent the browser. */
  get authorizationUrl(): URL {
    if (!this.#authorizationUrl) throw new Error('The SDK has not sent the browser anywhere')
    return this.#authorizationUrl
  }

  get clientId(): string | undefined {
    return this.#client?.client_id
  }

  clientInformation(): { client_id: string } | undefined {
    return this.#client
  }

  saveClientInformation(client: { client_id: string }): void {
    this.#client = client
  }

  state(): string {
    return this.#state
  }

  tokens(): Tokens | undefined {
    return this.#tokens
  }

  saveTokens(tokens: Tokens): void {
    this.#tokens = tokens
  }

  redirectToAuthorization(authorizationUrl: URL): void {
    this.#authorizationUrl = authorizationUrl
  }

  saveCodeVerifier(codeVerifier: string): void {
    this.#codeVerifier = codeVerifier
  }

  codeVerifier(): string {
    return this.#codeVerifier
  }

  // SDK 2 reads and writes it with its own type.
  saveDiscoveryState(state: unknown): void {
    this.#discovered = state
  }

  discoveryState(): undefined {
    return this.#discovered as undefined
  }

  invalidateCredentials(which: string): void {
    if (which === 'all' || which === 'client') this.#client = undefined
    if (which === 'all' || which === 'tokens') this.#tokens = undefined
    if (which === 'all' || which === 'discovery') this.#discovered = undefined
  }
}
