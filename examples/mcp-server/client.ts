import { randomBytes } from 'node:crypto'
import {
  auth,
  Client,
  type FetchLike,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'

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
   * Calls a tool of the server.
   *
   * @throws {UnauthorizedError} if the customer has to sign in first, or to allow more, at `session.authorizationUrl`.
   */
  call(tool: 'who_am_i' | 'book_trip'): Promise<string> {
    return callTool(this.#transport(), tool)
  }

  /** Redeems the code of the authorization response. */
  finishSignIn(answer: URLSearchParams): Promise<void> {
    return this.#transport().finishAuth(answer)
  }

  refresh(): Promise<'AUTHORIZED' | 'REDIRECT'> {
    return auth(this.session, { serverUrl: this.#server, fetchFn: this.#fetch })
  }

  #transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(this.#server, { authProvider: this.session, fetch: this.#fetch })
  }
}

/** Calls a tool over a new connection. @returns The text of its answer. */
export async function callTool(transport: StreamableHTTPClientTransport, tool: string): Promise<string> {
  const client = new Client({ name: 'travel-assistant', version: '1.0.0' })
  try {
    await client.connect(transport)
    const { content } = await client.callTool({ name: tool })
    return content.map((item) => (item.type === 'text' ? item.text : item.type)).join('\n')
  } finally {
    await client.close()
  }
}

/** The state that the SDK asks an app to keep. Before the first call, only the redirect URI is known. */
class Session implements OAuthClientProvider {
  readonly redirectUrl: string
  /** Where the customer's browser has to go. */
  authorizationUrl: URL | undefined
  #state = ''
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

  /** A new one for each authorization request. */
  state() {
    this.#state = randomBytes(16).toString('base64url')
    return this.#state
  }

  /** Whether an authorization response belongs to the last request of this app. */
  expects(answer: URLSearchParams): boolean {
    return answer.get('state') === this.#state
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
