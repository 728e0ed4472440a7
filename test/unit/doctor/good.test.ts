import { randomBytes } from 'node:crypto'
import { type ClientAuthenticationMethod, MemoryTenantStore, newClientSecret } from 'customer-sign-in'
import { json, type RequestHandler } from 'express'
import { examine } from '../../../src/doctor/examine'
import { answerMcp, behindNginx, deployed, everyNameLeadsHere, findingsOf, found } from '../../support/deployment'
import { describeWithNginx } from '../../support/front-server'

afterEach(() => jest.restoreAllMocks())

describe('the doctor, at a good deployment', () => {
  it('finds nothing, and skips nothing', async () => {
    const { good, steps } = await examine(`${await deployed()}/v1/acme/mcp`)
    expect(good).toBe(true)
    expect(steps.map(({ step, status }) => `${step} ${status}`)).toEqual([
      'api good',
      'bearer good',
      'resource good',
      'server good',
      'keys good',
      'registration good',
      'authorize good',
      'document good',
      'token good',
      'revocation good',
      'clock good',
      'leave good',
    ])
    expect(steps.flatMap(({ step, notes }) => (notes.length > 0 ? step : []))).toEqual([
      'bearer',
      'registration',
      'document',
      'leave',
    ])
  })

  it('sends what an assistant sends, and what a client in a browser does', async () => {
    const asked: string[] = []
    const registered: object[] = []
    const before = (): RequestHandler => (req, res, next) => {
      const { accept, authorization = '', dpop, origin, ...headers } = req.headers
      const preflight = headers['access-control-request-headers']
      const wanted = preflight ? `for ${headers['access-control-request-method']} with ${preflight}` : accept
      const [scheme, value = ''] = authorization.split(' ')
      const user =
        scheme === 'Basic'
          ? Buffer.from(value, 'base64')
              .toString()
              .replace(/^dcr_[\w-]+/, '…')
          : ''
      const shown = [req.method, req.path, 'doctor' in req.query && '?doctor', wanted, scheme, user, dpop && 'DPoP']
      asked.push([...shown, origin && `from ${origin}`].filter(Boolean).join(' '))
      json()(req, res, (error) => {
        if (req.method === 'POST' && req.path.endsWith('/register')) registered.push(req.body)
        next(error)
      })
    }
    await examine(`${await deployed({ before })}/v1/acme/mcp`)
    const [mcp, oauth, wellKnown] = ['/v1/acme/mcp', '/v1/acme/oauth', '/.well-known/oauth-']
    const [api, jsonAlone, page] = [
      'application/json, text/event-stream',
      'application/json',
      'text/html,application/xhtml+xml',
    ]
    const from = 'from https://browser-client.example'
    const readDocument = (path: string) => [
      `GET ${path} ${jsonAlone}`,
      `HEAD ${path} ${jsonAlone}`,
      `OPTIONS ${path} for GET with mcp-protocol-version ${from}`,
      `GET ${path} ${jsonAlone} ${from}`,
    ]
    const inBrowser = (path: string) => [
      `OPTIONS ${path} for POST with authorization ${from}`,
      `POST ${path} ${jsonAlone} ${from}`,
    ]
    expect(asked).toEqual([
      `POST ${mcp} ${api}`,
      `GET ${mcp} ${api}`,
      `POST ${mcp} ${api} Bearer`,
      `OPTIONS ${mcp} for POST with authorization,content-type,mcp-method,mcp-name,mcp-protocol-version ${from}`,
      `POST ${mcp} ${api} ${from}`,
      ...readDocument(`${wellKnown}protected-resource${mcp}`),
      ...readDocument(`${wellKnown}authorization-server${oauth}`),
      ...readDocument(`${oauth}/jwks`),
      ...Array(3).fill(`GET ${oauth}/jwks ?doctor ${jsonAlone}`),
      `POST ${oauth}/register ${jsonAlone}`,
      `OPTIONS ${oauth}/register for POST with content-type ${from}`,
      `GET ${oauth}/authorize ${page}`,
      `GET /login ${page}`,
      `GET ${oauth}/authorize ${page}`,
      `GET ${oauth}/authorize ${page}`,
      `POST ${oauth}/token ${jsonAlone}`,
      `POST ${oauth}/token ${jsonAlone} Basic …:`,
      ...Array(2).fill(`POST ${oauth}/token ${jsonAlone} DPoP`),
      ...inBrowser(`${oauth}/token`),
      `POST ${oauth}/revoke ${jsonAlone}`,
      ...inBrowser(`${oauth}/revoke`),
    ])
    expect(registered).toEqual([
      {
        client_name: 'customer-sign-in doctor',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ])
  })

  it.each([
    [{}, 'does not refuse'],
    [{ allowedOrigins: [] }, 'refuses'],
  ])(
    'finds nothing wrong with the origins that may call the API, and says what it does with another: %j',
    async (more, does) => {
      const path = '/v1/:tenantKey/mcp'
      const origin = await deployed({
        api: (app, signIn) => app.all(path, signIn.protectedResource({ path, ...more }), answerMcp),
      })
      const report = await examine(`${origin}/v1/acme/mcp`)
      expect(findingsOf(report)).toEqual([])
      expect(report.steps.find(({ step }) => step === 'bearer')?.notes[0]).toMatch(
        `The API ${does} the origin https://browser-client.example.`,
      )
    },
  )

  it('finds nothing at a company with a domain of its own', async () => {
    const ownDomain = (baseUrl: string) => new MemoryTenantStore([{ key: 'acme', id: '1', baseUrl }])
    const origin = await deployed({
      options: (own) => ({ tenantStore: ownDomain(own), baseUrl: 'https://assistant.example' }),
    })
    expect(await found(origin, { address: `${origin}/mcp` })).toEqual([])
  })

  it.each([true, false])(
    'says whether clients that know only the domain find the token endpoint: %s',
    async (rootEndpoints) => {
      const origin = await deployed({
        options: (own) => ({
          tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1', baseUrl: own }]),
          baseUrl: 'https://assistant.example',
          clients: { rootEndpoints },
        }),
      })
      const { steps } = await examine(`${origin}/mcp`)
      const notes = steps.flatMap((step) => step.notes)
      const note = `Clients that know only the domain find the token endpoint too: ${origin}/token`
      expect(notes.includes(note)).toBe(rootEndpoints)
    },
  )

  it('finds nothing at a company whose domain is tried on one’s own machine', async () => {
    everyNameLeadsHere()
    const nameOf = (own: string) => own.replace('127.0.0.1', 'acme.localhost')
    const origin = await deployed({
      options: (own) => ({ tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1', baseUrl: nameOf(own) }]) }),
    })
    expect(await found(origin, { address: `${nameOf(origin)}/mcp` })).toEqual([])
  })

  it('finds nothing at an API that is not MCP, and warns that it has no POST', async () => {
    const path = '/v1/:tenantKey/bookings'
    const origin = await deployed({
      api: (app, signIn) => app.get(path, signIn.protectedResource({ path }), answerMcp),
    })
    const report = await examine(`${origin}/v1/acme/bookings`)
    expect(findingsOf(report)).toEqual(['api: post-before-token'])
    expect(report.good).toBe(true)
  })

  it('finds nothing at a company that knows its clients, given the id of one', async () => {
    const redirectUris = ['http://127.0.0.1/callback']
    const tenants = [{ key: 'acme', id: '1', registration: false, clients: [{ clientId: 'app', redirectUris }] }]
    const origin = await deployed({ options: () => ({ tenantStore: new MemoryTenantStore(tenants) }) })
    expect(await found(origin)).toEqual(['server: no-way-in'])
    const report = await examine(`${origin}/v1/acme/mcp`, { clientId: 'app' })
    expect(findingsOf(report)).toEqual([])
    expect(await found(origin, { clientId: 'other' })).toEqual(['authorize: client-unknown', 'token: client-unknown'])
  })

  it('skips what it cannot do if the client has a secret', async () => {
    const redirectUris = ['http://127.0.0.1/callback']
    const tenants = [
      { key: 'acme', id: '1', clients: [{ clientId: 'app', redirectUris, secretHashes: [newClientSecret().hash] }] },
    ]
    const origin = await deployed({
      options: () => ({
        tenantStore: new MemoryTenantStore(tenants),
        clients: { authentication: ['none', 'client_secret_basic'] },
        keys: { credentialSecrets: [randomBytes(32)] },
      }),
    })
    const { good, steps } = await examine(`${origin}/v1/acme/mcp`, { clientId: 'app' })
    expect(good).toBe(true)
    expect(steps.flatMap(({ step, status }) => (status === 'skipped' ? step : []))).toEqual([
      'token',
      'revocation',
      'leave',
    ])
  })

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'says what ends the clients that have registered for a secret: %s',
    async (method) => {
      const toldWith = async (...authentication: ClientAuthenticationMethod[]) => {
        const origin = await deployed({
          options: () => ({ clients: { authentication }, keys: { credentialSecrets: [randomBytes(32)] } }),
        })
        const { steps } = await examine(`${origin}/v1/acme/mcp`)
        return steps.flatMap(({ notes }) => notes.filter((note) => note.includes('credentialSecrets')))
      }
      expect(await toldWith('none')).toEqual([])
      expect(await toldWith('none', method)).toEqual([expect.stringContaining('if you drop one of these')])
    },
  )

  it.each([
    [204, 'The client app has been deleted.'],
    [403, 'The client app stays: the server answers DELETE with 403.'],
  ])('deletes its registration where a server has a way, and says what became of it: %d', async (status, note) => {
    const deleted: unknown[] = []
    const origin = await deployed({
      before: (own) => (req, res, next) => {
        if (req.path === '/registration') {
          deleted.push([req.method, req.headers.authorization])
          res.status(status).end()
        } else if (req.method === 'POST' && req.path.endsWith('/register')) {
          const management = { registration_client_uri: `${own}/registration`, registration_access_token: 'token-1' }
          res.status(201).json({ client_id: 'app', ...management })
        } else next()
      },
      options: () => ({
        tenantStore: new MemoryTenantStore([
          { key: 'acme', id: '1', clients: [{ clientId: 'app', redirectUris: ['http://127.0.0.1/callback'] }] },
        ]),
      }),
    })
    const { steps } = await examine(`${origin}/v1/acme/mcp`)
    expect(steps.at(-1)).toMatchObject({ status: 'good', notes: [note] })
    expect(deleted).toEqual([['DELETE', 'Bearer token-1']])
  })

  it('finds nothing where clients are known by their document alone, and signs in as none', async () => {
    const origin = await deployed({ options: () => ({ clients: { registration: false } }) })
    const open = jest.fn()
    const window = { redirectUri: 'http://127.0.0.1/callback', minutes: 5, open }
    const report = await examine(`${origin}/v1/acme/mcp`, { window })
    expect(findingsOf(report)).toEqual([])
    expect(report.steps.find(({ step }) => step === 'sign-in')).toMatchObject({
      status: 'skipped',
      notes: ['Skipped: Nobody signs in as an assistant here: give a --client-id.'],
    })
    expect(open).not.toHaveBeenCalled()
  })
})

describeWithNginx('the doctor, at a good deployment behind nginx', () => {
  it('finds nothing', async () => {
    expect(await found(await behindNginx(({ pass }) => `location / { ${pass} }`))).toEqual([])
  })

  it('finds nothing if the app has the address from the proxy', async () => {
    const front = ({ pass }: { pass: string }) => `location / { ${pass} }`
    expect(await found(await behindNginx(front, { options: () => ({ baseUrl: undefined }) }))).toEqual([])
  })

  it('finds nothing if metadata is cached by host and path', async () => {
    const front = ({ pass }: { pass: string }) =>
      `location / { ${pass} } location /.well-known/ { ${pass} proxy_cache cache; proxy_cache_key $scheme$http_host$request_uri; }`
    const origin = await behindNginx(front)
    expect([await found(origin), await found(origin)]).toEqual([[], []])
  })
})
