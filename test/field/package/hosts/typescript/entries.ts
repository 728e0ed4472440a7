import { generateKeyPairSync } from 'node:crypto'
import { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { instrument } from 'customer-sign-in/opentelemetry'
import { PostgresTokenStore } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import type { GuardMessage, RevokedEvent } from 'customer-sign-in/telemetry'
import { testSignIn } from 'customer-sign-in/testing'

// Of each entry point something, so that the declarations behind all of them are checked.
export const entries = [instrument, PostgresTokenStore, RedisTokenStore, testSignIn]
export type Entries = [TokenStore, GuardMessage, RevokedEvent]

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const exported = publicKey.export({ format: 'jwk' })
const written = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'one', x5c: ['certificate'] }

export const signIn = createCustomerSignIn({
  tenantStore: new MemoryTenantStore([
    {
      key: 'acme',
      clients: [
        {
          clientId: 'app',
          redirectUris: ['https://app.example/callback'],
          jwks: { keys: [exported, { ...exported, kid: 'two' }, written] },
        },
      ],
    },
  ]),
  tokenStore: new MemoryTokenStore(),
  keys: {
    signing: [
      privateKey.export({ format: 'jwk' }),
      { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd', kid: 'three' },
      { publicKey: exported, sign: () => new Uint8Array() },
    ],
  },
})
