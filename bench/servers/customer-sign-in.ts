import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { type CustomerSignInOptions, createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { PostgresTokenStore } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { Cluster, Redis } from 'ioredis'
import { PipelinedPool } from '../../examples/postgres/pipelined-pool'
import { configAt, poolAt } from '../postgres-pool'
import { type StartContender, setup } from './contender'
import { type HostApp, hostApps } from './host-apps'

const tenantKey = 'acme-air'

const stores = {
  Redis: (port) => new RedisTokenStore(new Redis(port, '127.0.0.1')),
  'Redis Cluster': (port) => new RedisTokenStore(new Cluster([{ host: '127.0.0.1', port }])),
  PostgreSQL: (port) => new PostgresTokenStore(poolAt(port)),
  'PostgreSQL in a pipeline': (port) =>
    new PostgresTokenStore(new PipelinedPool(configAt(port), { maxLifetimeSeconds: 1_000_000 })),
  memory: () => new MemoryTokenStore({ maxGrants: 1_000_000 }),
} satisfies Record<string, (databasePort: number) => TokenStore>

const metadataDocument = {
  client_id: setup.documentClientId,
  client_name: 'Travel Assistant',
  redirect_uris: [setup.redirectUri],
  token_endpoint_auth_method: 'none',
}

/** Where this library keeps its state. */
export type StoreName = keyof typeof stores

/** Its keys and secrets. */
type Keys = Pick<CustomerSignInOptions, 'keys'>

/** This library, as its README mounts it. @param signingKey Default: a new one. Processes that share a store share theirs. */
export function customerSignIn(host: HostApp, store: StoreName, signingKey = newSigningKey()): StartContender {
  return withKeys(host, store, { keys: { signing: [signingKey] } })
}

/** The same, except that a function of the host signs, as for a key in a KMS. */
export const customerSignInWithSigner: StartContender = (baseUrl, databasePort) => {
  const privateKey = newSigningKey()
  const signer = {
    publicKey: createPublicKey(privateKey),
    sign: async (data: Uint8Array) => sign('sha256', data, privateKey),
  }
  const keys = { keys: { signing: [signer], credentialSecrets: [randomBytes(32)] } }
  return withKeys('node:http', 'Redis', keys)(baseUrl, databasePort)
}

function withKeys(host: HostApp, store: StoreName, keys: Keys): StartContender {
  return async (baseUrl, databasePort) => {
    const { clientId, redirectUri, resource, scope } = setup
    const client = { clientId, redirectUris: [redirectUri] }
    const scopes = scope.split(' ')
    const signIn = createCustomerSignIn({
      tenantStore: new MemoryTenantStore([{ key: tenantKey, clients: [client], scopes, resources: [resource] }]),
      tokenStore: stores[store](databasePort),
      baseUrl,
      authenticate: ({ headers }) => ({ subject: String(headers['x-customer']) }),
      clients: { fetch: async () => Response.json(metadataDocument) },
      ...keys,
      // As long as it may be, for machines that are busy.
      hostTimeout: 60,
      lifetimes: {
        accessToken: setup.accessTokenLifetime,
        authorizationCode: setup.authorizationCodeLifetime,
        refreshToken: setup.refreshTokenLifetime,
      },
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
        authorize: `/v1/${tenantKey}/oauth/authorize`,
        register: `/v1/${tenantKey}/oauth/register`,
        metadata: `/.well-known/oauth-authorization-server/v1/${tenantKey}/oauth`,
        api: '/api',
        apiWithRevocation: '/api-with-revocation',
      },
      async issueCode(forClient) {
        const { code } = await signIn.issueAuthorizationCode({
          tenantKey,
          clientId: forClient,
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

function newSigningKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}
