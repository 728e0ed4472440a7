import { randomBytes } from 'node:crypto'
import { type ClientAuthenticationMethod, MemoryTenantStore, newClientSecret } from 'customer-sign-in'
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
  })

  it('finds nothing at a company with a domain of its own', async () => {
    const ownDomain = (baseUrl: string) => new MemoryTenantStore([{ key: 'acme', id: '1', baseUrl }])
    const origin = await deployed({
      options: (own) => ({ tenantStore: ownDomain(own), baseUrl: 'https://assistant.example' }),
    })
    expect(await found(origin, { address: `${origin}/mcp` })).toEqual([])
  })

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

  it('deletes its registration where a server has a way', async () => {
    const deleted: unknown[] = []
    const origin = await deployed({
      before: (own) => (req, res, next) => {
        if (req.path === '/registration') {
          deleted.push([req.method, req.headers.authorization])
          res.status(204).end()
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
    expect(steps.at(-1)).toMatchObject({ status: 'good', notes: ['The client app has been deleted.'] })
    expect(deleted).toEqual([['DELETE', 'Bearer token-1']])
  })

  it('finds nothing where clients are known by their document alone', async () => {
    const origin = await deployed({ options: () => ({ clients: { registration: false } }) })
    expect(await found(origin)).toEqual([])
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
