import { MetadataDocuments } from '../../src/clients/metadata-documents'
import { Authorization, asTheySay, expectErrorPage } from '../support/authorization'
import { releaseClock, stopClock } from '../support/clock'
import { DocumentServer, publishing } from '../support/document-server'
import { redirectUri, type TestSignIn } from '../support/sign-in'
import { started } from '../support/started'

const startedWith = () => started({ authenticate: asTheySay, metadataDocuments: 'with-loopback' })
const open = (host: TestSignIn, client_id: string) => new Authorization(host, { client_id }).open()

afterEach(releaseClock)

describe('a metadata document is kept', () => {
  const minute = 60
  const hour = 60 * minute

  it.each<[cacheControl: string | undefined, seconds: number]>([
    [undefined, minute],
    ['', minute],
    ['no-store', minute],
    ['no-cache', minute],
    ['private, no-cache, max-age=3600', minute],
    ['max-age=0', minute],
    ['max-age=59', minute],
    ['max-age=-1', minute],
    ['max-age=soon', minute],
    ['s-maxage=3600', minute],
    ['max-age=61', 61],
    ['public, max-age=3600, immutable', hour],
    ['MAX-AGE=3600', hour],
    ['max-age=86400', 24 * hour],
    ['max-age=31536000', 24 * hour],
    [`max-age=${'9'.repeat(30)}`, 24 * hour],
  ])('as its Cache-Control says, within a minute and a day: %j', async (cacheControl, seconds) => {
    const headers: Record<string, string> = cacheControl === undefined ? {} : { 'Cache-Control': cacheControl }
    const server = await DocumentServer.start((self) => publishing(self, {}, headers))
    const host = await startedWith()
    const clock = stopClock()
    await open(host, server.url()).expect(200)
    clock.advance(seconds - 1)
    await open(host, server.url()).expect(200)
    expect(server.requests).toHaveLength(1)
    clock.advance(1)
    await open(host, server.url()).expect(200)
    expect(server.requests).toHaveLength(2)
  })

  it('and counts as it is then: a redirect URI that it no longer has is no longer good', async () => {
    let changes = {}
    const server = await DocumentServer.start((self) => (req, res) => publishing(self, changes)(req, res))
    const host = await startedWith()
    const clock = stopClock()
    await open(host, server.url()).expect(200)
    changes = { redirect_uris: ['https://assistant.example/elsewhere'] }
    clock.advance(minute)
    expectErrorPage(await open(host, server.url()))
  })

  it('for all tenants', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    for (const tenantKey of ['acme', 'globex']) {
      await new Authorization(host, { client_id: server.url() }, tenantKey).open().expect(200)
    }
    expect(server.requests).toHaveLength(1)
  })

  it('and is fetched once for all who wait for it', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    const responses = await Promise.all(Array.from({ length: 20 }, () => open(host, server.url())))
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(server.requests).toHaveLength(1)
  })

  it('only among the thousand newest', async () => {
    const server = await DocumentServer.start()
    const documents = new MetadataDocuments({ allowLoopback: true }, [])
    const paths = Array.from({ length: 1001 }, (_, index) => `/${index}`)
    for (const path of paths) await documents.find(server.url(path))
    for (const path of ['/1000', '/1', '/0']) await documents.find(server.url(path))
    expect(server.requests.slice(paths.length).map(({ url }) => url)).toEqual(['/0'])
  })
})

describe('a metadata document that cannot be had', () => {
  it('is not asked for again for ten seconds', async () => {
    let status = 500
    const server = await DocumentServer.start((self) => (req, res) => publishing(self, {}, {}, status)(req, res))
    const host = await startedWith()
    const clock = stopClock()
    expectErrorPage(await open(host, server.url()))
    status = 200
    clock.advance(9)
    expectErrorPage(await open(host, server.url()))
    expect(server.requests).toHaveLength(1)
    clock.advance(1)
    await open(host, server.url()).expect(200)
  })

  it('takes no place among those that are fetched', async () => {
    const server = await DocumentServer.start((self) => (req, res) => {
      publishing(self, {}, {}, req.url === '/good' ? 200 : 404)(req, res)
    })
    const host = await startedWith()
    for (let index = 0; index < 20; index++) expectErrorPage(await open(host, server.url(`/${index}`)))
    await open(host, server.url('/good')).expect(200)
  })
})

describe('many metadata documents at a time', () => {
  /** A server that answers when it is let. */
  async function heldServer() {
    const waiting: (() => void)[] = []
    let arrived = () => {}
    const server = await DocumentServer.start((self) => (req, res) => {
      waiting.push(() => publishing(self)(req, res))
      arrived()
    })
    const comeIn = (count: number) =>
      new Promise<void>((resolve) => {
        arrived = () => waiting.length >= count && resolve()
        arrived()
      })
    const release = () => {
      for (const answer of waiting.splice(0)) answer()
    }
    return { server, comeIn, release }
  }

  it('are fetched eight at a time: who comes then is to come again, and all others are served', async () => {
    const host = await startedWith()
    const known = await DocumentServer.start()
    await open(host, known.url()).expect(200)
    const { server, comeIn, release } = await heldServer()
    const held = Array.from({ length: 8 }, (_, index) =>
      open(host, server.url(`/${index}`)).then(({ status }) => status),
    )
    await comeIn(8)

    const response = await open(host, server.url('/8'))
    expectErrorPage(response, 503)
    expect(response.headers['retry-after']).toBe('1')
    await open(host, known.url()).expect(200)
    await new Authorization(host, { redirect_uri: redirectUri }).open().expect(200)

    release()
    expect(await Promise.all(held)).toEqual(Array(8).fill(200))
    const again = open(host, server.url('/8')).then(({ status }) => status)
    await comeIn(1)
    release()
    expect(await again).toBe(200)
  })
})

describe('addresses that cannot be fetched', () => {
  it('make no document go, however many they are', async () => {
    const server = await DocumentServer.start((self) => publishing(self, {}, { 'Cache-Control': 'max-age=3600' }))
    const documents = new MetadataDocuments({ allowLoopback: true }, [])
    const kept = documents.find(server.url())
    await kept
    for (let address = 0; address < 1001; address++) {
      await expect(documents.find(`https://10.0.0.1/${address}`)).rejects.toMatchObject({ code: 'invalid_client' })
    }
    expect(documents.find(server.url())).toBe(kept)
  })
})
