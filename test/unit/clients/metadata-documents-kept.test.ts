import { MetadataDocuments } from '../../../src/clients/metadata-documents'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { textOf } from '../../support/consent-form'
import { DocumentServer, publishing } from '../../support/document-server'
import { publicClients } from '../../support/public-clients'
import type { TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const tenantOf = (id: string) => ({ id, key: id })
const acme = { id: 'acme', key: 'acme' }

const startedWith = () => started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
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
  ])('for as long as its Cache-Control says, between a minute and a day: %j', async (cacheControl, seconds) => {
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

  it('and fetched again later: a redirect URI that it no longer has is refused then', async () => {
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

  it('and is used at once while other documents of its site are being fetched', async () => {
    const held: (() => void)[] = []
    let holds = false
    const server = await DocumentServer.start((self) => (req, res) => {
      if (holds) held.push(() => res.destroy())
      else publishing(self, {}, { 'Cache-Control': req.url === '/kept' ? 'max-age=3600' : '' })(req, res)
    })
    const host = await startedWith()
    const clock = stopClock()
    for (const path of ['/kept', '/1', '/2']) await open(host, server.url(path)).expect(200)
    holds = true
    clock.advance(minute)
    const others = ['/1', '/2'].map((path) => open(host, server.url(path)).then(() => 'another'))
    const kept = open(host, server.url('/kept')).then(() => 'the one that is kept')
    expect(await Promise.race([kept, ...others])).toBe('the one that is kept')
    holds = false
    for (const release of held) release()
    await Promise.all(others)
  })

  it('longer than others of its site if a customer has allowed its client', async () => {
    const server = await DocumentServer.start()
    const host = await startedWith()
    const client = new Authorization(host, { client_id: server.url('/allowed.json') })
    await client.allowed()
    await new Authorization(host, { client_id: server.url('/asked.json') }).form()
    for (let index = 0; index < 50; index++) {
      await new Authorization(host, { client_id: server.url(`/${index}.json`) }).form()
    }
    const before = server.requests.length
    await client.form()
    expect(server.requests).toHaveLength(before)
    await new Authorization(host, { client_id: server.url('/asked.json') }).form()
    expect(server.requests).toHaveLength(before + 1)
  })

  it('and is fetched once for all who wait for it', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    const responses = await Promise.all(Array.from({ length: 20 }, () => open(host, server.url())))
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(server.requests).toHaveLength(1)
  })

  it('and is fetched again once for all who wait for it at any tenant', async () => {
    const server = await DocumentServer.start()
    const lookUp = async () => ['127.0.0.1']
    const documents = new MetadataDocuments({ allowLoopback: true, ports: [443], lookUp }, publicClients)
    const clock = stopClock()
    await documents.find(server.url(), acme)
    clock.advance(minute)
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => documents.find(server.url(), tenantOf(`tenant${index}`))),
    )
    expect(server.requests).toHaveLength(2)
  })
})

describe('a metadata document that cannot be used', () => {
  it.each<[what: string, status: number, changes: Record<string, unknown>, shown: number]>([
    ['is not there', 404, {}, 400],
    ['is of no use', 200, { redirect_uris: [] }, 400],
    ['cannot be had for now', 500, {}, 503],
  ])(
    'is never answered from memory if it %s: it is fetched again for the next customer',
    async (_, status, changes, shown) => {
      let isGood = false
      const server = await DocumentServer.start(
        (self) => (req, res) => (isGood ? publishing(self) : publishing(self, changes, {}, status))(req, res),
      )
      const host = await startedWith()
      for (const requests of [1, 2, 3]) {
        expectErrorPage(await open(host, server.url()), shown)
        expect(server.requests).toHaveLength(requests)
      }
      isGood = true
      await open(host, server.url()).expect(200)
    },
  )

  it('does not keep another document of its site from being fetched', async () => {
    const server = await DocumentServer.start((self) => (req, res) => {
      publishing(self, {}, {}, req.url === '/good' ? 200 : 404)(req, res)
    })
    const host = await startedWith()
    for (let index = 0; index < 20; index++) expectErrorPage(await open(host, server.url(`/${index}`)))
    await open(host, server.url('/good')).expect(200)
  })
})

