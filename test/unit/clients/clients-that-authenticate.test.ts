import { type JsonWebKey, type KeyObject, webcrypto } from 'node:crypto'
import { type Client, newClientSecret } from 'customer-sign-in'
import {
  oauth4webapi,
  oauth4webapiSession,
  openidClient,
  openidClientSession,
} from '../../field/clients/library-sessions'
import { type ClientSession, staysSignedIn } from '../../field/clients/stays-signed-in'
import { webApiErrorCode } from '../../field/clients/web-api-error'
import { CompanyHost } from '../../support/company-host'
import { type ClientKey, clientKey } from '../../support/confidential-clients'
import { DocumentServer, publishing } from '../../support/document-server'
import { register } from '../../support/registration'
import { clientId, redirectUri } from '../../support/sign-in'

const methods = ['private_key_jwt', 'client_secret_basic', 'client_secret_post'] as const
type Method = (typeof methods)[number]

/** Who the client is, and what it authenticates with. */
interface Identity {
  clientId: string
  secret: string
  key: ClientKey
}

type Start = (method: Method, identity: Identity, issuer: string, api: string) => Promise<ClientSession>

/** Keys of RSA can be used with several algorithms, so the Web Crypto API has to be told which. */
const webAlgorithms: Record<
  string,
  webcrypto.RsaHashedImportParams | webcrypto.EcKeyImportParams | webcrypto.Algorithm
> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
}

async function webKey({ privateKey, alg, jwk }: ClientKey): Promise<{ key: webcrypto.CryptoKey; kid: string }> {
  const exported = (privateKey as KeyObject).export({ format: 'jwk' })
  const key = await webcrypto.subtle.importKey('jwk', exported as never, webAlgorithms[alg] as never, false, ['sign'])
  return { key, kid: String(jwk.kid) }
}

const byOpenidClient: Start = async (method, { clientId: id, secret, key }, issuer, api) => {
  const library = await openidClient
  const authentications = {
    private_key_jwt: async () => library.PrivateKeyJwt(await webKey(key)),
    client_secret_basic: () => library.ClientSecretBasic(secret),
    client_secret_post: () => library.ClientSecretPost(secret),
  }
  return openidClientSession(id, await authentications[method](), issuer, api)
}

const byOauth4webapi: Start = async (method, { clientId: id, secret, key }, issuer, api) => {
  const library = await oauth4webapi
  const authentications = {
    private_key_jwt: async () => library.PrivateKeyJwt(await webKey(key)),
    client_secret_basic: () => library.ClientSecretBasic(secret),
    client_secret_post: () => library.ClientSecretPost(secret),
  }
  return oauth4webapiSession(id, await authentications[method](), issuer, api)
}

const libraries: [string, Start][] = [
  ['openid-client', byOpenidClient],
  ['oauth4webapi', byOauth4webapi],
]

describe.each(libraries)('%s, whose client the tenant has', (_, start) => {
  const { secret, hash } = newClientSecret()
  const key = clientKey('ES256')
  const own: Client = { clientId, redirectUris: [redirectUri], secretHashes: [hash], jwks: { keys: [key.jwk] } }

  describe.each(methods)('and that authenticates by %s', (method) => {
    staysSignedIn({
      start: (issuer, api) => start(method, { clientId, secret, key }, issuer, api),
      checksIssuer: true,
      errorCode: webApiErrorCode,
      options: { clients: { authentication: methods }, client: own },
    })
  })
})

describe.each(libraries)('%s', (_, start) => {
  let host: CompanyHost
  beforeAll(async () => {
    host = await CompanyHost.start({
      clients: { authentication: ['none', ...methods], documents: 'with-loopback' },
      onEvent: () => {},
    })
  })
  afterAll(() => host.stop())

  /** From the authorization request to the second refresh, and the end. */
  async function walk(method: Method, identity: Identity): Promise<void> {
    const session = await start(method, identity, host.issuer, host.api)
    const first = await session.exchange(await host.browse(session.authorizationUrl))
    const second = await session.refresh(first.refresh_token ?? '')
    const third = await session.refresh(second.refresh_token ?? '')
    await session.revoke?.(third.refresh_token ?? '')
    await expect(session.refresh(third.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' })
  }

  const nothing = { secret: '', key: clientKey() }
  const registered = async (metadata: object) => (await register(host, metadata).expect(201)).body

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'goes from the code to the revocation with the secret of its registration, by %s',
    async (method) => {
      const { client_id, client_secret } = await registered({ token_endpoint_auth_method: method })
      await walk(method, { ...nothing, clientId: client_id, secret: client_secret })
    },
  )

  it.each(['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'])(
    'goes from the code to the revocation with a key that it has registered, by %s',
    async (alg) => {
      const key = clientKey(alg)
      const jwks = { keys: [key.jwk] }
      const { client_id } = await registered({ token_endpoint_auth_method: 'private_key_jwt', jwks })
      await walk('private_key_jwt', { ...nothing, clientId: client_id, key })
    },
  )

  it('goes from the code to the revocation with a metadata document and the keys at its jwks_uri', async () => {
    const key = clientKey()
    const keys: readonly JsonWebKey[] = [key.jwk]
    const server = await DocumentServer.start((self) => (req, res) => {
      if (req.url === '/jwks') res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys }))
      else publishing(self, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: self.url('/jwks') })(req, res)
    })
    await walk('private_key_jwt', { ...nothing, clientId: server.url(), key })
  })
})
