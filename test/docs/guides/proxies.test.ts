import { once } from 'node:events'
import { connect } from 'node:http2'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Customer } from '../../support/customer'
import { describeWithCaddy, describeWithNginx, type FrontPlace, FrontServer } from '../../support/front-server'
import { NewAssistant } from '../../support/new-assistant'
import { testCertificate } from '../../support/tls-certificate'
import { blockUnder, snippetWith, textOf } from '../pages'
import { fetchThrough, ownAddress, ProxiedHost, sharedAddress } from './proxied-host'
import { runCommand } from './run-command'

const page = 'docs/proxies.md'
// Not on the host of the server itself.
const callback = 'https://travel.example/callback'
const companies = [`${sharedAddress}/v1/globex/mcp`, `${ownAddress}/mcp`]

/** The page's configuration of nginx, with a test's addresses. */
function nginxSite(app: number, text = blockUnder('## nginx', page).code) {
  return ({ port, certificate, key }: FrontPlace) =>
    text
      .replace('127.0.0.1:8080', `127.0.0.1:${app}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('/etc/ssl/assistant.example.crt', certificate)
      .replace('/etc/ssl/assistant.example.key', key)
}

/** The page's Caddyfile, with a test's addresses and certificate. */
function caddyfile(app: number) {
  return ({ port, certificate, key }: FrontPlace) => {
    const { code } = blockUnder('## Caddy', page)
    const site = code
      .replace('127.0.0.1:8080', `127.0.0.1:${app}`)
      .replace(
        /^(assistant\.\S+), (\S+) \{$/m,
        `$1:${port}, $2:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
      )
    return `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n${site}`
  }
}

describeWithNginx('behind nginx, as docs/proxies.md says', () => {
  behind((app) => FrontServer.nginx(nginxSite(app)))

  it('serves sign-in below a path, beside another app', async () => {
    const host = await ProxiedHost.start('/auth')
    const [, locations = ''] = /^```nginx\n(location \/auth\/.*?)^```$/ms.exec(textOf(page)) ?? []
    const elsewhere = 'location / { return 200 "another app"; }'
    const whole = blockUnder('## nginx', page).code
    const site = whole.slice(0, whole.indexOf('    # Your login')) + locations + elsewhere
    const front = await FrontServer.nginx(nginxSite(host.port, `${site}location /login { proxy_pass http://app; }\n}`))
    try {
      await connects(front, `${sharedAddress}/auth/v1/globex/mcp`)
    } finally {
      await Promise.all([front.stop(), host.stop()])
    }
  })
})

describeWithCaddy('behind Caddy, as docs/proxies.md says', () => {
  behind((app) => FrontServer.caddy(caddyfile(app)))
})

it('an assistant that gets the HTML page of a proxy asks its customer to sign in again, as docs/proxies.md says', async () => {
  // The SDK says that these tokens name no issuer.
  jest.spyOn(console, 'warn').mockImplementation()
  const assistant = new NewAssistant({ callback, clientId: 'assistant' })
  assistant.saveTokens({ access_token: 'a', token_type: 'Bearer', refresh_token: 'r' })
  const fetchFn = withMetadata(async () => new Response('<h1>502 Bad Gateway</h1>', { status: 502 }))
  expect(await auth(assistant, { serverUrl: companies[0] ?? '', fetchFn })).toBe('REDIRECT')
})

describe('without X-Forwarded-Host, as docs/proxies.md says for AWS', () => {
  it('what a client sends in its place is not read', async () => {
    const host = await ProxiedHost.start()
    const layers = host.app.router.stack.length
    new Function('app', snippetWith("delete req.headers['x-forwarded-host']", [page]).code)(host.app)
    // The snippet stands in front of all other handlers.
    host.app.router.stack.unshift(...host.app.router.stack.splice(layers))
    const headers = { 'x-forwarded-host': 'assistant.acme.com', 'x-forwarded-proto': 'https' }
    const { status } = await fetch(`http://127.0.0.1:${host.port}/mcp`, { method: 'POST', headers })
    await host.stop()
    expect(status).toBe(404)
  })
})

