import oauth2 from '@fastify/oauth2'
import Fastify from 'fastify'

export const app = Fastify()
app.register(oauth2, {
  name: 'acme',
  credentials: { client: { id: 'web-app', secret: '' } },
  discovery: { issuer: 'https://your.host/.well-known/oauth-authorization-server/v1/acme/oauth' },
  pkce: 'S256',
  scope: ['profile'],
  startRedirectPath: '/login',
  callbackUri: 'https://app.example/callback',
})

app.get('/callback', async (request, reply) => {
  const { token } = await app.acme.getAccessTokenFromAuthorizationCodeFlow(request, reply)
  await save(token)
  return callApi(token.access_token)
})

export async function refresh(tokens) {
  const { token } = await app.acme.getNewAccessTokenUsingRefreshToken(tokens, {})
  return token
}
