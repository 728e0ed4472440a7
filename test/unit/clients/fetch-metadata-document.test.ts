import { setImmediate } from 'node:timers/promises'
import { type CustomerSignInOptions, type FetchMetadataDocumentHook, OAuthError } from 'customer-sign-in'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { assertionOf, clientKey, withAssertion } from '../../support/confidential-clients'
import { DocumentServer, publishing } from '../../support/document-server'
import { expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const url = 'https://assistant.example/oauth/client.json'
const document = { client_id: url, client_name: 'Assistant', redirect_uris: [redirectUri] }
const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' }, ...init })

const startedWith = (hook: FetchMetadataDocumentHook, options: Partial<CustomerSignInOptions> = {}) =>
  started({ authenticate: asTheySay, clients: { fetch: hook } }, options)

/** The customer's page, and why the operator is told that there is none. */
async function refusedWith(hook: FetchMetadataDocumentHook, status = 400, client_id = url) {
  const host = await startedWith(hook)
  const page = expectErrorPage(await new Authorization(host, { client_id }).open(), status)
  const [denied] = await host.told('denied')
  expect(denied).toMatchObject({ where: 'authorize', detail: { clientId: client_id } })
  return { page, reason: String(denied?.detail.reason) }
}

afterEach(releaseClock)

describe('a host’s own fetch of metadata documents', () => {
  it('gets the address and a signal, and its response is read like any other', async () => {
    const calls: [string, AbortSignal][] = []
    const host = await startedWith(async (...call) => {
      calls.push(call)
      return json(document)
    })
    const signedIn = await new Authorization(host, { client_id: url }).allowed()
    expectTokens(await host.exchange(signedIn, { client_id: url }))
    expect(calls).toEqual([[url, expect.any(AbortSignal)]])
  })

  it('works with fetch, and is then the only one that connects', async () => {
    const server = await DocumentServer.start((self) => publishing(self, { client_id: url }))
    const host = await startedWith((_, signal) => fetch(server.url(), { signal, redirect: 'manual' }))
    await new Authorization(host, { client_id: url }).open().expect(200)
    expect(server.requests).toHaveLength(1)
  })

  it('is called once for all who wait, and again only when the document is no longer fresh', async () => {
    let calls = 0
    const host = await startedWith(async () => {
      calls++
      return json(document, { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=120' } })
    })
    const open = () => new Authorization(host, { client_id: url }).open().expect(200)
    const clock = stopClock()
    await Promise.all([open(), open(), open()])
    clock.advance(119)
    await open()
    expect(calls).toBe(1)
    clock.advance(1)
    await open()
    expect(calls).toBe(2)
  })

  it.each<[what: string, respond: () => Response, reason: RegExp]>([
    ['another status', () => json(document, { status: 404 }), /status is 404/],
    ['another type', () => new Response(JSON.stringify(document)), /Content-Type of the document/],
    ['a body that is too large', () => json({ ...document, x: 'x'.repeat(65_536) }), /larger than 65536 bytes/],
    ['no body', () => new Response(null, { headers: { 'Content-Type': 'application/json' } }), /must be JSON/],
    ['another client’s document', () => json({ ...document, client_id: `${url}?2` }), /does not match/],
    [
      'a response after a redirect',
      () => Object.defineProperty(json(document), 'redirected', { value: true }),
      /followed a redirect/,
    ],
  ])('cannot make this server take %s', async (_, respond, reason) => {
    expect((await refusedWith(async () => respond())).reason).toMatch(reason)
  })

  it('is not asked for a port that the host does not allow', async () => {
    const hook = jest.fn(async () => json(document))
    const { reason } = await refusedWith(hook, 400, 'https://assistant.example:8443/client.json')
    expect(reason).toBe('Port 8443 is not one of 443')
    expect(hook).not.toHaveBeenCalled()
  })

  it('may be asked for any port of this machine in development, and for no other port elsewhere', async () => {
    const hook = jest.fn(async (address: string) => json({ ...document, client_id: address }))
    const host = await startedWith(hook, { clients: { documents: 'with-loopback' } })
    const local = 'http://127.0.0.1:3000/client.json'
    await new Authorization(host, { client_id: local }).open().expect(200)
    const elsewhere = 'https://assistant.example:8443/client.json'
    expectErrorPage(await new Authorization(host, { client_id: elsewhere }).open())
    expect(hook.mock.calls.map(([address]) => address)).toEqual([local])
    const { reason } = await refusedWith(hook, 400, 'https://127.0.0.1:3000/client.json')
    expect(reason).toBe('Port 3000 is not one of 443')
  })

  it.each<[what: string, hook: FetchMetadataDocumentHook, reason: RegExp]>([
    [
      'throws an error that looks like one of ours',
      () => Promise.reject(new OAuthError('invalid_grant', 'Not ours')),
      /Not ours/,
    ],
    [
      'rejects',
      () => Promise.reject(new TypeError('fetch failed', { cause: new Error('no proxy') })),
      /failed: no proxy/,
    ],
    [
      'throws',
      () => {
        throw new Error('No proxy')
      },
      /No proxy/,
    ],
    ['gives 403', async () => json(document, { status: 403 }), /status is 403/],
    [
      'gives a body that breaks off',
      async () => new Response(new ReadableStream({ pull: (body) => body.error(new Error('Reset')) }), json({})),
      /Reset/,
    ],
    ['gives a body that is no stream of bytes', async () => ({ ...plain, body: [1, 2] }), /not a stream of bytes/],
  ])('that %s leaves the document unfetched for now', async (_, hook, reason) => {
    const { page, reason: told } = await refusedWith(hook, 503)
    expect(told).toMatch(reason)
    expect(page).not.toMatch(/proxy|Reset/)
  })

  const plain = { status: 200, headers: new Headers({ 'Content-Type': 'application/json' }), body: null }

  it.each<[what: string, given: unknown]>([
    ['nothing', undefined],
    ['a text', JSON.stringify(document)],
    ['a document', document],
    ['a status alone', { status: 200 }],
    ['headers that cannot be read', { status: 200, headers: { 'content-type': 'application/json' } }],
    ['headers alone', { headers: new Headers() }],
  ])(
    'that gives %s instead of a response is an error of the host’s, and the customer can try again',
    async (_, given) => {
      const host = await startedWith(async () => given as Response)
      expectErrorPage(await new Authorization(host, { client_id: url }).open(), 503)
      const [error] = await host.told('error')
      expect(error).toMatchObject({ where: 'authorize', reason: 'hook_failed' })
      expect(error?.error.message).toContain('clients.fetch must return a Response')
    },
  )

  it('that gives something which cannot even be read is an error of the host’s, too', async () => {
    const unreadable = new Proxy(
      {},
      {
        getPrototypeOf() {
          throw new Error('Not to be read')
        },
      },
    )
    const host = await startedWith(async () => unreadable as Response)
    expectErrorPage(await new Authorization(host, { client_id: url }).open(), 503)
    expect(await host.told('error')).toMatchObject([{ reason: 'hook_failed', error: { message: 'Not to be read' } }])
  })

  it('is given up after five seconds, and told so', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] })
    let aborted = false
    let call = () => {}
    const called = new Promise<void>((resolve) => {
      call = resolve
    })
    const host = await startedWith((_, signal) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      call()
      return new Promise(() => {})
    })
    const opened = new Authorization(host, { client_id: url }).open().then((response) => response)
    await called
    await jest.advanceTimersByTimeAsync(5000)
    expectErrorPage(await opened, 503)
    expect(aborted).toBe(true)
  })

  it('is not read on after five seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] })
    const sent: (() => void)[] = []
    let read = 0
    let close = () => {}
    const closed = new Promise<void>((resolve) => {
      close = resolve
    })
    async function* body() {
      try {
        while (read < 10) {
          await new Promise<void>((resolve) => sent.push(resolve))
          read++
          yield new Uint8Array(1)
        }
      } finally {
        close()
      }
    }
    const headers = { get: () => 'application/json' }
    const host = await startedWith(async () => ({ status: 200, headers, body: body() }))
    const opened = new Authorization(host, { client_id: url }).open().then((response) => response)
    const nextChunk = async () => {
      while (sent.length === 0) await setImmediate()
      sent.shift()?.()
    }
    await nextChunk()
    while (sent.length === 0) await setImmediate()
    await jest.advanceTimersByTimeAsync(5000)
    expectErrorPage(await opened, 503)
    await nextChunk()
    // Its own end would take eight chunks more.
    await closed
    expect(read).toBe(2)
  })

  it('also fetches the keys of clients that authenticate', async () => {
    const key = clientKey()
    const jwks_uri = 'https://assistant.example/jwks.json'
    const fetched: string[] = []
    const host = await startedWith(
      async (address) => {
        fetched.push(address)
        if (address === jwks_uri) return json({ keys: [key.jwk] })
        return json({ ...document, token_endpoint_auth_method: 'private_key_jwt', jwks_uri })
      },
      { clients: { authentication: ['none', 'private_key_jwt'] } },
    )
    const signedIn = await new Authorization(host, { client_id: url }).allowed()
    expectTokens(await host.exchange(signedIn, withAssertion(assertionOf(key, url, host.issuer()))))
    expect(fetched).toEqual([url, jwks_uri])
  })

  it('is helped out by the copy of a known assistant', async () => {
    const host = await startedWith(() => Promise.reject(new Error('No proxy')), { clients: { known: [{ document }] } })
    await new Authorization(host, { client_id: url }).open().expect(200)
    expect(await host.told('stale')).toMatchObject([{ clientId: url, detail: { reason: 'No proxy' } }])
  })
})
