import type { CustomerSignInOptions, KnownAssistant } from 'customer-sign-in'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { assertionOf, clientKey, withAssertion } from '../../support/confidential-clients'
import { textOf } from '../../support/consent-form'
import { DocumentServer, publishing } from '../../support/document-server'
import { expectError, expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(releaseClock)

const minute = 60
const day = 86_400
const added = 'https://assistant.example/added'
const never = 'https://assistant.example/never'
const keys = [clientKey(), clientKey()] as const
const withKey = ({ jwk }: (typeof keys)[number]) => ({
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys: [jwk] },
})

/** A host that has fetched a document which is fresh for a day. What its server publishes can change. */
async function outdated(changes: Record<string, unknown> = {}, options: CustomerSignInOptions['clients'] = {}) {
  const answer = { status: 200, changes, jwks: {} as Record<string, unknown> }
  const server = await DocumentServer.start((self) => (req, res) => {
    const keySet = answer.jwks[String(req.url)]
    const headers = { 'Cache-Control': 'max-age=86400' }
    if (keySet) res.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(keySet))
    else publishing(self, answer.changes, headers, answer.status)(req, res)
  })
  const authentication = ['none', 'private_key_jwt'] as const
  const clients = { documents: 'with-loopback', authentication, ...options } as const
  const host = await started({ authenticate: asTheySay, clients })
  const clock = stopClock()
  const client_id = server.url()
  const open = (redirect_uri = redirectUri) => new Authorization(host, { client_id, redirect_uri }).open()
  await open().expect(200)
  clock.advance(minute)
  return { host, server, answer, clock, client_id, open }
}

describe('a document whose copy is fresh', () => {
  it('is fetched once more before a redirect URI is refused: its publisher may have added it', async () => {
    const { server, answer, open } = await outdated()
    answer.changes = { redirect_uris: [redirectUri, added] }
    await open(added).expect(200)
    await open().expect(200)
    expect(server.requests).toHaveLength(2)
  })

  it('counts no more once a newer one was fetched: an address that its publisher took out is refused', async () => {
    const { answer, open, clock } = await outdated()
    answer.changes = { redirect_uris: [added] }
    await open(added).expect(200)
    expectErrorPage(await open())
    answer.status = 503
    clock.advance(8 * minute)
    expectErrorPage(await open())
    await open(added).expect(200)
  })

  it('is fetched at most once a minute, however often strangers ask for what it does not have', async () => {
    const { server, open, clock } = await outdated()
    for (const requests of [2, 3]) {
      for (let each = 0; each < 5; each++) expectErrorPage(await open(never))
      expect(server.requests).toHaveLength(requests)
      clock.advance(minute)
    }
  })

  it.each([404, 410, 403, 500])(
    'stays as it is where that fetch is answered %d, and is left alone for a minute then too',
    async (status) => {
      const { host, server, answer, open, clock } = await outdated()
      Object.assign(answer, { status })
      for (const requests of [2, 3]) {
        for (let each = 0; each < 5; each++) {
          expect(expectErrorPage(await open(never))).toContain('redirect_uri is not registered for this client')
        }
        expect(server.requests).toHaveLength(requests)
        await open().expect(200)
        clock.advance(minute)
      }
      expect(await host.told('stale')).toEqual([])
    },
  )

  it.each([{ redirect_uris: [] }, { client_id: 'https://evil.example/client.json' }, { client_secret: 'x' }])(
    'stays as it is where that fetch gives one that cannot be used: %j',
    async (changes) => {
      const { answer, open } = await outdated()
      answer.changes = changes
      expectErrorPage(await open(added))
      await open().expect(200)
    },
  )

  it('is fetched once for all who ask for the same at once', async () => {
    const { server, answer, open } = await outdated()
    answer.changes = { redirect_uris: [redirectUri, added] }
    const pages = await Promise.all(Array.from({ length: 5 }, () => open(added)))
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(server.requests).toHaveLength(2)
  })

  it('is fetched once more before a rule of the company refuses one of its addresses', async () => {
    const blocked = { redirectHosts: ['blocked.example'] }
    const { server, answer, open, clock } = await outdated({}, { blocked })
    answer.changes = { redirect_uris: [redirectUri, 'https://blocked.example/'] }
    clock.advance(day)
    expectErrorPage(await open(), 403)
    answer.changes = {}
    clock.advance(minute)
    await open().expect(200)
    expect(server.requests).toHaveLength(3)
  })
})

