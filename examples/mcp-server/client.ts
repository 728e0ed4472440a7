import { randomBytes } from 'node:crypto'
import { auth, type OAuthClientProvider, type OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'

/** An assistant on the customer's own machine: the SDK's client, and the state of one connection. */
export class Assistant {
  readonly session: Session
  readonly #server: URL
  readonly #fetch: FetchLike

  constructor(server: string, redirectUri: string, fetch: FetchLike) {
    this.#server = new URL(server)
    this.session = new Session(redirectUri)
    this.#fetch = fetch
  }

  /**
   * Calls the server's tool.
   *
   * @throws {UnauthorizedError} if the customer has to sign in first, at `session.authorizationUrl`.
   */
  async whoAmI(): Promise<string> {
    const client = new Client({ name: 'travel-assistant', version: '1.0.0' })
    try {
      await client.connect(this.#transport())
      const { content } = CallToolResultSchema.parse(await client.callTool({ name: 'who_am_i' }))
      return content.map((item) => (item.type === 'text' ? item.text : item.type)).join('\n')
    } finally {
      await client.close()
    }
  }

  /** Redeems the code of the authorization response. */
  finishSignIn(code: string): Promise<void> {
    return this.#transport().finishAuth(code)
  }

  refresh(): Promise<'AUTHORIZED' | 'REDIRECT'> {
    return auth(this.session, { serverUrl: this.#server, fetchFn: this.#fetch })
  }

  #transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(this.#server, { authProvider: this.session, fetch: this.#fetch })
  }
}

/** The state that the SDK asks an app to keep. Before the first call, only the redirect URI is known. */
class Session implements OAuthClientProvider {
  readonly redirectUrl: string
  /** Where the customer's browser has to go. */
  authorizationUrl: URL | undefined
  readonly #state = randomBytes(16).toString('base64url')
  #discovered: OAuthDiscoveryState | undefined
  #client: OAuthClientInformationMixed | undefined
  #codeVerifier = ''
  #tokens: OAuthTokens | undefined

  constructor(redirectUri: string) {
    this.redirectUrl = redirectUri
  }

  get clientMetadata() {
    return { client_name: 'Travel Assistant', redirect_uris: [this.redirectUrl] }
  }

  state() {
    return this.#state
  }

  discoveryState() {
    return this.#discovered
  }

  saveDiscoveryState(discovered: OAuthDiscoveryState) {
    this.#discovered = discovered
  }

  clientInformation() {
    return this.#client
  }

  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client
  }

  redirectToAuthorization(authorizationUrl: URL) {
    this.authorizationUrl = authorizationUrl
  }

  codeVerifier() {
    return this.#codeVerifier
  }

  saveCodeVerifier(codeVerifier: string) {
    this.#codeVerifier = codeVerifier
  }

  tokens() {
    return this.#tokens
  }

  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens
  }

  invalidateCredentials(which: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    if (which === 'all' || which === 'client') this.#client = undefined
    if (which === 'all' || which === 'tokens') this.#tokens = undefined
  }
}
