import type { RequestListener } from 'node:http'

/** The set-up of every server here, so that each does the same work. */
export const setup = {
  clientId: 'acme-air-app',
  /** The address of a client's metadata document. */
  documentClientId: 'https://assistant.example/oauth/client.json',
  redirectUri: 'https://assistant.example/oauth/callback',
  resource: 'https://api.acme-air.example/mcp',
  scope: 'profile bookings',
  subject: 'customer-1',
  /** The PKCE verifier of every code, and its S256 challenge (RFC 7636, appendix B). */
  codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  /** Seconds. */
  accessTokenLifetime: 3600,
  authorizationCodeLifetime: 300,
  refreshTokenLifetime: 30 * 24 * 3600,
}

/** A server that is measured. */
export interface Contender {
  handler: RequestListener
  paths: Paths
  /**
   * Signs the customer in without a browser, with the result that the server's own authorization endpoint would have.
   *
   * @param clientId The client: `setup`'s, or one that has registered.
   * @returns An authorization code for `setup`'s redirect URI, PKCE challenge, scope and customer.
   */
  issueCode(clientId: string): Promise<string>
}

/** The paths of a server. If a path is absent, the server does not have it. */
export interface Paths {
  token: string
  /** Its authorization endpoint, where the header `X-Customer` says who has logged in. */
  authorize?: string
  /** Its registration endpoint (RFC 7591). */
  register?: string
  /** Its authorization server metadata (RFC 8414), or a constant response in its place. */
  metadata?: string
  /** An API behind its middleware, which takes an access token. */
  api?: string
  /** The same, and the middleware also checks whether the token has been revoked. */
  apiWithRevocation?: string
}

/**
 * Makes a server that keeps its state in a database at a port of this machine, at `baseUrl` (`http://127.0.0.1:port`).
 *
 * A refresh sends `grant_type`, `client_id` and `refresh_token`, and receives an ES256 JWT and the next refresh token.
 */
export type StartContender = (baseUrl: string, databasePort: number) => Promise<Contender>