describe('a metadata document that is not fresh any more', () => {
  const day = 24 * 60 * 60

  interface Published {
    status: number
    changes: Record<string, unknown>
    type: string
  }

  /** A document that was kept and is no longer fresh, and what its server answers from then on. */
  async function expired(cacheControl = '') {
    const server = await DocumentServer.start(
      (self) => (req, res) => publishing(self, now.changes, headers(), now.status)(req, res),
    )
    const now: Published = { status: 200, changes: {}, type: 'application/json' }
    const headers = () => ({ 'Cache-Control': cacheControl, 'Content-Type': now.type })
    const host = await startedWith()
    const clock = stopClock()
    await open(host, server.url()).expect(200)
    clock.advance(60)
    return { server, now, host, clock }
  }

  it.each([403, 407, 429, 500, 503])('can be used for another 7 days while its server answers %d', async (status) => {
    const { server, now, host, clock } = await expired()
    now.status = status
    const before = await open(host, server.url()).expect(200)
    clock.advance(7 * day - 1)
    const after = await open(host, server.url()).expect(200)
    expect(textOf(after.text)).toBe(textOf(before.text))
    clock.advance(1)
    expectErrorPage(await open(host, server.url()), 503)
  })

  it('can be used while its address gives a web page in its place', async () => {
    const { server, now, host, clock } = await expired()
    now.type = 'text/html; charset=utf-8'
    await open(host, server.url()).expect(200)
    clock.advance(7 * day)
    expect(expectErrorPage(await open(host, server.url()))).toContain('the Content-Type of the document must be')
  })

  it('is reported once an hour while it is used, and not for each request', async () => {
    const { server, now, host, clock } = await expired()
    now.status = 403
    for (let minutes = 0; minutes < 120; minutes += 10) {
      await open(host, server.url()).expect(200)
      clock.advance(600)
    }
    const about = { type: 'stale', tenantKey: 'acme', tenantId: 'acme', clientId: server.url(), copy: 'kept' }
    const detail = { reason: 'The status is 403' }
    expect(await host.told('stale')).toMatchObject([
      { ...about, age: 60, detail },
      { ...about, age: 3660, detail },
    ])
    expect([await host.told('denied'), await host.told('error')]).toEqual([[], []])
  })

  it('can be used while its server is down', async () => {
    const { server, host } = await expired()
    await server.stop()
    await open(host, server.url()).expect(200)
  })

  it.each<[addresses: string[]]>([[[]], [['10.0.0.1']], [['0.0.0.0']], [['127.0.0.1', '10.0.0.1']]])(
    'can be used while the look-up of its name gives %j, and is fetched again as soon as it gives an address',
    async (unusable) => {
      const server = await DocumentServer.start()
      const url = server.url('/client.json', 'assistant.example')
      let addresses = ['127.0.0.1']
      const lookUp = async () => addresses
      const documents = new MetadataDocuments({ allowLoopback: true, ports: [443], lookUp }, publicClients)
      const clock = stopClock()
      await documents.find(url, acme)
      addresses = unusable
      clock.advance(60)
      await expect(documents.find(url, acme)).resolves.toMatchObject({ clientName: 'Assistant' })
      expect(server.requests).toHaveLength(1)
      addresses = ['127.0.0.1']
      clock.advance(60)
      await documents.find(url, acme)
      expect(server.requests).toHaveLength(2)
      addresses = unusable
      clock.advance(60 + 7 * day)
      await expect(documents.find(url, acme)).rejects.toMatchObject({ status: 503 })
    },
  )

  it('is requested once a minute meanwhile, and its new text counts as soon as the server answers', async () => {
    const { server, now, host, clock } = await expired()
    now.status = 500
    for (const requests of [2, 3]) {
      for (let each = 0; each < 3; each++) await open(host, server.url()).expect(200)
      expect(server.requests).toHaveLength(requests)
      clock.advance(60)
    }
    now.status = 200
    now.changes = { client_name: 'Renamed' }
    expect((await open(host, server.url()).expect(200)).text).toContain('Renamed')
  })

  it.each<[what: string, status: number, changes: Record<string, unknown>]>([
    ['is not there any more', 404, {}],
    ['has been taken away', 410, {}],
    ['is of no use any more', 200, { redirect_uris: [] }],
  ])('is dropped as soon as its server says that it %s', async (_, status, changes) => {
    const { server, now, host } = await expired()
    Object.assign(now, { status, changes })
    expectErrorPage(await open(host, server.url()))
    Object.assign(now, { status: 500 })
    expectErrorPage(await open(host, server.url()), 503)
  })

  it.each(['no-store', 'no-cache', 'max-age=60, must-revalidate'])(
    'is not used where its publisher does not want that: %s',
    async (cacheControl) => {
      const { server, now, host } = await expired(cacheControl)
      now.status = 500
      expectErrorPage(await open(host, server.url()), 503)
    },
  )
})

