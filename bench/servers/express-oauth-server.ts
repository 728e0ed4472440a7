import { generateKeyPairSync, randomUUID } from 'node:crypto'
import OAuthServer from '@node-oauth/express-oauth-server'
import {
  type AuthorizationCodeModel,
  type Client,
  type RefreshTokenModel,
  Request,
  Response,
} from '@node-oauth/oauth2-server'
import bodyParser from 'body-parser'
import express from 'express'
import { Redis } from 'ioredis'
import { sign } from 'jsonwebtoken'
import { type StartContender, setup } from './contender'

const {
  accessTokenLifetime,
  authorizationCodeLifetime,
  clientId,
  redirectUri,
  refreshTokenLifetime,
  resource,
  scope,
  subject,
} = setup
const grants = ['authorization_code', 'refresh_token']

// The client is in memory, as it is for every server here.
const clients: Record<string, Client & { secret?: string }> = {
  [clientId]: { id: clientId, grants, redirectUris: [redirectUri] },
}
const codeKey = (code: string) => `code:${code}`
const accessTokenKey = (token: string) => `access_token:${token}`
const refreshTokenKey = (token: string) => `refresh_token:${token}`

/** `@node-oauth/express-oauth-server` as its README mounts it, with a model that keeps codes and tokens in Redis. */
export const expressOAuthServer: StartContender = async (baseUrl, databasePort) => {
  const redis = new Redis(databasePort, '127.0.0.1')
  const oauth = new OAuthServer({
    model: modelIn(redis, baseUrl),
    accessTokenLifetime,
    refreshTokenLifetime,
    authorizationCodeLifetime,
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  })
  const app = express()
  app.use(bodyParser.json())
  app.use(bodyParser.urlencoded({ extended: false }))
  app.post('/oauth/token', oauth.token())
  app.get('/api', oauth.authenticate({ scope: ['profile'] }), (_req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  return { handler: app, paths: { token: '/oauth/token', api: '/api' }, issueCode: () => issueCode(oauth) }
}

/** Asks its own authorization endpoint, as a customer who is signed in. */
async function issueCode(oauth: OAuthServer): Promise<string> {
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: randomUUID(),
    code_challenge: setup.codeChallenge,
    code_challenge_method: 'S256',
  }
  const request = new Request({ method: 'GET', headers: {}, query })
  const authenticateHandler = { handle: () => ({ id: subject }) }
  const { authorizationCode } = await oauth.server.authorize(request, new Response(), { authenticateHandler })
  return authorizationCode
}

/** The value of a key; a code has further members. */
interface Saved {
  clientId: string
  userId: string
  scope?: string[]
  expiresAt?: Date
}

/** The model of its documentation (`@node-oauth/oauth2-server/lib/model.js`), one key for each code or token. */
function modelIn(redis: Redis, issuer: string): AuthorizationCodeModel & RefreshTokenModel {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const header = { alg: 'ES256', typ: 'at+jwt' }

  function save(key: string, saved: Saved, lifetime: number): Promise<unknown> {
    return redis.set(key, JSON.stringify(saved), 'EX', lifetime)
  }

  async function find<Own = unknown>(key: string) {
    const json = await redis.get(key)
    if (json === null) return undefined
    const { clientId: id, userId, expiresAt, ...own }: Saved & Own = JSON.parse(json)
    return { ...own, client: { id, grants }, user: { id: userId }, expiresAt: new Date(String(expiresAt)) }
  }

  return {
    async getClient(id, secret) {
      const client = clients[id]
      return client && (!secret || client.secret === secret) ? client : false
    },

    async generateAccessToken(client, user, scopes) {
      const claims = { iss: issuer, sub: user.id, aud: resource, client_id: client.id, scope: scopes.join(' ') }
      const options = { algorithm: 'ES256', header, expiresIn: accessTokenLifetime, jwtid: randomUUID() } as const
      return sign(claims, privateKey, options)
    },

    async saveAuthorizationCode(code, client, user) {
      const { authorizationCode, ...own } = code
      const saved = { ...own, clientId: client.id, userId: user.id }
      await save(codeKey(authorizationCode), saved, authorizationCodeLifetime)
      return { ...code, client, user }
    },
    async getAuthorizationCode(authorizationCode) {
      const found = await find<{ redirectUri: string }>(codeKey(authorizationCode))
      return found && { ...found, authorizationCode }
    },
    revokeAuthorizationCode: async (code) => (await redis.del(codeKey(code.authorizationCode))) === 1,

    async saveToken(token, client, user) {
      // Both grants issue a refresh token, because `alwaysIssueNewRefreshToken` is on by default.
      const { accessToken, accessTokenExpiresAt, refreshToken = '', refreshTokenExpiresAt } = token
      const grant = { clientId: client.id, userId: user.id, scope: token.scope }
      await Promise.all([
        save(accessTokenKey(accessToken), { ...grant, expiresAt: accessTokenExpiresAt }, accessTokenLifetime),
        save(refreshTokenKey(refreshToken), { ...grant, expiresAt: refreshTokenExpiresAt }, refreshTokenLifetime),
      ])
      return { ...token, client, user }
    },
    async getAccessToken(accessToken) {
      const found = await find(accessTokenKey(accessToken))
      return found && { ...found, accessToken, accessTokenExpiresAt: found.expiresAt }
    },
    verifyScope: async (token, scopes) => scopes.every((name) => token.scope?.includes(name)),
    async getRefreshToken(refreshToken) {
      const found = await find(refreshTokenKey(refreshToken))
      return found && { ...found, refreshToken, refreshTokenExpiresAt: found.expiresAt }
    },
    revokeToken: async (token) => (await redis.del(refreshTokenKey(token.refreshToken))) === 1,
  }
}
