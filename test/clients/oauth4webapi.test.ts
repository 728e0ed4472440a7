import { clientId, redirectUri } from '../support/sign-in'
import { type ClientUnderTest, staysSignedIn } from './stays-signed-in'
import { webApiErrorCode } from './web-api-error'

const loaded = import('oauth4webapi')

const client = { client_id: clientId }

function oauth4webapi(namesItselfBy: 'client_id' | 'HTTP Basic'): ClientUnderTest {
  return {
    async start(issuer, api) {
      const oauth = await loaded
      const insecure = { [oauth.allowInsecureRequests]: true }
      const clientAuth = namesItselfBy === 'HTTP Basic' ? oauth.ClientSecretBasic('ignored') : oauth.None()
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
            server,
            client,
            clientAuth,
            parameters,
            redirectUri,
            codeVerifier,
            insecure,
          )
          return oauth.processAuthorizationCodeResponse(server, client, response)
        },
        async refresh(refreshToken) {
          const response = await oauth.refreshTokenGrantRequest(server, client, clientAuth, refreshToken, insecure)
          return oauth.processRefreshTokenResponse(server, client, response)
        },
      }
    },
    checksIssuer: true,
    errorCode: webApiErrorCode,
  }
}

describe('oauth4webapi', () => staysSignedIn(oauth4webapi('client_id')))

describe('oauth4webapi that names itself by HTTP Basic', () => staysSignedIn(oauth4webapi('HTTP Basic')))
