import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { OAuthRegisteredClientsStore } from '@modelcontextprotocol/sdk/server/auth/clients.js'
import {
  InvalidGrantError,
  InvalidScopeError,
  InvalidTargetError,
  InvalidTokenError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type { AuthorizationParams, OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type {
  OAuthClientInformationFull,
  OAuthTokenRevocationRequest,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import express, { type Response } from 'express'
import { Redis, type RedisOptions } from 'ioredis'
import { type JwtPayload, sign, verify } from 'jsonwebtoken'
import { type StartContender, setup } from './contender'

const { accessTokenLifetime, authorizationCodeLifetime, clientId, redirectUri, refreshTokenLifetime, subject } = setup
const resource = new URL(setup.resource)
const scopesSupported = setup.scope.split(' ')

const codeKey = (code: string) => `code:${code}`
const refreshTokenKey = (token: string) => `refresh_token:${token}`

interface Grant {
  clientId: string
  subject: string
  scopes: string[]
  resource: string
}

interface Code extends Grant {
  redirectUri: string
  codeChallenge: string
}

/** The authorization server of the MCP TypeScript SDK 1.x, with a provider that keeps codes and tokens in Redis. */
export const mcpSdk =
  (options: RedisOptions = {}): StartContender =>
  async (baseUrl, databasePort) => {
    const redis = new Redis(databasePort, '127.0.0.1', options)
    const issuerUrl = new URL(baseUrl)
    const provider = new RedisProvider(redis, issuerUrl.href)
    provider.clientsStore.registerClient({
      client_id: clientId,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    })
    const app = express()
    app.use(
      mcpAuthRouter({
        provider,
        issuerUrl,
        resourceServerUrl: resource,
        scopesSupported,
        authorizationOptions: { rateLimit: false },
        tokenOptions: { rateLimit: false },
      }),
    )
    const guard = requireBearerAuth({
      verifier: provider,
      requiredScopes: ['profile'],
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
      expectedResource: resource,
    })
    app.get('/api', guard, (_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
    })
    return {
      handler: app,
      paths: { token: '/token', metadata: '/.well-known/oauth-authorization-server', api: '/api' },
      issueCode: () =>
        provider.issueCode(clientId, {
          redirectUri,
          codeChallenge: setup.codeChallenge,
          scopes: scopesSupported,
          resource,
        }),
    }
  }

/** The client is in memory, as it is for every server here. */
class ClientsStore implements OAuthRegisteredClientsStore {
  readonly #clients = new Map<string, OAuthClientInformationFull>()

  getClient(id: string): OAuthClientInformationFull | undefined {
    return this.#clients.get(id)
  }

  registerClient(client: OAuthClientInformationFull): OAuthClientInformationFull {
    this.#clients.set(client.client_id, client)
    return client
  }
}

/** The SDK's own example (`examples/server/demoInMemoryOAuthProvider.js`), with Redis, JWTs and refresh tokens. */
class RedisProvider implements OAuthServerProvider {
  readonly clientsStore = new ClientsStore()
  readonly #redis: Redis
  readonly #issuer: string
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  constructor(redis: Redis, issuer: string) {
    this.#redis = redis
    this.#issuer = issuer
  }

  /** Signs everybody in, as the example does. */
  async authorize(client: OAuthClientInformationFull, params: AuthorizationParams, res: Response): Promise<void> {
    const target = new URL(params.redirectUri)
    target.searchParams.set('code', await this.issueCode(client.client_id, params))
    if (params.state !== undefined) target.searchParams.set('state', params.state)
    res.redirect(target.href)
  }

  async issueCode(forClient: string, params: AuthorizationParams): Promise<string> {
    const code = randomBytes(32).toString('base64url')
    const record: Code = {
      clientId: forClient,
      subject,
      scopes: params.scopes ?? [],
      resource: (params.resource ?? resource).href,
      redirectUri: params.redirectUri,
      codeChallenge: params.codeChallenge,
    }
    await this.#redis.set(codeKey(code), JSON.stringify(record), 'EX', authorizationCodeLifetime)
    return code
  }

  async challengeForAuthorizationCode(client: OAuthClientInformationFull, code: string): Promise<string> {
    return (await this.#grantOf<Code>(client, codeKey(code))).codeChallenge
  }

  async exchangeAuthorizationCode(
    client: OAuthClientInformationFull,
    code: string,
    _verifier?: string,
    uri?: string,
    requested?: URL,
  ): Promise<OAuthTokens> {
    const found = await this.#grantOf<Code>(client, codeKey(code))
    if (uri !== found.redirectUri) throw new InvalidGrantError('The redirect URI is another')
    requireGranted(found, requested)
    const { redirectUri, codeChallenge, ...grant } = found
    return this.#replace(codeKey(code), grant)
  }

  async exchangeRefreshToken(
    client: OAuthClientInformationFull,
    token: string,
    scopes?: string[],
    requested?: URL,
  ): Promise<OAuthTokens> {
    const grant = await this.#grantOf(client, refreshTokenKey(token))
    if (scopes?.some((scope) => !grant.scopes.includes(scope))) throw new InvalidScopeError('Not granted')
    requireGranted(grant, requested)
    return this.#replace(refreshTokenKey(token), grant, scopes)
  }

  async verifyAccessToken(token: string): Promise<AuthInfo> {
    const { client_id, scope, exp, aud, sub } = this.#claimsOf(token)
    const extra = { subject: sub }
    return {
      token,
      clientId: client_id,
      scopes: scope.split(' '),
      expiresAt: exp,
      resource: new URL(String(aud)),
      extra,
    }
  }

  async revokeToken(client: OAuthClientInformationFull, { token }: OAuthTokenRevocationRequest): Promise<void> {
    const grant = await read<Grant>(this.#redis, refreshTokenKey(token))
    if (grant?.clientId === client.client_id) await this.#redis.del(refreshTokenKey(token))
  }

  async #grantOf<Saved extends Grant>(client: OAuthClientInformationFull, key: string): Promise<Saved> {
    const grant = await read<Saved>(this.#redis, key)
    if (grant?.clientId !== client.client_id) throw new InvalidGrantError('Unknown, expired or used')
    return grant
  }

  async #replace(spent: string, grant: Grant, scopes = grant.scopes): Promise<OAuthTokens> {
    const refreshToken = randomBytes(32).toString('base64url')
    await Promise.all([
      this.#redis.del(spent),
      this.#redis.set(refreshTokenKey(refreshToken), JSON.stringify(grant), 'EX', refreshTokenLifetime),
    ])
    const scope = scopes.join(' ')
    return {
      access_token: this.#accessToken(grant, scope),
      token_type: 'Bearer',
      expires_in: accessTokenLifetime,
      refresh_token: refreshToken,
      scope,
    }
  }

  #accessToken(grant: Grant, scope: string): string {
    const claims = { sub: grant.subject, aud: grant.resource, client_id: grant.clientId, scope }
    return sign(claims, this.#keys.privateKey, {
      algorithm: 'ES256',
      header: { alg: 'ES256', typ: 'at+jwt' },
      issuer: this.#issuer,
      expiresIn: accessTokenLifetime,
      jwtid: randomUUID(),
    })
  }

  #claimsOf(token: string): JwtPayload {
    try {
      return verify(token, this.#keys.publicKey, { algorithms: ['ES256'], issuer: this.#issuer }) as JwtPayload
    } catch {
      throw new InvalidTokenError('Expired, or not from this server')
    }
  }
}

function requireGranted(grant: Grant, requested: URL | undefined): void {
  if (requested && requested.href !== grant.resource) throw new InvalidTargetError('Not granted')
}

async function read<Saved>(redis: Redis, key: string): Promise<Saved | undefined> {
  const json = await redis.get(key)
  return json === null ? undefined : JSON.parse(json)
}
