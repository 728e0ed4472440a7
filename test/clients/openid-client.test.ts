import { clientId, redirectUri } from '../support/sign-in'
import { type ClientUnderTest, staysSignedIn } from './stays-signed-in'
import { webApiErrorCode } from './web-api-error'

const loaded = import('openid-client')

const openidClient: ClientUnderTest = {
  async start(issuer, api) {
    const client = await loaded
    const config = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
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
    }
  },
  checksIssuer: true,
  errorCode: webApiErrorCode,
}

describe('openid-client', () => staysSignedIn(openidClient))
