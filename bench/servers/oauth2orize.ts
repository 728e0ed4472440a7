import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import express, { type RequestHandler } from 'express'
import { Redis, type RedisOptions } from 'ioredis'
import { sign } from 'jsonwebtoken'
import { createServer, type ExchangeDoneFunction, exchange, TokenError } from 'oauth2orize'
import passport from 'passport'
import ClientPasswordStrategy from 'passport-oauth2-client-password'
import { type StartContender, setup } from './contender'

const {
  accessTokenLifetime,
  authorizationCodeLifetime,
  clientId,
  codeChallenge,
  redirectUri,
  refreshTokenLifetime,
  resource,
  subject,
} = setup

const codeKey = (code: string) => `code:${code}`
const refreshTokenKey = (token: string) => `refresh_token:${token}`

interface Client {
  id: string
  secret?: string
}

// The client is in memory, as it is for every server here.
const clients: Record<string, Client> = { [clientId]: { id: clientId } }

interface Grant {
  clientId: string
  subject: string
  scope: string[]
}

interface Code extends Grant {
  redirectUri: string
  codeChallenge: string
}

interface Tokens {
  accessToken: string
  refreshToken: string
  scope: string[]
}

/** OAuth2orize and Passport as their READMEs mount them, with public clients as their author recommends. */
export const oauth2orize =
  (options: RedisOptions = {}): StartContender =>
  async (baseUrl, databasePort) => {
    const redis = new Redis(databasePort, '127.0.0.1', options)
    const grants = new Grants(redis, baseUrl)
    const server = createServer<Client>()
    server.exchange(
      exchange.code<Client>((client, code, uri, { code_verifier }, done: ExchangeDoneFunction) => {
        grants.redeemCode(client, code, uri, code_verifier).then(answer(done), (error) => done(error))
      }),
    )
    server.exchange(
      exchange.refreshToken<Client>((client, token, scope: string[] | undefined, done: ExchangeDoneFunction) => {
        grants.redeemRefreshToken(client, token, scope).then(answer(done), (error) => done(error))
      }),
    )
    passport.use(
      new ClientPasswordStrategy((id, secret, done) => {
        const client = clients[id]
        done(null, client?.secret === secret && client)
      }),
    )
    passport.use(new AnonymousStrategy())

    const app = express()
    app.use(express.urlencoded({ extended: false }))
    app.use(passport.initialize())
    app.post(
      '/oauth/token',
      passport.authenticate(['oauth2-client-password', 'anonymous'], { session: false }),
      identifyPublicClient,
      server.token(),
      server.errorHandler(),
    )
    return { handler: app, paths: { token: '/oauth/token' }, issueCode: () => grants.issueCode() }
  }

/**
 * Does what passport-anonymous does. The author of OAuth2orize recommends it for public clients
 * (github.com/jaredhanson/passport-oauth2-client-password/issues/8 and 11).
 */
class AnonymousStrategy extends passport.Strategy {
  override name = 'anonymous'

  override authenticate(): void {
    this.pass()
  }
}

/** After the anonymous strategy, OAuth2orize does not know the client yet. */
const identifyPublicClient: RequestHandler = (req, _res, next) => {
  if (!req.user) {
    const client = clients[req.body.client_id]
    if (!client || client.secret) throw new TokenError('Client authentication failed', 'invalid_client')
    req.user = client
  }
  next()
}

async function read<Saved>(redis: Redis, key: string): Promise<Saved | undefined> {
  const json = await redis.get(key)
  return json === null ? undefined : JSON.parse(json)
}

/** If there are no tokens, OAuth2orize answers `invalid_grant`. */
function answer(done: ExchangeDoneFunction): (tokens: Tokens | undefined) => void {
  return (tokens) => {
    if (!tokens) return done(null, false)
    const params = { expires_in: accessTokenLifetime, scope: tokens.scope.join(' ') }
    done(null, tokens.accessToken, tokens.refreshToken, params)
  }
}

/** The work that OAuth2orize leaves to its callbacks. */
class Grants {
  readonly #redis: Redis
  readonly #issuer: string
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

  constructor(redis: Redis, issuer: string) {
    this.#redis = redis
    this.#issuer = issuer
  }

  async issueCode(): Promise<string> {
    const code = randomBytes(32).toString('base64url')
    const record: Code = { clientId, subject, scope: setup.scope.split(' '), redirectUri, codeChallenge }
    await this.#redis.set(codeKey(code), JSON.stringify(record), 'EX', authorizationCodeLifetime)
    return code
  }

  async redeemCode(client: Client, code: string, uri: string, verifier: unknown): Promise<Tokens | undefined> {
    const found = await read<Code>(this.#redis, codeKey(code))
    if (!found || found.clientId !== client.id || found.redirectUri !== uri) return undefined
    if (typeof verifier !== 'string' || challengeOf(verifier) !== found.codeChallenge) return undefined
    return this.#replace(codeKey(code), { clientId: client.id, subject: found.subject, scope: found.scope })
  }

  async redeemRefreshToken(client: Client, token: string, scope?: string[]): Promise<Tokens | undefined> {
    const grant = await read<Grant>(this.#redis, refreshTokenKey(token))
    if (!grant || grant.clientId !== client.id) return undefined
    if (scope?.some((name) => !grant.scope.includes(name))) throw new TokenError('Not granted', 'invalid_scope')
    return this.#replace(refreshTokenKey(token), grant, scope)
  }

  async #replace(spent: string, grant: Grant, scope = grant.scope): Promise<Tokens> {
    const refreshToken = randomBytes(32).toString('base64url')
    await Promise.all([
      this.#redis.del(spent),
      this.#redis.set(refreshTokenKey(refreshToken), JSON.stringify(grant), 'EX', refreshTokenLifetime),
    ])
    return { accessToken: this.#accessToken(grant, scope), refreshToken, scope }
  }

  #accessToken(grant: Grant, scope: string[]): string {
    const claims = { sub: grant.subject, aud: resource, client_id: grant.clientId, scope: scope.join(' ') }
    return sign(claims, this.#key, {
      algorithm: 'ES256',
      header: { alg: 'ES256', typ: 'at+jwt' },
      issuer: this.#issuer,
      expiresIn: accessTokenLifetime,
      jwtid: randomUUID(),
    })
  }
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
