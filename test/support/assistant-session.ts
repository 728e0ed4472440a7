import { clientId, redirectUri } from './sign-in'

interface Tokens {
  access_token: string
  token_type: string
  refresh_token?: string
}

/** What an assistant keeps of one connection: an `OAuthClientProvider` for every version of the MCP SDK. */
export class AssistantSession {
  readonly redirectUrl = redirectUri
  readonly clientMetadata = { client_name: 'Assistant', redirect_uris: [redirectUri], scope: 'profile' }
  readonly #issuer: string
  #tokens: Tokens | undefined
  #codeVerifier = ''
  #authorizationUrl: URL | undefined
  #discovered: unknown

  constructor(issuer: string) {
    this.#issuer = issuer
  }

  /** Where the SDK has sent the browser. */
  get authorizationUrl(): URL {
    if (!this.#authorizationUrl) throw new Error('The SDK has not sent the browser anywhere')
    return this.#authorizationUrl
  }

  clientInformation(): { client_id: string; issuer: string } {
    return { client_id: clientId, issuer: this.#issuer }
  }

  state(): string {
    return 'a state'
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

  // Read and written by SDK 2 under a type of its own.
  saveDiscoveryState(state: unknown): void {
    this.#discovered = state
  }

  discoveryState(): undefined {
    return this.#discovered as undefined
  }

  invalidateCredentials(scope: string): void {
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined
  }
}
