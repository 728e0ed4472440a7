import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Http2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type CustomerSignInEvent, MemoryTenantStore } from 'customer-sign-in'
import { responseBegins } from '../../../src/http/node-messages'
import { codeForm, refreshForm, signedInTo, testSignIn } from '../../support/host-app'
import { expectError, expectTokens, formBody, tenants } from '../../support/sign-in'
import type { TestOptions } from '../../support/test-options'
import { http2Client, type WireClient } from '../../support/wire-client'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

interface Host {
  signIn: ReturnType<typeof testSignIn>
  client: WireClient
  origin: string
  events: CustomerSignInEvent[]
  /** The newest request, and what its handler has left in its headers. */
  latest: { req?: Http2ServerRequest; res?: Http2ServerResponse }
}

const running: { server: Http2Server; client: WireClient }[] = []

afterEach(async () => {
  for (const { server, client } of running.splice(0)) {
    await client.close()
    const closed = once(server, 'close')
    server.close()
    await closed
  }
})

/** Sign-in on a server of HTTP/2 without a framework. @param before What happens to a request in front of it. */
async function started(
  options: TestOptions = {},
  before?: (req: Http2ServerRequest) => Promise<unknown>,
): Promise<Host> {
  const events: CustomerSignInEvent[] = []
  const latest: Host['latest'] = {}
  const signIn = testSignIn({ onEvent: (event) => events.push(event), ...options })
  const server = createServer(async (req, res) => {
    Object.assign(latest, { req, res })
    await before?.(req)
    signIn(req, res)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = http2Client(origin)
  running.push({ server, client })
  return { signIn, client, origin, events, latest }
}

/** A hook that says when it begins, and ends when it is told to. */
function pausing() {
  let begin = (): void => {}
  let end = (): void => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const pause = (): Promise<void> => {
    begin()
    return ended
  }
  return { begun, end, pause }
}

function warningsOff(): void {
  beforeAll(() => jest.spyOn(process, 'emitWarning').mockImplementation())
  afterAll(() => jest.restoreAllMocks())
}

describe('over HTTP/2', () => {
  warningsOff()

  it('the public address is the authority of the request, if baseUrl is not set', async () => {
    const { client, origin } = await started()
    const { body } = await client.send({ path: '/.well-known/oauth-authorization-server/v1/acme/oauth' })
    expect(body).toMatchObject({ issuer: `${origin}/v1/acme/oauth` })
  })

  it('a code is exchanged and refreshed by requests without Content-Length', async () => {
    const { signIn, client, latest } = await started()
    await client.send({ path: '/v1/acme/oauth/jwks' })
    const fields = codeForm(await signedInTo(signIn))
    const post = (of: Record<string, string>) =>
      client.send({ method: 'POST', path: '/v1/acme/oauth/token', headers: form, body: formBody(of) })
    const { refresh_token } = expectTokens(await post(fields))
    expectTokens(await post(refreshForm(refresh_token)))
    // The host's next handler finds the headers that the client has sent.
    expect(latest.req?.headers['transfer-encoding']).toBeUndefined()
  })

  it('a body is read with its Content-Length, and in gzip', async () => {
    const { client } = await started()
    const text = formBody(refreshForm('csir_'))
    for (const [body, more] of [
      [text, { 'content-length': String(text.length) }],
      [gzipSync(text), { 'content-encoding': 'gzip' }],
    ] as const) {
      const headers = { ...form, ...more }
      const response = await client.send({ method: 'POST', path: '/v1/acme/oauth/token', headers, body })
      expectError(response, 400, 'invalid_grant')
    }
  })

  it.each([undefined, ''])('a request without a body lacks its parameters: %j', async (body) => {
    const { client, events } = await started()
    const response = await client.send({ method: 'POST', path: '/v1/acme/oauth/token', headers: form, body })
    expect(expectError(response, 400, 'invalid_request')).toBe('client_id is missing')
    expect(events).toMatchObject([{ type: 'denied' }])
  })

  it('a body that is too large is refused, even if its length was not announced', async () => {
    const { client } = await started()
    const body = `a=${'b'.repeat(16 * 1024)}`
    const response = await client.send({ method: 'POST', path: '/v1/acme/oauth/token', headers: form, body })
    expectError(response, 413, 'invalid_request')
  })

  it.each([
    [undefined, 'denied'],
    ['a=b', 'error'],
  ])('a body that something in front has read is no fault of the client: %j is %s', async (body, type) => {
    const read = (req: Http2ServerRequest) => once(req.resume(), 'end')
    const { client, events } = await started({}, read)
    await client.send({ method: 'POST', path: '/v1/acme/oauth/token', headers: form, body })
    expect(events).toMatchObject([{ type }])
  })

  it('a preflight is answered', async () => {
    const { client } = await started()
    expect(await client.send({ method: 'OPTIONS', path: '/v1/acme/oauth/token' })).toMatchObject({
      status: 204,
      text: '',
    })
  })

  it.each(['in the middle of its body', 'before its body is read'])(
    'a client that hangs up %s is not taken for a fault of the host',
    async (when) => {
      const { begun, end, pause } = pausing()
      const tenantStore = new MemoryTenantStore(tenants)
      const isLate = when.startsWith('before')
      const findTenant = async (key: string) => {
        await (isLate && pause())
        return tenantStore.findTenant(key)
      }
      const { client, events, latest } = await started({ tenantStore: { findTenant } })
      await client.hangUp({ method: 'POST', path: '/v1/acme/oauth/token', headers: form, body: 'grant_type=' })
      await (isLate && begun)
      if (latest.req && !latest.req.stream.destroyed) await once(latest.req.stream, 'close')
      end()
      await untilTold(events)
      expect(events).toMatchObject([{ type: 'denied', description: 'The body cannot be read' }])
    },
  )

  it('nothing waits for the response to a browser that has hung up', async () => {
    const { client, latest } = await started()
    const gone = client.hangUp({ method: 'POST', path: '/v1/acme/oauth/token', headers: form, body: 'a' })
    await gone
    while (!latest.res?.stream.destroyed) await new Promise((resolve) => setImmediate(resolve))
    expect(await responseBegins(latest.res as unknown as ServerResponse, 1)).toBe(true)
  })
})

/** Waits for the first event. */
async function untilTold(events: readonly CustomerSignInEvent[]): Promise<void> {
  while (events.length === 0) await new Promise((resolve) => setImmediate(resolve))
}
