/** What an app keeps for all its connections to one server: an `OAuthClientProvider` that registers the app, in memory. */
export class Session {
  redirectUrl = 'https://assistant.example/callback'
  clientMetadata = {
    client_name: 'Assistant',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  /** Where a client has sent the browser. */
  authorizationUrl
  #authorize
  #client
  #tokens
  #verifier
  #discovered
  #server

  /** @param authorize Is called when a client asks for another sign-in, later than the first. */
  constructor(authorize) {
    this.#authorize = authorize
  }

  state() {
    return 'a state'
  }

  clientInformation() {
    return this.#client
  }

  saveClientInformation(client) {
    this.#client = client
  }

  tokens() {
    return this.#tokens
  }

  saveTokens(tokens) {
    this.#tokens = tokens
  }

  redirectToAuthorization(url) {
    if (this.authorizationUrl) void this.#authorize(url)
    this.authorizationUrl = url
  }

  saveCodeVerifier(verifier) {
    this.#verifier = verifier
  }

  codeVerifier() {
    return this.#verifier
  }

  discoveryState() {
    return this.#discovered
  }

  saveDiscoveryState(state) {
    this.#discovered = state
  }

  // The AI SDK's.
  storedState() {
    return 'a state'
  }

  authorizationServerInformation() {
    return this.#server
  }

  saveAuthorizationServerInformation(server) {
    this.#server = server
  }

  invalidateCredentials(which) {
    if (which === 'all' || which === 'client') this.#client = undefined
    if (which === 'all' || which === 'tokens') this.#tokens = undefined
  }
}

/** How many chats of an app share one session. */
export const connections = 3

/** Signs in with one connection, which fails, and then opens the others. */
export async function signedIn(authorize, { open, finish }) {
  const session = new Session(authorize)
  const refused = await open(session).then(
    () => 'nothing was refused',
    (error) => error,
  )
  if (!session.authorizationUrl) throw new Error(`The client has not asked for a sign-in: ${refused}`)
  await finish(session, await authorize(session.authorizationUrl))
  return Promise.all(Array.from({ length: connections }, () => open(session)))
}
