import { spawn } from 'node:child_process'
import { once } from 'node:events'
import request from 'supertest'
import { logRequests } from '../../../src/debug/request-log'
import { ApiHost } from '../../support/api-host'
import { Authorization, asTheySay } from '../../support/authorization'
import { Heard } from '../../support/channels'
import { DocumentServer } from '../../support/document-server'
import { faultyStore, rejects } from '../../support/faulty-store'
import { register } from '../../support/registration'
import { clientId, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** What is logged until the end of the test, with the same figure for every time. */
function logged(): { readonly text: string } {
  let text = ''
  ends.push(
    logRequests((lines) => {
      text += lines.replace(/\d+\.\d ms/g, '1.0 ms')
    }),
  )
  return {
    get text() {
      return text
    },
  }
}

describe('the log of requests', () => {
  it('shows the way of a request, and the reason for its end', async () => {
    const host = await started({ replayTolerance: 0 })
    const { refresh_token } = await host.connected()
    const log = logged()
    const heard = Heard.start()
    await host.refresh(refresh_token)
    await host.refresh(refresh_token)
    await heard.of('request', 2)
    expect(log.text).toBe(`\
customer-sign-in POST /v1/acme/oauth/token 200 in 1.0 ms: token, tenant acme, client assistant-app
  tenantStore.findTenant 1.0 ms
  tokenStore.swapCredential 1.0 ms: swapped
  event: refreshed
customer-sign-in POST /v1/acme/oauth/token 400 in 1.0 ms: token, tenant acme, client assistant-app
  tenantStore.findTenant 1.0 ms
  tokenStore.swapCredential 1.0 ms: mismatch
  tokenStore.deleteGrant 1.0 ms
  event: replayed refresh_token, which ended the grant
  invalid_grant: The refresh token has been used already (reason: replayed)
`)
  })

  it('shows what the store of tenants says when it fails, also if that is several errors in one', async () => {
    const errors = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5432`))
    const host = await started({ tenantStore: { findTenant: () => Promise.reject(new AggregateError(errors)) } })
    const log = logged()
    const heard = Heard.start()
    await request(host.url).get('/.well-known/oauth-authorization-server/v1/acme/oauth').expect(503)
    await heard.of('request', 1)
    expect(log.text).toContain('503 in 1.0 ms: metadata, tenant acme\n')
    expect(log.text).toContain(
      'metadata failed (reason: tenant_store_failed): connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432\n',
    )
  })

  it('shows what the store says when it fails', async () => {
    const { store, always } = faultyStore()
    const host = await started({ tokenStore: store })
    const { refresh_token } = await host.connected()
    always('swapCredential', rejects)
    const log = logged()
    const heard = Heard.start()
    await host.refresh(refresh_token)
    await heard.of('request')
    expect(log.text).toContain('  tokenStore.swapCredential 1.0 ms: Error\n')
    expect(log.text).toContain('  token failed (reason: token_store_failed): The store is out of reach\n')
    expect(log.text).toContain(' 503 in 1.0 ms: token')
  })

  it('shows what a client asked for, and a fetch', async () => {
    const server = await DocumentServer.start()
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    const log = logged()
    const heard = Heard.start()
    await new Authorization(host, {
      client_id: server.url(),
      scope: 'admin',
      redirect_uri: 'https://x.example/',
    }).open()
    await heard.of('request')
    expect(log.text).toContain(`  fetch of ${server.url()} 1.0 ms: 200\n`)
    expect(log.text).toMatch(/^ {2}unauthorized_client: .*\(reason: wrong_redirect_uri\) \{ .*x\.example/m)
  })

  it('shows a fetch that failed', async () => {
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    const log = logged()
    const heard = Heard.start()
    await new Authorization(host, { client_id: 'https://10.0.0.1/client.json' }).open()
    await heard.of('request')
    expect(log.text).toContain('  fetch of https://10.0.0.1/client.json 1.0 ms: ForbiddenFetch\n')
  })

  it('shows the requests to the APIs of the host, and tenants that do not exist', async () => {
    const host = (await ApiHost.start()).protect()
    const token = await host.token()
    const log = logged()
    const heard = Heard.start()
    await request(host.baseUrl).get('/v1/acme/mcp?key=hunter2').set('Authorization', `Bearer ${token}`).expect(200)
    await request(host.baseUrl).get('/v1/acme/mcp').expect(401)
    await request(host.baseUrl).get('/v1/nobody/mcp').expect(404)
    await heard.of('guard', 3)
    expect(log.text.split('\n').filter((line) => !line.startsWith('  '))).toEqual([
      'customer-sign-in GET /v1/acme/mcp passed in 1.0 ms: protectedResource, tenant acme, client assistant-app',
      'customer-sign-in GET /v1/acme/mcp 401 in 1.0 ms: protectedResource, tenant acme',
      'customer-sign-in GET /v1/nobody/mcp 404 in 1.0 ms: protectedResource, no tenant nobody',
      '',
    ])
  })

  it('shows verifiers, revocations, and ends when it is told to', async () => {
    const host = await started()
    const { access_token, refresh_token } = await host.connected()
    const log = logged()
    const heard = Heard.start()
    const verifier = host.signIn.verifier({ tenantKey: 'acme', invalidToken: (text) => new Error(text) })
    await verifier.verifyAccessToken(access_token)
    await host.revoke({ token: refresh_token })
    await heard.of('request')
    expect(log.text).toContain('customer-sign-in passed in 1.0 ms: verifier, tenant acme, client assistant-app\n')
    expect(log.text).toContain('  event: revoked (reason: client)\n')
    const before = log.text
    for (const end of ends.splice(0)) end()
    await host.refresh('csir_x')
    await heard.of('request', 2)
    expect(log.text).toBe(before)
  })

  it('lets no stranger write to the terminal, or fill it', async () => {
    const host = await started({ authenticate: asTheySay })
    const log = logged()
    const heard = Heard.start()
    await new Authorization(host, { client_id: `\u001b[2Jbell\u0007\n${'x'.repeat(1000)}` }).open()
    await heard.of('request')
    expect(log.text).not.toMatch(/[^\x20-\x7E\n]/)
    expect(log.text).toContain('client ?[2Jbell??xxx')
    for (const line of log.text.split('\n')) expect(line.length).toBeLessThan(330)
  })

  it('shows no code, token, verifier, cookie or header in any flow', async () => {
    const secrets: string[] = []
    const server = await DocumentServer.start()
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    const log = logged()
    const heard = Heard.start()
    for (const client_id of [clientId, server.url(), (await register(host)).body.client_id]) {
      const authorization = new Authorization(host, { client_id })
      const form = await authorization.form()
      const allowed = authorization.signedIn(await authorization.answer(form).set('Cookie', 'session=hunter2'))
      await host.exchange(allowed, { client_id, code_verifier: 'x'.repeat(50) })
      const tokens = expectTokens(await host.exchange(allowed, { client_id }))
      const again = expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
      await host.refresh(tokens.refresh_token, { client_id })
      await host.refresh(`${again.refresh_token}x`, { client_id })
      await host.refresh(again.refresh_token, { client_id: 'another' }).set('Authorization', 'Bearer hunter2')
      await host.exchange(allowed, { client_id })
      await host.revoke({ token: again.refresh_token, client_id })
      secrets.push(form.token, allowed.code, allowed.codeVerifier, tokens.access_token, tokens.refresh_token)
      secrets.push(again.access_token, again.refresh_token, authorization.query)
    }
    await heard.of('request', 31)
    for (const secret of [...secrets, 'hunter2', 'x'.repeat(50), 'a state']) expect(log.text).not.toContain(secret)
    expect(log.text).not.toMatch(/csi[cr]_|eyJ/)
    expect(log.text.match(/^customer-sign-in/gm)?.length).toBeGreaterThanOrEqual(31)
  })
})

describe('a process with DEBUG=customer-sign-in', () => {
  it('logs its requests to stderr, each once, also where it has made two sign-ins', async () => {
    const code = `
      const { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } = require('customer-sign-in')
      createCustomerSignIn({ tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() })
      require('./examples/quickstart/main.ts')`
    const quickstart = spawn(process.execPath, ['--import', 'tsx', '--eval', code], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, DEBUG: 'express:*,customer-sign-in' },
    })
    const exited = once(quickstart, 'exit')
    let stderr = ''
    for await (const text of quickstart.stderr) {
      stderr += text
      if (stderr.includes('event: refreshed\n')) quickstart.kill()
    }
    // It went well until it was ended here.
    expect(await exited).toEqual([null, 'SIGTERM'])
    expect(stderr).toMatch(/^customer-sign-in POST \/v1\/acme\/oauth\/token 200 in \d+\.\d ms: token, tenant acme/m)
    expect(stderr).not.toMatch(/csi[cr]_[\w-]{20}|eyJ[\w-]{20}|code_verifier/)
    expect(stderr.match(/^ *event: issued$/gm)).toHaveLength(1)
  })
})
