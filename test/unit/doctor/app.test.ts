import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import type { Request, RequestHandler, Response } from 'express'
import { examine } from '../../../src/doctor/examine'
import { answerMcp, type Deployed, deployed, found, guarded, hostApp, listening } from '../../support/deployment'

const path = '/v1/:tenantKey/mcp'

/** CORS as middleware of the host adds it, which answers preflights. */
const cors =
  (headers: Record<string, string>): RequestHandler =>
  (req, res, next) => {
    res.set({ 'Access-Control-Allow-Origin': '*', ...headers })
    if (req.method === 'OPTIONS')
      res
        .set('Access-Control-Allow-Headers', 'authorization, content-type, mcp-method, mcp-name, mcp-protocol-version')
        .status(204)
        .end()
    else next()
  }

/** Answers requests whose path ends so, in place of the sign-in. */
const instead =
  (end: string, answer: (res: Response, req: Request, origin: string) => unknown): Deployed['before'] =>
  (origin) =>
  (req, res, next) =>
    req.path.endsWith(end) && req.method !== 'OPTIONS'
      ? void answer(res.set('Access-Control-Allow-Origin', '*'), req, origin)
      : next()

/** Metadata of Acme with other members. Undefined leaves one out. */
const withMetadata = (more: object | ((origin: string) => object)): Deployed['before'] =>
  instead('/.well-known/oauth-authorization-server/v1/acme/oauth', (res, _req, origin) =>
    res.json({
      issuer: `${origin}/v1/acme/oauth`,
      authorization_endpoint: `${origin}/v1/acme/oauth/authorize`,
      token_endpoint: `${origin}/v1/acme/oauth/token`,
      registration_endpoint: `${origin}/v1/acme/oauth/register`,
      revocation_endpoint: `${origin}/v1/acme/oauth/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      ...(typeof more === 'function' ? more(origin) : more),
    }),
  )

/** Metadata of Acme's API with other members. */
const withResource = (more: object): Deployed['before'] =>
  instead('/.well-known/oauth-protected-resource/v1/acme/mcp', (res, _req, origin) =>
    res.json({ resource: `${origin}/v1/acme/mcp`, authorization_servers: [`${origin}/v1/acme/oauth`], ...more }),
  )

/** As a server answers that knows no Basic authentication. */
const withoutBasic = (res: Response, req: Request): unknown =>
  req.headers.authorization
    ? res.status(400).json({ error: 'invalid_request', error_description: 'client_id: Required' })
    : res.status(400).set('Cache-Control', 'no-store').json({ error: 'invalid_grant' })

/** Metadata that announces Basic authentication, and a token endpoint that answers so. */
const announcingBasic =
  (answer: Parameters<typeof instead>[1]): Deployed['before'] =>
  (origin) => {
    const [metadata, token] = [
      withMetadata({ token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
      instead('/oauth/token', answer),
    ].map((make) => make?.(origin))
    return (req, res, next) => metadata?.(req, res, () => void token?.(req, res, next))
  }

const html = '<!doctype html><h1>Welcome</h1>'

/** What session middleware adds to a request, if there is one. */
interface Sessions {
  session: { customer: string }
}

const cases: Record<string, [Deployed, string[]]> = {
  'has no such company': [
    { options: () => ({ tenantStore: new MemoryTenantStore([{ key: 'globex', id: '2' }]) }) },
    ['api: company-unknown'],
  ],
  'has no route for the API': [{ api: () => {} }, ['api: api-not-found']],
  'does not mount the sign-in': [{ mount: () => {} }, ['resource: not-routed']],
  'mounts the sign-in below a path': [{ mount: (app, signIn) => app.use('/auth', signIn) }, ['resource: not-routed']],
  'mounts the sign-in after its handler of 404': [
    {
      mount: (app, signIn) => {
        guarded(app, signIn)
        app.use((_req, res) => void res.status(404).json({ error: 'Not found' }))
        app.use(signIn)
      },
    },
    ['resource: not-routed'],
  ],
  'mounts the sign-in after the pages of a website': [
    {
      mount: (app, signIn) => {
        guarded(app, signIn)
        app.use((_req, res) => void res.send(html))
        app.use(signIn)
      },
    },
    ['resource: html-page'],
  ],
  'has no session that authenticate could read': [
    {
      options: () => ({ authenticate: (req: Request) => ({ subject: (req as unknown as Sessions).session.customer }) }),
    },
    ['authorize: authenticate-fails'],
  ],
  'sets a cookie that no assistant brings along': [
    {
      options: () => ({
        authenticate: (_req: Request, res: Response) =>
          res.cookie('csrf', 'x').cookie('connect.sid', 'x', { sameSite: 'strict' }).redirect('/login'),
      }),
    },
    ['authorize: cookie-strict'],
  ],
  'has no guard in front of the API': [{ api: (app) => app.all(path, answerMcp) }, ['api: api-open']],
  'answers the API with 418': [
    { api: (app) => app.all(path, (_req, res) => res.status(418).json({})) },
    ['api: unexpected-status'],
  ],
  'guards POST alone': [
    {
      api: (app, signIn) =>
        app.post(path, signIn.protectedResource({ path }), answerMcp).all(path, (_req, res) => res.status(405).end()),
    },
    ['api: get-before-token'],
  ],
  'guards the API without announcing it': [
    { api: (app, signIn) => app.all(path, signIn.requireAccessToken({ tenantKey: 'acme' }), answerMcp) },
    ['api: no-metadata-address', 'resource: no-metadata'],
  ],
  'answers 401 without a challenge': [
    { api: (app) => app.all(path, (_req, res) => res.status(401).json({})) },
    ['api: no-challenge', 'bearer: authorization-dropped', 'resource: no-metadata'],
  ],
  'answers 401 with a page': [
    { api: (app) => app.all(path, (_req, res) => res.status(401).send('<!doctype html><h1>Log in</h1>')) },
    ['api: error-page', 'api: no-challenge', 'bearer: authorization-dropped', 'resource: no-metadata'],
  ],
  'answers 401 with a challenge of its own': [
    { api: (app) => app.all(path, (_req, res) => res.status(401).set('WWW-Authenticate', 'Session').json({})) },
    ['api: challenge-not-bearer', 'bearer: authorization-dropped', 'resource: no-metadata'],
  ],
  'offers a password besides its challenge': [
    {
      api: (app, signIn) => app.all(path, signIn.protectedResource({ path }), answerMcp),
      before: () => (_req, res, next) => {
        const { setHeader } = res
        res.setHeader = (name, value) =>
          setHeader.call(res, name, name === 'WWW-Authenticate' ? `Basic realm="x", ${value}` : value)
        next()
      },
    },
    [],
  ],
  'accepts any token': [
    {
      api: (app, signIn) =>
        app.all(
          path,
          (req, res, next) => (req.headers.authorization ? answerMcp(req, res, next) : next()),
          signIn.protectedResource({ path }),
        ),
    },
    ['bearer: token-not-refused'],
  ],
  'has CORS that hides the challenge': [
    { api: (app, signIn) => app.all(path, cors({}), signIn.protectedResource({ path }), answerMcp) },
    ['bearer: challenge-not-exposed'],
  ],
  'has CORS that exposes the challenge': [
    {
      api: (app, signIn) =>
        app.all(
          path,
          cors({ 'Access-Control-Expose-Headers': 'WWW-Authenticate' }),
          signIn.protectedResource({ path }),
          answerMcp,
        ),
    },
    [],
  ],
  'guards the API before its CORS answers a preflight': [
    {
      api: (app, signIn) =>
        app.all(
          path,
          (_req, res, next) =>
            next(res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' }) && undefined),
          signIn.protectedResource({ path }),
          answerMcp,
        ),
    },
    ['bearer: preflight-refused'],
  ],
  'has an API whose resource ends with a slash': [
    {
      before: (origin) =>
        (withResource({ resource: `${origin}/v1/acme/mcp/` }) as (own: string) => RequestHandler)(origin),
    },
    ['resource: resource-slash'],
  ],
  'names neither resource nor authorization server': [
    { before: withResource({ resource: 'acme', authorization_servers: [] }) },
    ['resource: member-missing', 'resource: member-missing'],
  ],
  'names no authorization servers at all': [
    { before: withResource({ authorization_servers: undefined }) },
    ['resource: member-missing'],
  ],
  'lets nobody in': [
    { options: () => ({ clients: { registration: false, documents: false } }) },
    ['server: no-way-in'],
  ],
  'has no page to sign in on': [{ options: () => ({ authenticate: undefined }) }, ['authorize: authorize-missing']],
  'redirects to a login page that is not there': [
    { options: () => ({ authenticate: (_req: Request, res: Response) => res.redirect('/missing') }) },
    ['authorize: login-page-fails'],
  ],
  'refuses the assistant whose document is tried': [
    { options: () => ({ clients: { blocked: { documentHosts: ['claude.ai'] } } }) },
    ['document: document-refused'],
  ],
  'has a registration of its own that fails': [
    { before: instead('/oauth/register', (res) => res.status(503).json({ error: 'temporarily_unavailable' })) },
    ['registration: temporarily-unavailable'],
  ],
  'refuses clients on the customer’s device': [
    { options: () => ({ clients: { allowed: { redirectHosts: ['assistant.example'] } } }) },
    ['registration: registration-refused'],
  ],
  'announces registration that is off': [
    {
      before: withMetadata({}),
      options: () => ({ tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1', registration: false }]) }),
    },
    ['registration: registration-off'],
  ],
  'has metadata of another resource': [
    {
      before: (origin) =>
        (withResource({ resource: `${origin}/v1/acme/files` }) as (own: string) => RequestHandler)(origin),
    },
    ['resource: resource-differs', 'authorize: authorize-refused'],
  ],
  'announces metadata where there is none': [
    {
      api: (app, signIn) =>
        app.all(path, ({ protocol, headers }, res) => {
          signIn.protectedResource({ path })
          const elsewhere = `${protocol}://${headers.host}/metadata`
          const error = headers.authorization ? 'error="invalid_token", ' : ''
          res.status(401).set('WWW-Authenticate', `Bearer ${error}resource_metadata="${elsewhere}"`).json({})
        }),
      before: withResource({}),
    },
    ['resource: metadata-path'],
  ],
  'announces no address': [
    {
      api: (app, signIn) =>
        app.all(path, ({ headers }, res) => {
          signIn.protectedResource({ path })
          const error = headers.authorization ? 'error="invalid_token", ' : ''
          res.status(401).set('WWW-Authenticate', `Bearer ${error}resource_metadata="/metadata"`).json({})
        }),
      before: withResource({}),
    },
    ['resource: member-missing'],
  ],
  'has metadata of the wrong type': [
    {
      before: instead('/oauth-protected-resource/v1/acme/mcp', (res, _req, origin) =>
        res
          .type('text/plain')
          .send(
            JSON.stringify({ resource: `${origin}/v1/acme/mcp`, authorization_servers: [`${origin}/v1/acme/oauth`] }),
          ),
      ),
    },
    ['resource: content-type'],
  ],
  'knows no company at the metadata': [
    { before: instead('/oauth-protected-resource/v1/acme/mcp', (res) => res.status(404).json({ error: 'not_found' })) },
    ['resource: company-unknown'],
  ],
  'has a captcha on its own authorize page': [
    { before: instead('/oauth/authorize', (res) => res.send(`${html}<p>Solve the captcha</p>`)) },
    ['authorize: page-framed'],
  ],
  'refuses an unknown client on a page with status 200': [
    {
      before: instead('/oauth/authorize', (res) =>
        res.set('X-Frame-Options', 'DENY').send(`${html}<p>unauthorized_client</p>`),
      ),
    },
    [],
  ],
  'forbids frames by its policy alone': [
    {
      before: instead('/oauth/authorize', (res) =>
        res.set('Content-Security-Policy', "frame-ancestors 'none'").send(`${html}<p>invalid_client</p>`),
      ),
    },
    [],
  ],
  'has metadata that is no JSON': [
    { before: instead('/oauth-protected-resource/v1/acme/mcp', (res) => res.type('text/plain').send('ok')) },
    ['resource: not-json'],
  ],
  'answers the metadata with an error': [
    { before: instead('/oauth-protected-resource/v1/acme/mcp', (res) => res.status(403).json({})) },
    ['resource: unexpected-status'],
  ],
  'fails at the metadata': [
    { before: instead('/oauth-protected-resource/v1/acme/mcp', (res) => res.status(500).json({})) },
    ['resource: server-error'],
  ],
  'sends a flood': [
    { before: instead('/oauth-protected-resource/v1/acme/mcp', (res) => res.send('x'.repeat(300_000))) },
    ['resource: too-large'],
  ],
  'spells its issuer with a slash': [
    { before: withMetadata((origin) => ({ issuer: `${origin}/v1/acme/oauth/` })) },
    ['server: issuer-slash'],
  ],
  'has metadata without an issuer': [{ before: withMetadata({ issuer: undefined }) }, ['server: member-missing']],
  'has metadata without an authorization endpoint': [
    { before: withMetadata({ authorization_endpoint: '/authorize' }) },
    ['server: member-missing'],
  ],
  'has metadata without a token endpoint': [
    { before: withMetadata({ token_endpoint: undefined }) },
    ['server: member-missing'],
  ],
  'does not say what it can do': [
    {
      before: withMetadata({
        response_types_supported: ['token'],
        grant_types_supported: undefined,
        code_challenge_methods_supported: ['plain'],
      }),
    },
    ['server: not-listed', 'server: not-listed', 'server: no-refresh'],
  ],
  'shows its private key': [
    {
      before: instead('/oauth/jwks', (res) =>
        res.json({ keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] }),
      ),
    },
    ['keys: private-keys'],
  ],
  'does not serve its keys': [
    { before: instead('/oauth/jwks', (res) => res.status(404).json({})) },
    ['keys: not-routed'],
  ],
  'fails at the metadata of the sign-in': [
    {
      before: () => (req, res, next) =>
        /oauth-authorization-server|openid-configuration/.test(req.path) ? void res.status(500).json({}) : next(),
    },
    ['server: server-error'],
  ],
  'has no keys': [{ before: instead('/oauth/jwks', (res) => res.json({ keys: [] })) }, ['keys: no-keys']],
  'has a page in place of its keys': [
    { before: instead('/oauth/jwks', (res) => res.type('html').send(html)) },
    ['keys: html-page'],
  ],
  'registers nobody': [
    { before: instead('/oauth/register', (res) => res.status(201).json({})) },
    ['registration: member-missing'],
  ],
  'has no POST at its registration endpoint': [
    { before: instead('/oauth/register', (res) => res.status(405).end()) },
    ['registration: method-refused'],
  ],
  'refuses what it has registered': [
    { before: instead('/oauth/authorize', (res) => res.status(400).send('<h1>invalid_scope</h1>')) },
    ['authorize: authorize-refused'],
  ],
  'sends the browser back with an error': [
    {
      before: instead('/oauth/authorize', (res, req) =>
        res.redirect(`${req.query.redirect_uri}?error=server_error&state=${req.query.state}`),
      ),
    },
    ['authorize: authorize-refused'],
  ],
  'shows a page that can be framed': [
    {
      before: instead('/oauth/authorize', (res, { query }) =>
        res.status(String(query.client_id).startsWith('customer-sign-in-doctor') ? 400 : 200).send(html),
      ),
    },
    ['authorize: page-framed'],
  ],
  'has no page but JSON': [{ before: instead('/oauth/authorize', (res) => res.json({})) }, ['authorize: not-json']],
  'redirects to no web page': [
    { before: instead('/oauth/authorize', (res) => res.redirect('app://login')) },
    ['authorize: redirected'],
  ],
  'accepts any code': [
    { before: instead('/oauth/token', (res) => res.json({ access_token: 'x' })) },
    ['token: wrong-error'],
  ],
  'answers a wrong code with another error': [
    {
      before: instead('/oauth/token', (res) =>
        res.status(400).json({ error: 'unsupported_grant_type', error_description: 'No codes here' }),
      ),
    },
    ['token: wrong-error'],
  ],
  'refuses a right DPoP proof': [
    {
      before: instead('/oauth/token', (res, { headers }) =>
        res
          .status(400)
          .set('Cache-Control', 'no-store')
          .json(headers.dpop ? { error: 'invalid_dpop_proof', error_description: 'htu' } : { error: 'invalid_grant' }),
      ),
    },
    ['token: proof-refused'],
  ],
  'does not read the client in the header': [
    { before: instead('/oauth/token', withoutBasic) },
    ['token: proof-dropped'],
  ],
  'does not read the client in the header, although it says so': [
    { before: announcingBasic(withoutBasic) },
    ['token: authorization-dropped'],
  ],
  'refuses clients that authenticate': [
    {
      before: announcingBasic((res, req) =>
        req.headers.authorization
          ? res.status(401).json({ error: 'invalid_client', error_description: 'The client_id is unknown' })
          : withoutBasic(res, req),
      ),
    },
    [],
  ],
  'does not revoke': [
    { before: instead('/oauth/revoke', (res) => res.status(400).json({ error: 'unsupported_token_type' })) },
    ['revocation: revocation-fails'],
  ],
  'registers at another time': [
    {
      before: instead('/oauth/register', (res) =>
        res.status(201).json({ client_id: 'app', client_id_issued_at: Math.floor(Date.now() / 1000) - 120 }),
      ),
      options: () => ({
        tenantStore: new MemoryTenantStore([
          { key: 'acme', id: '1', clients: [{ clientId: 'app', redirectUris: ['http://127.0.0.1/callback'] }] },
        ]),
      }),
    },
    ['clock: clock-off'],
  ],
}

