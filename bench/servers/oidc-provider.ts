import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { type ClientMetadata, type Configuration, Provider, type ResourceServer } from 'oidc-provider'
import { type StartContender, setup } from './contender'
import { redisAdapter } from './oidc-provider-adapter'

const { clientId, redirectUri, resource, scope, subject } = setup

// Without `offline_access` there would be no refresh token. With `openid`, every refresh would also sign an ID token.
const authorizedScope = `offline_access ${scope}`

const client: ClientMetadata = {
  client_id: clientId,
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
  // The default is RS256, and there is no RSA key here.
  id_token_signed_response_alg: 'ES256',
}

/** oidc-provider with JWTs as access tokens. */
export const oidcProviderWithJwt = oidcProvider({
  scope,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'ES256' } },
})

/** oidc-provider with its default access tokens: random strings, which it stores. */
export const oidcProviderWithOpaqueTokens = oidcProvider({ scope, accessTokenFormat: 'opaque' })

function oidcProvider(resourceServer: ResourceServer): StartContender {
  return async (baseUrl, databasePort) => {
    const redis = new Redis(databasePort, '127.0.0.1')
    const provider = new Provider(baseUrl, { ...configurationFor(resourceServer), adapter: redisAdapter(redis) })
    return {
      handler: provider.callback(),
      paths: { token: '/token', metadata: '/.well-known/openid-configuration' },
      issueCode: () => issueCode(provider),
    }
  }
}

function configurationFor(resourceServer: ResourceServer): Configuration {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    clients: [client],
    jwks: { keys: [privateKey.export({ format: 'jwk' })] },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => resourceServer,
        useGrantedResource: () => true,
      },
    },
    ttl: {
      AccessToken: setup.accessTokenLifetime,
      AuthorizationCode: setup.authorizationCodeLifetime,
      RefreshToken: setup.refreshTokenLifetime,
      Grant: setup.refreshTokenLifetime,
    },
  }
}

/** Stores a grant and a code, as the authorization endpoint does after consent. */
async function issueCode(provider: Provider): Promise<string> {
  const found = await provider.Client.find(clientId)
  if (!found) throw new Error(`oidc-provider does not know ${clientId}`)
  const grant = new provider.Grant({ accountId: subject, clientId })
  grant.addOIDCScope('offline_access')
  grant.addResourceScope(resource, scope)
  const code = new provider.AuthorizationCode({
    accountId: subject,
    authTime: Math.floor(Date.now() / 1000),
    client: found,
    codeChallenge: setup.codeChallenge,
    codeChallengeMethod: 'S256',
    grantId: await grant.save(),
    gty: 'authorization_code',
    redirectUri,
    resource,
    scope: authorizedScope,
    sessionUid: randomBytes(32).toString('base64url'),
  })
  return code.save()
}
