import { type JsonWebKey, type KeyObject, webcrypto } from 'node:crypto'
import { type Client, newClientSecret } from 'customer-sign-in'
import { CompanyHost } from '../support/company-host'
import { type ClientKey, clientKey } from '../support/confidential-clients'
import { DocumentServer, publishing } from '../support/document-server'
import { register } from '../support/registration'
import { clientId, redirectUri } from '../support/sign-in'
import { type ClientSession, staysSignedIn } from './stays-signed-in'
import { webApiErrorCode } from './web-api-error'

const [openid, oauth4webapi] = [import('openid-client'), import('oauth4webapi')]

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

const openidClient: Start = async (method, { clientId: id, secret, key }, issuer, api) => {
  const client = await openid
  const authentications = {
    private_key_jwt: async () => client.PrivateKeyJwt(await webKey(key)),
    client_secret_basic: () => client.ClientSecretBasic(secret),
    client_secret_post: () => client.ClientSecretPost(secret),
  }
  const authentication = await authentications[method]()
  const config = await client.discovery(new URL(issuer), id, undefined, authentication, {
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
    revoke: (token) => client.tokenRevocation(config, token),
  }
}

const oauth: Start = async (method, { clientId: id, secret, key }, issuer, api) => {
  const library = await oauth4webapi
  const insecure = { [library.allowInsecureRequests]: true }
  const authentications = {
    private_key_jwt: async () => library.PrivateKeyJwt(await webKey(key)),
    client_secret_basic: () => library.ClientSecretBasic(secret),
    client_secret_post: () => library.ClientSecretPost(secret),
  }
  const authentication = await authentications[method]()
  const client = { client_id: id }
  const metadata = await library.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
  const server = await library.processDiscoveryResponse(new URL(issuer), metadata)
  const codeVerifier = library.generateRandomCodeVerifier()
  const state = library.generateRandomState()
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    scope: 'profile',
    code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
    resource: api,
  })
  return {
    authorizationUrl: new URL(`${server.authorization_endpoint}?${request}`),
    async exchange(callback) {
      const parameters = library.validateAuthResponse(server, client, callback, state)
      const response = await library.authorizationCodeGrantRequest(
        ...([server, client, authentication, parameters, redirectUri, codeVerifier, insecure] as const),
      )
      return library.processAuthorizationCodeResponse(server, client, response)
    },
    async refresh(refreshToken) {
      const response = await library.refreshTokenGrantRequest(server, client, authentication, refreshToken, insecure)
      return library.processRefreshTokenResponse(server, client, response)
    },
    async revoke(token) {
      await library.processRevocationResponse(
        await library.revocationRequest(server, client, authentication, token, insecure),
      )
    },
  }
}

const libraries: [string, Start][] = [
  ['openid-client', openidClient],
  ['oauth4webapi', oauth],
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
      options: { clientAuthentication: methods, client: own },
    })
  })
})

describe.each(libraries)('%s', (_, start) => {
  let host: CompanyHost
  beforeAll(async () => {
    host = await CompanyHost.start({
      clientAuthentication: ['none', ...methods],
      metadataDocuments: 'with-loopback',
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
