import { randomBytes } from 'node:crypto'
import { discoverAuthorizationServerMetadata as discover2 } from '@modelcontextprotocol/client'
import { discoverAuthorizationServerMetadata as discover1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { newClientSecret, type TenantStore } from 'customer-sign-in'
import { tableUnder } from '../../docs/pages'
import { Customer } from '../../support/customer'
import { describeWith } from '../../support/describe-with'
import { AcmeHost } from './acme-host'
import { ClientApp, type ClientCode, installed } from './client-app'
import { codeOf, routeOfThePage, tenantStoreOfThePage } from './page'

const page = 'docs/other-clients.md'
const refreshing = codeOf('Libraries that do not refresh')
const js = (heading: string, more: Partial<ClientCode> = {}): [string, ClientCode] => {
  return [heading, { language: 'js', code: codeOf(heading), ...more }]
}
const withNpm = describeWith('test/field/other-clients/node_modules', installed.npm)

let host: AcmeHost
let app: ClientApp | undefined
beforeAll(async () => {
  host = await AcmeHost.start(await tenantStoreOfThePage())
})
afterEach(async () => {
  await app?.stop()
  app = undefined
  host.events.length = 0
})
afterAll(() => host.stop())

const ada = { subject: 'ada', clientId: 'web-app' }

withNpm('the JavaScript clients of docs/other-clients.md', () => {
  it.each([
    js('openid-client 6'),
    openidClient5(),
    js('@fastify/oauth2'),
    js('passport-oauth2', { refreshing }),
    js('simple-oauth2'),
  ])('%s signs a customer in, calls the API, and refreshes', async (_, client) => signsInAndRefreshes(client))

  it('Auth.js signs a customer in, reads the profile from the API, and keeps tokens to refresh with', async () => {
    const [, client] = js('Auth.js', { refreshing })
    await signsInByAuthJs(client)
  })
})

describeWith('python3-authlib or python3-requests-oauthlib', installed.python)(
  'the Python clients of docs/other-clients.md',
  () => {
    it.each(['requests-oauthlib', 'Authlib'])(
      '%s signs a customer in, calls the API, and refreshes',
      async (heading) => {
        const code = codeOf(heading)
        await signsInAndRefreshes({ language: 'python', code })
      },
    )
  },
)

describeWith('golang-go or golang-golang-x-oauth2-dev', installed.go)('the Go client of docs/other-clients.md', () => {
  it('golang.org/x/oauth2 signs a customer in, calls the API, and refreshes', async () => {
    const code = codeOf('golang.org/x/oauth2')
    await signsInAndRefreshes({ language: 'go', code })
  })
})

describe('a client with a secret, changed as the page says', () => {
  const { secret, hash } = newClientSecret()
  const rows = tableUnder('## With a secret', page)
  const cellText = (cell = '') => /^`(.*)`$/.exec(cell)?.[1] ?? cell
  const changed = (heading: string, code: string): string =>
    rows
      .filter(([library]) => library === heading)
      .reduce((before, [, insteadOf, write]) => {
        expect(before).toContain(cellText(insteadOf))
        return before.replace(cellText(insteadOf), cellText(write))
      }, code)
  const withSecret = (heading: string, { language, code, refreshing: refreshes }: ClientCode): ClientCode => {
    const line = `const secret = "${secret}"`.slice(language === 'python' ? 'const '.length : 0)
    const complete = (text: string) => (language === 'go' ? `${text}\n${line}\n` : `${line}\n${text}`)
    return {
      language,
      code: complete(changed(heading, code)),
      ...(refreshes && { refreshing: complete(changed('Libraries that do not refresh', refreshes)) }),
    }
  }

  let strict: AcmeHost
  beforeAll(async () => {
    const tenantStore = await tenantStoreOfThePage()
    const withHash: TenantStore = {
      async findTenant(tenantKey) {
        const tenant = await tenantStore.findTenant(tenantKey)
        const clients = tenant?.clients?.map((client) => ({ ...client, secretHashes: [hash] }))
        return tenant && { ...tenant, clients }
      },
    }
    strict = await AcmeHost.start(withHash, {
      clients: { authentication: ['client_secret_basic', 'client_secret_post'] },
      keys: { credentialSecrets: [randomBytes(32)] },
    })
  })
  afterEach(() => {
    strict.events.length = 0
  })
  afterAll(() => strict.stop())

  withNpm('in JavaScript', () => {
    it.each([
      js('openid-client 6'),
      openidClient5(),
      js('@fastify/oauth2'),
      js('passport-oauth2', { refreshing }),
      js('simple-oauth2'),
    ])('%s signs a customer in, calls the API, and refreshes', async (heading, client) => {
      await signsInAndRefreshes(withSecret(heading, client), strict)
    })

    it('Auth.js signs a customer in', async () => {
      const [heading, client] = js('Auth.js', { refreshing })
      await signsInByAuthJs(withSecret(heading, client), strict)
    })

    it('openid-client 6 is refused without it', async () => {
      const [, client] = js('openid-client 6')
      app = await ClientApp.start(client, strict.origin)
      await new Customer().open(`${app.origin}/login`)
      expect(strict.events).toContainEqual(expect.objectContaining({ type: 'denied', reason: 'not_authenticated' }))
    })
  })

  describeWith('python3-authlib or python3-requests-oauthlib', installed.python)('in Python', () => {
    it.each(['requests-oauthlib', 'Authlib'])(
      '%s signs a customer in, calls the API, and refreshes',
      async (heading) => {
        const code = codeOf(heading)
        await signsInAndRefreshes(withSecret(heading, { language: 'python', code }), strict)
      },
    )
  })

  describeWith('golang-go or golang-golang-x-oauth2-dev', installed.go)('in Go', () => {
    it('golang.org/x/oauth2 signs a customer in, calls the API, and refreshes', async () => {
      const heading = 'golang.org/x/oauth2'
      const code = codeOf(heading)
      await signsInAndRefreshes(withSecret(heading, { language: 'go', code }), strict)
    })
  })
})

withNpm('a client that asks for openid', () => {
  const asking = (scope: string): ClientCode => {
    const [, client] = js('openid-client 6')
    return { ...client, code: client.code.replace(`scope: 'profile'`, `scope: '${scope}'`) }
  }

  it.each(['openid profile', 'openid'])('is connected without it: %s', async (scope) => {
    await signsInAndRefreshes(asking(scope))
  })
})

withNpm('metadata at the address of OpenID discovery', () => {
  const metadata = 'https://your.host/.well-known/oauth-authorization-server/v1/acme/oauth'
  const issuer = 'https://your.host/v1/acme/oauth'
  const fromIssuer = ([name, client]: [string, ClientCode]): [string, ClientCode] => [
    name,
    { ...client, code: client.code.replace(metadata, issuer).replace(", { algorithm: 'oauth2' }", '') },
  ]
  const discovering = [js('openid-client 6'), openidClient5(), js('@fastify/oauth2')].map(fromIssuer)

  it.each(discovering)('is not served, so %s fails when it starts', async (_, client) => {
    await expect(ClientApp.start(client, host.origin)).rejects.toThrow('The app ended with 1')
  })

  describe('served by the host, as the page shows', () => {
    let served: AcmeHost
    beforeAll(async () => {
      served = await AcmeHost.start(await tenantStoreOfThePage(), { before: await routeOfThePage() })
    })
    afterEach(() => {
      served.events.length = 0
    })
    afterAll(() => served.stop())

    it.each(discovering)('is enough for %s', async (_, client) => {
      await signsInAndRefreshes(client, served)
    })

    it('lets an OpenID client fail only after the customer has agreed', async () => {
      const [, client] = fromIssuer(openidClient5())
      const code = client.code.replace('client.oauthCallback', 'client.callback')
      app = await ClientApp.start({ ...client, code }, served.origin)
      const { text } = await new Customer().open(`${app.origin}/login`)
      expect(text).toContain('id_token not present')
      expect(served.count('issued')).toBe(1)
    })

    it.each([
      ['1', discover1],
      ['2', discover2],
    ])('is refused by the MCP SDK %s, which finds the metadata of OAuth first', async (_, discover) => {
      const asked: string[] = []
      const fetchFrom = (failing: boolean) => async (address: string | URL) => {
        asked.push(new URL(address).pathname)
        const [document] = new URL(address).pathname.match(/oauth-authorization-server|v1.*openid-configuration/) ?? []
        if (document === undefined || (failing && document.startsWith('oauth')))
          return new Response(null, { status: 404 })
        return new Response((await new Customer().open(String(address))).text)
      }
      const found = await discover(`${served.origin}/v1/acme/oauth`, { fetchFn: fetchFrom(false) })
      expect(found).toHaveProperty('issuer', `${served.origin}/v1/acme/oauth`)
      expect(asked.splice(0)).toEqual(['/.well-known/oauth-authorization-server/v1/acme/oauth'])
      const failing = discover(`${served.origin}/v1/acme/oauth`, { fetchFn: fetchFrom(true) })
      await expect(failing).rejects.toThrow('id_token_signing_alg_values_supported')
      expect(asked.at(-1)).toBe('/v1/acme/oauth/.well-known/openid-configuration')
    })
  })
})

async function signsInAndRefreshes(client: ClientCode, at = host): Promise<void> {
  app = await ClientApp.start(client, at.origin)
  const visitor = new Customer()
  const { url, text } = await visitor.open(`${app.origin}/login`)
  expect({ path: url.pathname, text }).toEqual({ path: '/callback', text: expect.stringMatching(/^{"/) })
  expect(JSON.parse(text)).toEqual(ada)
  await refreshes(visitor, app, at)
}

async function signsInByAuthJs(client: ClientCode, at = host): Promise<void> {
  app = await ClientApp.start(client, at.origin)
  const visitor = new Customer()
  const { csrfToken } = JSON.parse((await visitor.open(`${app.origin}/auth/csrf`)).text)
  const { url } = await visitor.open(`${app.origin}/auth/signin/acme`, { csrfToken })
  expect(url.href).toBe(`${app.origin}/`)
  const session = JSON.parse((await visitor.open(`${app.origin}/auth/session`)).text)
  expect(session).toMatchObject({ user: { name: 'ada' } })
  await refreshes(visitor, app, at)
}

async function refreshes(visitor: Customer, { origin }: ClientApp, at = host): Promise<void> {
  for (const time of [1, 2]) {
    const { text } = await visitor.open(`${origin}/refresh`)
    expect(text).toMatch(/^{"/)
    expect(JSON.parse(text)).toEqual(ada)
    expect(at.count('refreshed')).toBe(time)
  }
  expect(at.events.filter(({ type }) => type === 'denied' || type === 'error')).toEqual([])
}

/** The page imports it by its own name. Here two versions are installed. */
function openidClient5(): [string, ClientCode] {
  const [heading, client] = js('openid-client 5')
  return [heading, { ...client, code: client.code.replace(`'openid-client'`, `'openid-client-5'`) }]
}