/** The promises of the page, for a proxy in front of an app. */
function behind(startFront: (app: number) => Promise<FrontServer>): void {
  let host: ProxiedHost
  let front: FrontServer
  beforeAll(async () => {
    host = await ProxiedHost.start()
    front = await startFront(host.port)
  })
  afterAll(async () => {
    await front.stop()
    await host.stop()
  })

  it.each(companies)('an assistant connects to %s, calls the API and refreshes', (serverUrl) =>
    connects(front, serverUrl),
  )

  it('an assistant with a long state connects', async () => {
    const assistant = new NewAssistant({ callback, state: 's'.repeat(10_000) })
    await connects(front, companies[0] ?? '', assistant)
  })

  it('what a client says about its address and its host does not count', async () => {
    const lies = {
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-host': 'assistant.example',
      'x-forwarded-proto': 'http',
    }
    const response = await fetchThrough(front.port)(`${ownAddress}/.well-known/oauth-authorization-server`, {
      headers: lies,
    })
    expect(await response.json()).toMatchObject({ issuer: ownAddress })
    expect(host.requests.at(-1)).toMatchObject({ ip: '127.0.0.1', protocol: 'https', hostname: 'assistant.acme.com' })
  })

  it('a stream arrives as it is sent', async () => {
    const tokens = await connects(front, companies[0] ?? '')
    const headers = { authorization: `Bearer ${tokens.access_token}`, accept: 'text/event-stream' }
    const response = await fetchThrough(front.port)(companies[0] ?? '', { headers })
    const decoder = new TextDecoder()
    const received: string[] = []
    for await (const chunk of response.body ?? []) {
      received.push(decoder.decode(chunk))
      // The host sends the second event only now, so a proxy that waited for more would wait for ever.
      if (received.length === 1) host.sendSecondEvent()
    }
    expect(received.join('')).toBe('data: first\n\ndata: second\n\n')
  })

  it('a preflight reaches the app, and is answered once', async () => {
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    const url = `${sharedAddress}/v1/globex/oauth/token`
    const { status, headers } = await fetchThrough(front.port)(url, { method: 'OPTIONS', headers: preflight })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  })

  it('an answer of 404 cannot be cached', async () => {
    const url = `${sharedAddress}/.well-known/oauth-authorization-server/v1/nobody/oauth`
    const response = await fetchThrough(front.port)(url)
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect(await response.json()).toMatchObject({ error: 'not_found' })
  })

  it('HTTP/2 finds each company', async () => {
    for (const address of [`${sharedAddress}/v1/globex/oauth`, ownAddress]) {
      const { origin, pathname } = new URL(address)
      const path = `/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`
      expect(JSON.parse(await overHttp2(front.port, origin, path))).toMatchObject({ issuer: address })
    }
  })

  it('the commands of the page show what they say', async () => {
    const answers = await Promise.all(commandsOf('curl ').map((command) => runCommand(command, front.port)))
    const [refused = '', resource = '', server = '', preflight = '', unknown = ''] = answers
    expect(refused).toMatch(/ 401[\s\S]*www-authenticate: Bearer .*resource_metadata="https:/i)
    expect(JSON.parse(resource)).toMatchObject({ resource: companies[0] })
    expect(JSON.parse(server)).toMatchObject({ issuer: `${sharedAddress}/v1/globex/oauth` })
    expect(preflight).toMatch(/ 204/)
    expect(preflight.match(/access-control-allow-origin/gi)).toHaveLength(1)
    expect(unknown).toMatch(/ 404[\s\S]*cache-control: no-store[\s\S]*"not_found"/i)
  })

  it('the doctor finds nothing wrong', async () => {
    const [command = ''] = commandsOf('npx customer-sign-in doctor')
    expect(await runCommand(command, front.port)).toMatch(/✓[\s\S]+/)
  })

  // The last one: it stops the app.
  it('an assistant that refreshes while the app is down keeps its tokens', async () => {
    const assistant = new NewAssistant({ callback })
    const { refresh_token } = await connects(front, companies[0] ?? '', assistant)
    await host.stop()
    const fetchFn = fetchThrough(front.port)
    const answer = await fetchFn(`${sharedAddress}/v1/globex/oauth/token`, { method: 'POST' })
    expect([
      answer.status,
      answer.headers.get('retry-after'),
      answer.headers.get('access-control-allow-origin'),
    ]).toEqual([...[503, '5', '*']])
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
    const known = withMetadata(fetchFn)
    await expect(auth(assistant, { serverUrl: companies[0] ?? '', fetchFn: known })).rejects.toThrow(/few seconds/)
    expect(assistant.tokens()?.refresh_token).toBe(refresh_token)
  })
}

/** A new assistant connects to an API, calls it and refreshes. @returns Its newest tokens. */
async function connects({ port }: FrontServer, serverUrl: string, assistant = new NewAssistant({ callback })) {
  const fetchFn = fetchThrough(port)
  const refused = await fetchFn(serverUrl, { method: 'POST' })
  expect(refused.status).toBe(401)
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? []
  const resourceMetadataUrl = new URL(metadata)
  expect(resourceMetadataUrl.origin).toBe(new URL(serverUrl).origin)

  expect(await auth(assistant, { serverUrl, resourceMetadataUrl, fetchFn })).toBe('REDIRECT')
  const browser = new Customer(callback, port)
  const { url } = await browser.open(assistant.authorizationUrl.href)
  expect(url.searchParams.get('state')).toBe(assistant.state())
  const authorizationCode = url.searchParams.get('code') ?? ''
  expect(await auth(assistant, { serverUrl, resourceMetadataUrl, authorizationCode, fetchFn })).toBe('AUTHORIZED')
  expect(await auth(assistant, { serverUrl, resourceMetadataUrl, fetchFn })).toBe('AUTHORIZED')

  const { access_token, refresh_token } = assistant.tokens() ?? { access_token: '' }
  const called = await fetchFn(serverUrl, { method: 'POST', headers: { authorization: `Bearer ${access_token}` } })
  expect([called.status, await called.json()]).toEqual([200, 'ada'])
  return { access_token, refresh_token }
}

/** An assistant that still has the metadata from before: everything but the token endpoint is answered for it. */
function withMetadata(fetchFn: ReturnType<typeof fetchThrough>): typeof fetchFn {
  const issuer = `${sharedAddress}/v1/globex/oauth`
  return async (url, init) => {
    if (String(url).includes('oauth-protected-resource'))
      return Response.json({ resource: companies[0], authorization_servers: [issuer] })
    if (String(url).includes('oauth-authorization-server'))
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
      })
    return fetchFn(url, init)
  }
}

/** The commands of the page that begin with these words. Acme has a domain of its own here, so they ask for the other company. */
function commandsOf(words: string): string[] {
  const lines = textOf(page).split('\n')
  return lines.filter((line) => line.startsWith(words)).map((line) => line.replace('/acme/', '/globex/'))
}

async function overHttp2(port: number, origin: string, path: string): Promise<string> {
  const { host } = new URL(origin)
  const session = connect(`https://127.0.0.1:${port}`, { ca: testCertificate().cert, servername: host })
  try {
    const stream = session.request({ ':authority': host, ':path': path })
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(stream, 'end')
    return Buffer.concat(chunks).toString()
  } finally {
    session.destroy()
  }
}