describe('a copy that was shipped', () => {
  /** A host that knows a document by heart, while its address answers 403. */
  async function shipped() {
    const answer = { status: 403, changes: {} }
    const server = await DocumentServer.start(
      (self) => (req, res) => publishing(self, answer.changes, {}, answer.status)(req, res),
    )
    const document = { client_id: server.url(), client_name: 'By heart', redirect_uris: [redirectUri] }
    const known: KnownAssistant[] = [{ document }]
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback', known } })
    const clock = stopClock()
    const open = (redirect_uri = redirectUri) =>
      new Authorization(host, { client_id: server.url(), redirect_uri }).open()
    return { server, answer, clock, open }
  }

  it('does not refuse an address that the document has by now', async () => {
    const { server, answer, clock, open } = await shipped()
    await open().expect(200)
    expectErrorPage(await open(added))
    expect(server.requests).toHaveLength(1)
    Object.assign(answer, { status: 200, changes: { redirect_uris: [added] } })
    clock.advance(minute - 1)
    expectErrorPage(await open(added))
    clock.advance(1)
    await open(added).expect(200)
  })

  it.each([minute, 8 * day, 30 * day])(
    'never brings an address back that was taken out, with the document away for %d seconds',
    async (seconds) => {
      const { answer, clock, open } = await shipped()
      Object.assign(answer, { status: 200, changes: { redirect_uris: [added] } })
      await open(added).expect(200)
      answer.status = 403
      clock.advance(seconds)
      expectErrorPage(await open())
      const { text } = await open(added).expect(200)
      expect(textOf(text)).toContain('Connect “Assistant” to Acme?')
    },
  )
})

describe('a client whose document has changed how it authenticates', () => {
  /** Exchanges a code of the client as it authenticates now. */
  async function exchanged(host: TestSignIn, client_id: string, key?: (typeof keys)[number]) {
    const signedIn = await new Authorization(host, { client_id }).allowed()
    const proof = key ? withAssertion(assertionOf(key, client_id, host.issuer())) : { client_id }
    return host.exchange(signedIn, proof)
  }

  it('gets its tokens at once: with another key', async () => {
    const { host, answer, server, client_id } = await outdated(withKey(keys[0]))
    answer.changes = withKey(keys[1])
    expectTokens(await exchanged(host, client_id, keys[1]))
    expect(server.requests).toHaveLength(2)
  })

  it.each([
    ['from no key to one', {}, withKey(keys[1]), keys[1], 'invalid_grant'],
    ['from a key to none', withKey(keys[0]), {}, undefined, 'invalid_client'],
  ] as const)('gets its tokens at the next sign-in, as a code is bound to the method: %s', async (...changed) => {
    const [, before, after, key, error] = changed
    const { host, answer, server, client_id } = await outdated(before)
    answer.changes = after
    expect((await exchanged(host, client_id, key)).body).toMatchObject({ error })
    expectTokens(await exchanged(host, client_id, key))
    expect(server.requests).toHaveLength(2)
  })

  it('gets its tokens at once where its keys have moved to another address, and the old one is gone', async () => {
    const { host, answer, server, client_id } = await outdated({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'http://127.0.0.1:1/jwks.json',
    })
    answer.changes = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: server.url('/new.json') }
    answer.jwks = { '/new.json': { keys: [keys[1].jwk] } }
    expectTokens(await exchanged(host, client_id, keys[1]))
  })

  it.each([
    ['with a key that it has not published', withKey(keys[0]), keys[1]],
    ['with a key, where it has none', {}, keys[1]],
    ['without the key that it has', withKey(keys[0]), undefined],
  ] as const)('is refused by its copy if the document is away: %s', async (_, before, key) => {
    const { host, answer, server, client_id } = await outdated(before)
    answer.status = 404
    for (let each = 0; each < 3; each++) {
      expectError(await exchanged(host, client_id, key), 401, 'invalid_client')
    }
    expect(server.requests).toHaveLength(2)
  })
})
