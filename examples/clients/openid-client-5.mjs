import { generators, Issuer } from 'openid-client'

const redirectUri = 'https://app.example/callback'
const acme = await Issuer.discover('https://your.host/.well-known/oauth-authorization-server/v1/acme/oauth')
const client = new acme.Client({
  client_id: 'web-app',
  redirect_uris: [redirectUri],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

export function login(session) {
  session.verifier = generators.codeVerifier()
  session.state = generators.state()
  return client.authorizationUrl({
    scope: 'profile', // the default is `openid`
    state: session.state,
    code_challenge: generators.codeChallenge(session.verifier),
    code_challenge_method: 'S256',
  })
}

export function callback(url, session) {
  const checks = { code_verifier: session.verifier, state: session.state, response_type: 'code' }
  return client.oauthCallback(redirectUri, client.callbackParams(url), checks)
}

export function refresh(tokens) {
  return client.refresh(tokens.refresh_token)
}
