import { generateKeyPairSync } from 'node:crypto'
import { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import { type StartContender, setup } from './contender'
import { type HostApp, hostApps } from './host-apps'

const tenantKey = 'acme-air'

/** This library, as its README mounts it. */
export function customerSignIn(host: HostApp, store: 'Redis' | 'memory'): StartContender {
  return async (baseUrl, redis) => {
    const { clientId, redirectUri, resource, scope } = setup
    const client = { clientId, redirectUris: [redirectUri] }
    const scopes = scope.split(' ')
    const signIn = createCustomerSignIn({
      tenantStore: new MemoryTenantStore([{ key: tenantKey, clients: [client], scopes, resources: [resource] }]),
      tokenStore: store === 'Redis' ? new RedisTokenStore(redis) : new MemoryTokenStore({ maxGrants: 1_000_000 }),
      baseUrl,
      // A grant then remembers only its newest redemption, as it does with refreshes an hour apart.
      replayTolerance: 0,
      signingKeys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
      accessTokenLifetime: setup.accessTokenLifetime,
      authorizationCodeLifetime: setup.authorizationCodeLifetime,
      refreshTokenLifetime: setup.refreshTokenLifetime,
    })
    const offline = signIn.requireAccessToken({ tenantKey, scopes: 'profile' })
    const revocable = signIn.requireAccessToken({ tenantKey, scopes: 'profile', checkRevocation: true })
    let signIns = 0
    return {
      handler: hostApps[host](signIn, (req, res) => {
        const guard = req.url === '/api' ? offline : revocable
        guard(req, res, () => res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'))
      }),
      paths: {
        token: `/v1/${tenantKey}/oauth/token`,
        metadata: `/.well-known/oauth-authorization-server/v1/${tenantKey}/oauth`,
        api: '/api',
        apiWithRevocation: '/api-with-revocation',
      },
      async issueCode() {
        const { code } = await signIn.issueAuthorizationCode({
          tenantKey,
          clientId,
          redirectUri,
          codeChallenge: setup.codeChallenge,
          codeChallengeMethod: 'S256',
          // Another customer each time: one customer can have only a few grants of one client.
          subject: `${setup.subject}-${++signIns}`,
          scopes,
          resource,
        })
        return code
      },
    }
  }
}
