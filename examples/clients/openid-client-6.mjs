import * as client from 'openid-client'

const issuer = new URL('https://your.host/v1/acme/oauth')
const config = await client.discovery(issuer, 'web-app', undefined, client.None(), { algorithm: 'oauth2' })

export async function login(session) {
  session.verifier = client.randomPKCECodeVerifier()
  session.state = client.randomState()
  return client.buildAuthorizationUrl(config, {
    redirect_uri: 'https://app.example/callback',
    scope: 'profile',
    state: session.state,
    code_challenge: await client.calculatePKCECodeChallenge(session.verifier),
    code_challenge_method: 'S256',
  })
}

export function callback(url, session) {
  const checks = { pkceCodeVerifier: session.verifier, expectedState: session.state }
  return client.authorizationCodeGrant(config, new URL(url), checks)
}

export function refresh(tokens) {
  return client.refreshTokenGrant(config, tokens.refresh_token)
}
