import { MemoryTenantStore, type Tenant } from 'customer-sign-in'
import express from 'express'
import { pathOf } from '../../../scripts/redis-process'
import {
  behindNginx,
  type Deployed,
  everyNameLeadsHere,
  type Front,
  found,
  hostApp,
  listening,
  passOn,
} from '../../support/deployment'
import { describeWith } from '../../support/describe-with'
import { describeWithNginx, nginx } from '../../support/front-server'

interface Case {
  server: Front
  app?: Deployed
  http?: Front
  /** What the doctor finds. */
  finds: string[]
}

const everyStep = ['resource', 'server', 'keys', 'registration', 'token', 'revocation']
const isMcp = '/v1/acme/mcp'

const cases: Record<string, Case> = {
  'drops WWW-Authenticate': {
    server: ({ pass }) => `location / { ${pass} proxy_hide_header WWW-Authenticate; }`,
    finds: ['api: no-challenge'],
  },
  'drops Authorization': {
    server: ({ pass }) => `location / { ${pass} proxy_set_header Authorization ""; }`,
    finds: ['bearer: authorization-dropped', 'token: authorization-dropped'],
  },
  'drops DPoP': {
    server: ({ pass }) => `location / { ${pass} proxy_set_header DPoP ""; }`,
    finds: ['token: proof-dropped'],
  },
  'does not pass /.well-known/ on': {
    server: ({ pass }) => `location /v1/ { ${pass} }`,
    finds: ['resource: not-routed'],
  },
  'passes only one of the two documents on': {
    server: ({ pass }) => `location / { ${pass} } location /.well-known/oauth-authorization-server { return 404; }`,
    finds: ['server: metadata-not-at-root'],
  },
  'removes a prefix from the path': {
    server: ({ pass, upstream }) => `location /app/ { ${pass.replace(`:${upstream};`, `:${upstream}/;`)} }`,
    app: { options: () => ({ baseUrl: undefined }) },
    finds: ['resource: prefix-stripped'],
  },
  'does not pass the host on': {
    server: ({ upstream }) => `location / { proxy_pass http://127.0.0.1:${upstream}; }`,
    app: { options: () => ({ baseUrl: undefined }) },
    finds: ['resource: wrong-host'],
  },
  'is in front of an app that has the address of staging': {
    server: ({ pass }) => `location / { ${pass} }`,
    app: { options: () => ({ baseUrl: 'https://staging.example' }) },
    finds: ['resource: wrong-host'],
  },
  'redirects to the address with a slash at its end': {
    server: ({ pass }) => `location / { ${pass} } location ${isMcp}/ { ${pass} }`,
    finds: ['api: redirect-slash'],
  },
  'redirects to www': {
    server: ({ port }) => `return 301 http://localhost:${port}$request_uri;`,
    finds: ['api: redirect-host'],
  },
  'redirects to https': {
    server: ({ port }) => `return 308 https://127.0.0.1:${port}$request_uri;`,
    finds: ['api: redirect-https'],
  },
  'redirects the metadata': {
    server: ({ pass }) => `location / { ${pass} } location /.well-known/ { return 302 /oauth-metadata.json; }`,
    finds: ['resource: redirected'],
  },
  'has a login page in front of everything': {
    server: () => 'return 302 https://sso.example/login?next=$request_uri;',
    finds: ['api: login-wall'],
  },
  'has a login page in front of the metadata': {
    server: ({ pass }) => `location / { ${pass} } location /.well-known/ { return 302 /sso/login; }`,
    finds: ['resource: login-wall'],
  },
  'asks for a password': {
    server: ({ pass, folder }) =>
      `location / { ${pass} auth_basic "Staging"; auth_basic_user_file ${folder}/nginx.conf; }`,
    finds: ['api: password-asked'],
  },
  'answers OPTIONS itself': {
    server: ({ pass }) => `location / { if ($request_method = OPTIONS) { return 204; } ${pass} }`,
    finds: everyStep.map((step) => `${step}: preflight-refused`),
  },
  'allows too few headers': {
    server: ({ pass }) =>
      `location / { ${pass} } location = /v1/acme/oauth/token { ${pass} if ($request_method = OPTIONS) {
        add_header Access-Control-Allow-Origin *; add_header Access-Control-Allow-Headers content-type; return 204; } }`,
    finds: ['token: preflight-headers'],
  },
  'refuses OPTIONS': {
    server: ({ pass }) => `location / { limit_except GET POST { deny all; } ${pass} }`,
    finds: everyStep.map((step) => `${step}: preflight-refused`),
  },
  'hides the CORS headers': {
    server: ({ pass }) => `location / { ${pass} proxy_hide_header Access-Control-Allow-Origin; }`,
    finds: everyStep.flatMap((step) =>
      step === 'registration' ? [`${step}: preflight-refused`] : [`${step}: preflight-refused`, `${step}: no-cors`],
    ),
  },
  'adds the CORS headers a second time': {
    server: ({ pass }) =>
      `location /.well-known/ { ${pass} add_header Access-Control-Allow-Origin * always; } location / { ${pass} }`,
    finds: ['resource: cors-twice', 'resource: cors-twice', 'server: cors-twice', 'server: cors-twice'],
  },
  'allows one origin alone': {
    server: ({ pass }) => `location /.well-known/oauth-protected-resource/ {
      ${pass} proxy_hide_header Access-Control-Allow-Origin; add_header Access-Control-Allow-Origin https://app.example always;
    } location / { ${pass} }`,
    finds: ['resource: cors-other-origin', 'resource: cors-other-origin'],
  },
  'replaces errors by pages': {
    server: ({ pass }) => `location / { ${pass} proxy_intercept_errors on; error_page 400 401 404 /error.html; }
      location = /error.html { internal; default_type text/html; return 200 "<!doctype html><h1>Error</h1>"; }`,
    finds: ['token: error-page'],
  },
  'replaces the 401 by a 404': {
    server: ({ pass }) => `location / { ${pass} proxy_intercept_errors on; error_page 401 =404 /missing; }
      location = /missing { internal; return 404; }`,
    finds: ['api: api-hidden'],
  },
  'replaces the 401 by a page': {
    server: ({ pass }) => `location / { ${pass} proxy_intercept_errors on; error_page 401 =200 /login.html; }
      location = /login.html { internal; default_type text/html; return 200 "<!doctype html><h1>Log in</h1>"; }`,
    finds: ['api: html-page'],
  },
  'allows only small bodies': {
    server: ({ pass }) => `client_max_body_size 1k; location / { ${pass} }`,
    finds: ['token: body-limit'],
  },
  'allows only small headers': {
    server: ({ pass }) => `large_client_header_buffers 2 1k; location / { ${pass} }`,
    finds: ['bearer: header-limit'],
  },
  'drops the body': {
    server: ({ pass }) =>
      `location / { ${pass} } location /v1/acme/oauth/ { ${pass} proxy_pass_request_body off; proxy_set_header Content-Length ""; }`,
    finds: ['registration: body-lost'],
  },
  'drops the body of token requests': {
    server: ({ pass }) =>
      `location / { ${pass} } location = /v1/acme/oauth/token { ${pass} proxy_pass_request_body off; proxy_set_header Content-Length ""; }`,
    finds: ['token: body-lost'],
  },
  'gives the path of the API to a website': {
    server: ({ pass }) =>
      `location / { ${pass} } location /v1/acme/mcp { default_type text/html; return 200 "<!doctype html><div id=root></div>"; }`,
    finds: ['api: html-page'],
  },
  'gives the path of the metadata to a website': {
    server: ({ pass }) =>
      `location /v1/ { ${pass} } location / { default_type text/html; return 200 "<!doctype html><div id=root></div>"; }`,
    finds: ['resource: html-page'],
  },
  'gives the path of the authorize page to a website': {
    server: ({ pass }) =>
      `location / { ${pass} } location = /v1/acme/oauth/authorize { default_type text/html; return 200 "<!doctype html><div id=root></div>"; }`,
    finds: ['authorize: authorize-taken'],
  },
  'has a login page in front of the authorize page': {
    server: ({ pass }) => `location / { ${pass} } location = /v1/acme/oauth/authorize { return 302 /login; }`,
    finds: ['authorize: authorize-unchecked'],
  },
  'has a bot protection': {
    server:
      () => `default_type text/html; error_page 403 /wall; location = /wall { internal; add_header cf-mitigated challenge always;
      return 403 "<!doctype html><title>Just a moment...</title>"; } location / { deny all; }`,
    finds: ['api: bot-wall'],
  },
  'has a bot protection in front of the metadata': {
    server: ({ pass }) =>
      `location / { ${pass} } location /.well-known/ { default_type text/html; return 200 "<!doctype html><p>Complete the CAPTCHA"; }`,
    finds: ['resource: bot-wall'],
  },
  'forbids the API to strangers': {
    server: ({ pass }) => `location / { ${pass} } location ${isMcp} { deny all; }`,
    finds: ['api: api-forbidden'],
  },
  'has no app behind it': {
    server: () => 'location / { proxy_pass http://127.0.0.1:1; }',
    finds: ['api: no-upstream'],
  },
  'closes the connection': {
    server: () => 'return 444;',
    finds: ['api: closed'],
  },
  'limits the rate': {
    http: () => 'limit_req_zone $binary_remote_addr zone=few:1m rate=1r/m;',
    server: ({ pass }) => `limit_req zone=few; limit_req_status 429; location / { ${pass} }`,
    finds: ['api: rate-limited'],
  },
  'lets everything be cached': {
    server: ({ pass }) => `expires 30d; location / { ${pass} }`,
    finds: ['resource: cached-long', 'server: cached-long', 'keys: cached-long', 'authorize: authorize-cached'],
  },
  'removes Cache-Control from tokens': {
    server: ({ pass }) => `location / { ${pass} proxy_hide_header Cache-Control; }`,
    finds: ['token: token-cached'],
  },
  'cuts the window from its opener': {
    server: ({ pass }) =>
      `location / { ${pass} proxy_hide_header Cross-Origin-Opener-Policy; add_header Cross-Origin-Opener-Policy same-origin always; }`,
    finds: ['authorize: opener-cut'],
  },
  'refuses HEAD': {
    server: ({ pass }) => `location / { if ($request_method = HEAD) { return 405; } ${pass} }`,
    finds: ['resource: head-refused', 'server: head-refused', 'keys: head-refused'],
  },
}

