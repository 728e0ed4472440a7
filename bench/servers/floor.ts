import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import { Redis } from 'ioredis'
import { type Contender, type StartContender, setup } from './contender'
import { fastestSign, fastestVerify } from './fastest'
import { type HostApp, hostApps } from './host-apps'

const swap = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwtHeader = base64url(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'floor' }))
// As long as a real issuer.
const issuer = 'https://assistant.example/v1/acme-air/oauth'
const document = JSON.stringify({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  revocation_endpoint: `${issuer}/revoke`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  scopes_supported: setup.scope.split(' '),
  authorization_response_iss_parameter_supported: true,
})
// Its token endpoint knows no clients.
const registered = JSON.stringify({ client_id: randomUUID() })
const invalidGrant = JSON.stringify({ error: 'invalid_grant' })

/**
 * The minimum that such a server could do: read the form, let Redis compare and swap one value if `isStored`, sign. It validates
 * nothing and knows no tenants, so it is not an authorization server.
 */
export function floor(host: HostApp, isStored: boolean): StartContender {
  return async (_, databasePort): Promise<Contender> => {
    const redis = isStored ? new Redis(databasePort, '127.0.0.1', { enableAutoPipelining: true }) : undefined
    const redeem = redis ? await swapIn(redis) : async () => newToken('grant')

    async function token(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const form = parse(await bodyOf(req))
      const next = await redeem(form)
      if (next === undefined) return answer(res, 400, invalidGrant)
      const expires_in = setup.accessTokenLifetime
      const access_token = jwt(newClaims())
      const body = { access_token, token_type: 'Bearer', expires_in, refresh_token: next, scope: setup.scope }
      answer(res, 200, JSON.stringify(body))
    }

    async function api(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const claims = verified(req.headers.authorization?.slice('Bearer '.length) ?? '')
      const ended = req.url === '/api-with-revocation' && (await redis?.get('grant')) === null
      if (claims && !ended) answer(res, 200, '{}')
      else answer(res, 401, '{}')
    }

    await redis?.set('grant', 'live')
    const routes: Record<string, (req: IncomingMessage, res: ServerResponse) => unknown> = {
      '/token': token,
      '/register': (_req, res) => answer(res, 201, registered),
      '/metadata': (_req, res) => answer(res, 200, document),
      '/api': api,
      '/api-with-revocation': api,
    }
    return {
      handler: hostApps[host]((req, res) => void routes[req.url ?? '']?.(req, res)),
      paths: {
        token: '/token',
        register: '/register',
        metadata: '/metadata',
        api: '/api',
        apiWithRevocation: isStored ? '/api-with-revocation' : undefined,
      },
      async issueCode() {
        const code = newToken(randomBytes(16).toString('base64url'))
        await redis?.set(idOf(code), code, 'PX', setup.refreshTokenLifetime * 1000)
        return code
      },
    }
  }
}

async function swapIn(redis: Redis): Promise<(form: ParsedUrlQuery) => Promise<string | undefined>> {
  const sha = (await redis.script('LOAD', swap)) as string
  return async (form) => {
    const live = String(form.refresh_token ?? form.code)
    const next = newToken(idOf(live))
    const done = await redis.evalsha(sha, 1, idOf(live), live, next, setup.refreshTokenLifetime * 1000)
    return done === 1 ? next : undefined
  }
}

function newToken(id: string): string {
  return `${id}.${randomBytes(32).toString('base64url')}`
}

function idOf(token: string): string {
  return token.slice(0, token.indexOf('.'))
}

function bodyOf(req: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let body = ''
    req.setEncoding('utf8')
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => resolve(body))
  })
}

function answer(res: ServerResponse, status: number, body: string): void {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  }
  res.writeHead(status, headers).end(body)
}

function newClaims(): object {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: issuer,
    sub: setup.subject,
    aud: setup.resource,
    client_id: setup.clientId,
    scope: setup.scope,
    jti: randomUUID(),
    iat: now,
    exp: now + setup.accessTokenLifetime,
  }
}

function jwt(claims: object): string {
  const input = `${jwtHeader}.${base64url(JSON.stringify(claims))}`
  return `${input}.${fastestSign(Buffer.from(input), privateKey).toString('base64url')}`
}

function verified(token: string): unknown {
  const end = token.lastIndexOf('.')
  const [input, signature] = [token.slice(0, end), Buffer.from(token.slice(end + 1), 'base64url')]
  const good = fastestVerify(Buffer.from(input), publicKey, signature)
  const claims = good && JSON.parse(Buffer.from(input.slice(input.indexOf('.') + 1), 'base64url').toString())
  return claims && claims.exp > Date.now() / 1000 ? claims : undefined
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
