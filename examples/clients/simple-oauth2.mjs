import { createHash, randomBytes } from 'node:crypto'
import { AuthorizationCode } from 'simple-oauth2'

const redirectUri = 'https://app.example/callback'
const client = new AuthorizationCode({
  client: { id: 'web-app', secret: '' },
  auth: {
    tokenHost: 'https://your.host',
    tokenPath: '/v1/acme/oauth/token',
    authorizePath: '/v1/acme/oauth/authorize',
    revokePath: '/v1/acme/oauth/revoke',
  },
})

export function login(session) {
  session.verifier = randomBytes(32).toString('base64url')
  session.state = randomBytes(16).toString('base64url')
  return client.authorizeURL({
    redirect_uri: redirectUri,
    scope: 'profile',
    state: session.state,
    code_challenge: createHash('sha256').update(session.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
}

export async function callback(url, session) {
  const { code, state } = Object.fromEntries(new URL(url).searchParams)
  if (state !== session.state) throw new Error('This is not the sign-in that was begun here')
  const { token } = await client.getToken({ code, redirect_uri: redirectUri, code_verifier: session.verifier })
  return token
}

export async function refresh(tokens) {
  const { token } = await client.createToken(tokens).refresh()
  return token
}