afterEach(() => jest.restoreAllMocks())

describeWithNginx('the doctor finds what is wrong with an nginx that', () => {
  it.each(Object.entries(cases))('%s', async (_, { server, app, http, finds }) => {
    const origin = await behindNginx(server, app, { http })
    const address = finds.includes('resource: prefix-stripped') ? `${origin}/app${isMcp}` : origin + isMcp
    expect(await found(origin, { address })).toEqual(finds)
  })

  it('keeps a 404 of the time before the company was there', async () => {
    const companies: Tenant[] = []
    const caches: Front = ({ pass }) =>
      `location / { ${pass} } location /.well-known/ { ${pass} proxy_cache cache; proxy_ignore_headers Cache-Control; proxy_cache_valid any 1h; }`
    const options = () => ({ tenantStore: { findTenant: () => companies[0] } })
    const origin = await behindNginx(caches, { options })
    await fetch(`${origin}/.well-known/oauth-protected-resource${isMcp}`)
    companies.push({ key: 'acme', id: '1' })
    expect(await found(origin)).toEqual(['resource: cached-404'])
  })

  it('caches metadata without the host', async () => {
    const caches: Front = ({ pass }) =>
      `location / { ${pass} } location /.well-known/ { ${pass} proxy_cache cache; proxy_cache_key $request_uri; }`
    const options = (origin: string) => ({
      baseUrl: 'https://assistant.example',
      tenantStore: new MemoryTenantStore([
        { key: 'acme', id: '1', baseUrl: origin },
        { key: 'globex', id: '2', baseUrl: origin.replace('127.0.0.1', 'localhost') },
      ]),
    })
    const origin = await behindNginx(caches, { options })
    for (const name of ['oauth-protected-resource/mcp', 'oauth-authorization-server'])
      await fetch(`${origin.replace('127.0.0.1', 'localhost')}/.well-known/${name}`)
    expect(await found(origin, { address: `${origin}/mcp` })).toEqual([
      'resource: cached-other',
      'server: cached-other',
    ])
  })

  it('sends requests to processes with different addresses', async () => {
    const other = await listening()
    const front: Front = ({ pass }) =>
      `location / { ${pass} } location /.well-known/oauth-authorization-server/ { ${passOn(other.port)} }`
    other.answer(hostApp('https://other.example'))
    expect(await found(await behindNginx(front))).toEqual(['server: issuer-differs'])
  })

  it('sends registrations to another server', async () => {
    const other = await listening()
    const front: Front = ({ pass }) =>
      `location / { ${pass} } location = /v1/acme/oauth/register { ${passOn(other.port)} }`
    const registered = { client_id: 'of-another-server', redirect_uris: ['http://127.0.0.1/callback'] }
    other.answer((_req, res) => {
      const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Content-Type' }
      const headers = { ...cors, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
      res.writeHead(201, headers).end(JSON.stringify(registered))
    })
    expect(await found(await behindNginx(front))).toEqual(['authorize: client-not-shared', 'token: client-not-shared'])
  })

  it('serves http to the internet', async () => {
    everyNameLeadsHere()
    const front: Front = ({ pass }) => `location / { ${pass} }`
    const origin = await behindNginx(front, { options: () => ({ baseUrl: undefined }) })
    const address = `${origin.replace('127.0.0.1', 'assistant.example')}${isMcp}`
    expect(await found(origin, { address })).toEqual(['api: not-https'])
  })

  it('gives the whole host to another app', async () => {
    const other = await listening()
    other.answer(express())
    expect(await found(await behindNginx(() => `location / { ${passOn(other.port)} }`))).toEqual(['api: api-not-found'])
  })
})

describeWith('nginx and faketime', nginx && pathOf('faketime'))('the doctor', () => {
  it.each([300, -300])('finds an nginx whose clock is %d seconds off', async (clock) => {
    expect(await found(await behindNginx(({ pass }) => `location / { ${pass} }`, {}, { clock }))).toEqual([
      'clock: clock-off',
    ])
  })
})
