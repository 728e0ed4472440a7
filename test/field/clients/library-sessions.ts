import type { ClientAuth } from 'oauth4webapi' with { 'resolution-mode': 'import' }
import type { ClientAuth as OpenidClientAuth } from 'openid-client' with { 'resolution-mode': 'import' }
import { redirectUri } from '../../support/sign-in'
import type { ClientSession } from './stays-signed-in'

/** Both libraries are modules of ECMAScript. */
export const [openidClient, oauth4webapi] = [import('openid-client'), import('oauth4webapi')]

/** A sign-in with openid-client, of a client that authenticates in this way. */
export async function openidClientSession(
  clientId: string,
  authentication: OpenidClientAuth,
  issuer: string,
  api: string,
): Promise<ClientSession> {
  const client = await openidClient
  const config = await client.discovery(new URL(issuer), clientId, undefined, authentication, {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  })
  const codeVerifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  return {
    authorizationUrl: client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'profile',
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      resource: api,
    }),
    exchange: (callback) =>
      client.authorizationCodeGrant(
        config,
        callback,
        { pkceCodeVerifier: codeVerifier, expectedState: state },
        { resource: api },
      ),
    refresh: (refreshToken) => client.refreshTokenGrant(config, refreshToken, { resource: api }),
    revoke: (token) => client.tokenRevocation(config, token),
  }
}

/** The same with oauth4webapi. */
export async function oauth4webapiSession(
  clientId: string,
  authentication: ClientAuth,
  issuer: string,
  api: string,
): Promise<ClientSession> {
  const oauth = await oauth4webapi
  const insecure = { [oauth.allowInsecureRequests]: true }
  const client = { client_id: clientId }
  const metadata = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(new URL(issuer), metadata)
  const codeVerifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'profile',
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
    resource: api,
  })
  return {
    authorizationUrl: new URL(`${server.authorization_endpoint}?${request}`),
    async exchange(callback) {
      const parameters = oauth.validateAuthResponse(server, client, callback, state)
      const response = await oauth.authorizationCodeGrantRequest(
        ...([server, client, authentication, parameters, redirectUri, codeVerifier, insecure] as const),
      )
      return oauth.processAuthorizationCodeResponse(server, client, response)
    },
    async refresh(refreshToken) {
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, insecure)
      return oauth.processRefreshTokenResponse(server, client, response)
    },
    async revoke(token) {
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, authentication, token, insecure),
      )
    },
  }
}