/** Two processes with these keys, which take turns. @returns Their origin. */
async function twoProcesses(...keys: KeyObject[][]): Promise<string> {
  const { port, answer } = await listening()
  const origin = `http://127.0.0.1:${port}`
  const [tokenStore, credentialSecrets] = [new MemoryTokenStore(), ['0123456789'.repeat(4)]]
  const processes = keys.map((signing) =>
    hostApp(origin, { options: () => ({ tokenStore, keys: { credentialSecrets, signing } }) }),
  )
  let requests = 0
  answer((req, res) => void processes[requests++ % 2]?.(req, res))
  return origin
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const isGood = ([, [, finds]]: [string, [Deployed, string[]]]) => finds.length === 0

describe('the doctor finds nothing wrong with an app that', () => {
  it.each(Object.entries(cases).filter(isGood))('%s', async (_, [app]) => {
    expect(await found(await deployed(app))).toEqual([])
  })

  it('has two processes, one of which already signs with the next key', async () => {
    const [one, other] = [newKey(), newKey()]
    expect(await found(await twoProcesses([one, other], [other, one]))).toEqual([])
  })
})

describe('the doctor finds what is wrong with an app that', () => {
  it.each(Object.entries(cases).filter((each) => !isGood(each)))('%s', async (_, [app, finds]) => {
    expect(await found(await deployed(app))).toEqual(finds)
  })

  it('refuses the client that the doctor was given, although it knows the client', async () => {
    const before = instead('/oauth/authorize', (res) => res.status(400).send('<h1>invalid_scope</h1>'))
    expect(await found(await deployed({ before }), { clientId: 'app' })).toContain('authorize: authorize-refused')
  })

  it('is two processes with different keys', async () => {
    expect(await found(await twoProcesses([newKey()], [newKey()]))).toEqual(['keys: keys-differ'])
  })

  const words: Record<string, [Deployed, string | RegExp]> = {
    'refuses preflights': [
      { before: () => (req, res, next) => (req.method === 'OPTIONS' ? void res.status(405).end() : next()) },
      'is answered with 405. Clients in a browser cannot call it',
    ],
    'answers preflights without CORS': [
      { before: () => (req, res, next) => (req.method === 'OPTIONS' ? void res.status(204).end() : next()) },
      'is answered without Access-Control-Allow-Origin. Clients in a browser cannot call it',
    ],
    'has a page that a cache has kept': [
      {
        before: instead('/oauth/authorize', (res) =>
          res.set({ Age: '7', 'X-Frame-Options': 'DENY' }).send(`${html}<p>invalid_client</p>`),
        ),
      },
      'may be cached (Age: 7), so one customer could get the page of another',
    ],
    'registers at another time': [
      {
        before: instead('/oauth/register', (res) =>
          res.status(201).json({ client_id: 'app', client_id_issued_at: Math.floor(Date.now() / 1000) - 3600 }),
        ),
      },
      /^By client_id_issued_at of the registration, .* (3599|3600|3601) seconds behind the clock of this machine$/,
    ],
    'has the address of staging': [
      { options: () => ({ baseUrl: 'https://staging.example' }) },
      'resource_metadata is https://staging.example/.well-known/oauth-protected-resource/v1/acme/mcp: it is on staging.example',
    ],
    'names no resource': [
      { before: withResource({ resource: 'acme' }) },
      '/.well-known/oauth-protected-resource/v1/acme/mcp has no valid resource',
    ],
    'does not mount the sign-in': [{ mount: () => {} }, 'is answered with 404: the request does not reach the sign-in'],
  }

  it.each(Object.entries(words))('%s, and says so', async (_, [app, says]) => {
    const { steps } = await examine(`${await deployed(app)}/v1/acme/mcp`)
    const text = typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says)
    expect(steps.flatMap(({ findings }) => findings.map((finding) => finding.says))).toContainEqual(text)
  })

  it('does not mount the sign-in, and says where to mount it', async () => {
    const { steps } = await examine(`${await deployed({ mount: () => {} })}/v1/acme/mcp`)
    const [finding] = steps.flatMap(({ findings }) => findings)
    expect(finding?.remedy).toMatch(/^In the app, mount `app\.use\(signIn\)` at the root, before /)
  })
})