describe('fetches are counted', () => {
  const lookUp = async () => ['127.0.0.1']
  const documentsOf = () => new MetadataDocuments({ allowLoopback: true, ports: [443], lookUp }, publicClients)
  const tooMany = { code: 'temporarily_unavailable', description: expect.stringMatching(/^Too many/) }

  /** A server under any name, with documents at odd numbers and at `/client.json`. */
  const startedServer = () =>
    DocumentServer.start((self) => (req, res) => {
      publishing(self, {}, {}, /[13579]$|json$/.test(req.url ?? '') ? 200 : 404)(req, res)
    })

  it('by site at each company: 300 a minute, also for documents that do not exist', async () => {
    const server = await startedServer()
    const [documents, clock] = [documentsOf(), stopClock()]
    const found = (path: string, host = 'a.site.example', tenantId = 'acme') =>
      documents.find(server.url(path, host), tenantOf(tenantId))
    for (let index = 0; index < 300; index++) await found(`/${index}`, `${index}.site.example`).catch(() => {})
    expect(server.requests).toHaveLength(300)

    await expect(found('/1001')).rejects.toMatchObject({ ...tooMany, headers: { 'Retry-After': '60' } })
    await expect(found('/299', '299.site.example')).resolves.toBeDefined()
    expect(server.requests).toHaveLength(300)
    await expect(found('/1001', 'other.example')).resolves.toBeDefined()
    await expect(found('/1001', 'a.site.example', 'globex')).resolves.toBeDefined()
    clock.advance(60)
    await expect(found('/1003')).resolves.toBeDefined()
  })

  it('by site: 600 a minute, whichever companies ask', async () => {
    const server = await startedServer()
    const [documents] = [documentsOf(), stopClock()]
    const found = (path: string, site: string, tenantId: string) =>
      documents.find(server.url(path, site), tenantOf(tenantId))
    for (let index = 0; index < 600; index++) {
      await found(`/${index}0`, 'a.example', `tenant${index % 3}`).catch(() => {})
    }
    await expect(found('/1', 'a.example', 'acme')).rejects.toMatchObject(tooMany)
    await expect(found('/1', 'b.example', 'acme')).resolves.toBeDefined()
    expect(server.requests).toHaveLength(601)
  })

  it('by company: 600 a minute', async () => {
    const server = await startedServer()
    const [documents] = [documentsOf(), stopClock()]
    const found = (site: string, tenantId = 'acme') =>
      documents.find(server.url('/client.json', site), tenantOf(tenantId))
    for (let index = 0; index < 600; index++) await found(`site${index}.example`)
    await expect(found('assistant.example')).rejects.toMatchObject(tooMany)
    await expect(found('assistant.example', 'globex')).resolves.toBeDefined()
    await expect(found('assistant.example')).resolves.toBeDefined()
  })

  it('so that one address, within its limit of 60, does not use up the share of a site or a company', async () => {
    const server = await startedServer()
    const [documents] = [documentsOf(), stopClock()]
    for (let index = 0; index < 60; index++) {
      await documents.find(server.url(`/nothing-${index}0`, 'a.example'), acme).catch(() => {})
    }
    await expect(documents.find(server.url('/client.json', 'a.example'), acme)).resolves.toBeDefined()
  })

  it('apart from those of addresses that gave a document before, which no share limits', async () => {
    const server = await startedServer()
    const [documents, clock] = [documentsOf(), stopClock()]
    const found = (path: string, site: string, tenantId = 'acme') =>
      documents.find(server.url(path, site), tenantOf(tenantId))
    await found('/client.json', 'a.example')
    clock.advance(60)
    for (const [tenantId, site] of [
      ['acme', 'a.example'],
      ['globex', 'a.example'],
      ['acme', 'b.example'],
    ] as const) {
      for (let index = 0; index < 300; index++) await found(`/${index}0`, site, tenantId).catch(() => {})
    }
    await expect(found('/1', 'c.example')).rejects.toMatchObject(tooMany)
    await expect(found('/1', 'a.example', 'initech')).rejects.toMatchObject(tooMany)
    const before = server.requests.length
    await found('/client.json', 'a.example')
    expect(server.requests).toHaveLength(before + 1)
  })

  it('by address, if it gave a document before, fails now and may not be kept: 60 a minute', async () => {
    let status = 200
    const server = await DocumentServer.start(
      (self) => (req, res) => publishing(self, {}, { 'Cache-Control': 'no-store' }, status)(req, res),
    )
    const [documents, clock] = [documentsOf(), stopClock()]
    const found = () => documents.find(server.url(), acme)
    await found()
    clock.advance(60)
    status = 500
    for (let index = 0; index < 60; index++) await expect(found()).rejects.not.toMatchObject(tooMany)
    await expect(found()).rejects.toMatchObject(tooMany)
    expect(server.requests).toHaveLength(61)
    status = 200
    clock.advance(60)
    await expect(found()).resolves.toBeDefined()
  })
})
