import dns from 'node:dns/promises'
import type { RequestListener } from 'node:http'
import { MemoryTenantStore } from 'customer-sign-in'
import { MetadataDocuments } from '../../../src/clients/metadata-documents'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { DocumentServer, publishing } from '../../support/document-server'
import { growthPerTurn } from '../../support/heap-used'
import { publicClients } from '../../support/public-clients'
import { redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import { trustTestCertificate } from '../../support/tls-certificate'

const acme = { id: 'acme', key: 'acme' }

/** A web server of strangers, which holds every request until the test releases it. */
class HeldServer {
  readonly #waiting: (() => void)[] = []
  #isOpen = false
  #arrived = () => {}

  readonly answer = (self: DocumentServer): RequestListener => {
    return (req, res) => {
      if (this.#isOpen) return publishing(self)(req, res)
      this.#waiting.push(() => publishing(self)(req, res))
      this.#arrived()
    }
  }

  /** Resolves once it holds this many requests. */
  holds(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = () => this.#waiting.length >= count && resolve()
      this.#arrived()
    })
  }

  /** Releases the requests that it holds, and holds none from then on. */
  open(): void {
    this.#isOpen = true
    this.release()
  }

  release(): void {
    for (const answer of this.#waiting.splice(0)) answer()
  }
}

const companies = ['acme', 'globex', 'initech', 'hooli']

/**
 * A host of four companies, a stranger's server under many names, and an honest client's. All names lead to this machine. The time stands
 * still, so that no fetch ends by its time limit and makes room for others.
 */
async function flooded() {
  jest.spyOn(dns, 'lookup').mockImplementation((async () => [{ address: '127.0.0.1', family: 4 }]) as never)
  trustTestCertificate()
  const held = new HeldServer()
  const [stranger, honest] = [await DocumentServer.startTls(held.answer), await DocumentServer.startTls()]
  const tenantStore = new MemoryTenantStore(companies.map((key) => ({ key })))
  const byHeart = honest.url('/by-heart.json', 'assistant.example')
  const host = await started({
    authenticate: asTheySay,
    clients: {
      documents: 'with-loopback',
      known: [{ document: { client_id: byHeart, client_name: 'Assistant', redirect_uris: [redirectUri] } }],
    },
    tenantStore,
  })
  const open = (url: string, tenantKey: string) => new Authorization(host, { client_id: url }, tenantKey).open()
  const opened = (urls: string[], tenantKey: string) =>
    urls.map((url) => open(url, tenantKey).then(({ status }) => status))
  const connects = (tenantKey: string, path: string) => open(honest.url(path, 'assistant.example'), tenantKey)
  const clock = stopClock({ timers: true })
  return { host, held, stranger, honest, open, opened, connects, clock }
}

const many = (count: number, url: (index: number) => string) => Array.from({ length: count }, (_, index) => url(index))

afterEach(() => {
  releaseClock()
  jest.restoreAllMocks()
})

describe('a stranger with slow documents', () => {
  it('does not keep other clients from connecting, however many names one domain has, at this company and at others', async () => {
    const { held, stranger, opened, connects } = await flooded()
    const urls = many(20, (index) => stranger.url(`/${index}`, `n${index}.stranger.example`))
    const waiting = opened(urls, 'acme')
    await held.holds(2)
    await connects('acme', '/a.json').expect(200)
    await connects('globex', '/b.json').expect(200)
    held.release()
    await held.holds(2)
    await connects('acme', '/c.json').expect(200)
    held.open()
    await Promise.all(waiting)
  })

  it('does not keep clients of another company from connecting, however many domains there are', async () => {
    const { held, stranger, opened, connects } = await flooded()
    const urls = many(40, (index) => stranger.url(`/${index}`, `n.stranger${index % 20}.example`))
    const waiting = opened(urls, 'acme')
    await held.holds(8)
    await connects('globex', '/a.json').expect(200)
    await connects('initech', '/b.json').expect(200)
    held.open()
    await Promise.all(waiting)
  })

  it('is told to retry if too many fetches wait', async () => {
    const { host, held, stranger, open } = await flooded()
    // The page of the one who is refused at once, while all others wait.
    const urls = many(70, (index) => stranger.url(`/${index}`, `n.stranger${index % 2}.example`))
    const opened = urls.map(async (url) => await open(url, 'acme'))
    const refused = await Promise.race(opened)
    expectErrorPage(refused, 503)
    expect(refused.headers['retry-after']).toBe('1')
    expect(await host.told('denied')).toContainEqual(
      expect.objectContaining({ status: 503, detail: expect.objectContaining({ reason: 'No slot was free in time' }) }),
    )
    expect(await host.told('error')).toEqual([])
    held.open()
    await Promise.all(opened)
    await open(stranger.url('/again', 'n.stranger0.example'), 'globex').expect(200)
  })

  it('does not keep documents that were fetched before from being fetched again, however many domains there are', async () => {
    const { held, stranger, honest, opened, connects, clock } = await flooded()
    await connects('acme', '/known.json').expect(200)
    clock.advance(60)
    const waiting = companies.flatMap((tenantKey) => {
      const urls = many(20, (index) => stranger.url(`/${tenantKey}`, `n.stranger${index}.example`))
      return opened(urls, tenantKey)
    })
    await held.holds(32)
    await connects('acme', '/known.json').expect(200)
    expect(honest.requests).toHaveLength(2)
    held.open()
    await Promise.all(waiting)
  })

  it('does not keep the documents of known assistants from being fetched for the first time', async () => {
    const { held, stranger, honest, opened, connects } = await flooded()
    const waiting = companies.flatMap((tenantKey) => {
      const urls = many(20, (index) => stranger.url(`/${tenantKey}`, `n.stranger${index}.example`))
      return opened(urls, tenantKey)
    })
    await held.holds(32)
    await connects('acme', '/by-heart.json').expect(200)
    expect(honest.requests).toHaveLength(1)
    held.open()
    await Promise.all(waiting)
  })
})

describe('a flood of documents that cannot be fetched', () => {
  const unreachable = () => {
    const lookUp = () => Promise.reject(new Error('There is no such name'))
    return new MetadataDocuments({ allowLoopback: false, ports: [443], lookUp }, publicClients)
  }
  const refused = (documents: MetadataDocuments, url: string, tenant = acme) =>
    documents.find(url, tenant).then(fail, (error) => error.detail.reason as string)
  const fail = () => Promise.reject(new Error('There is such a document'))
  const usedUp = expect.stringMatching(/^A share of /)

  it('takes no memory for what is refused, however long its addresses are', async () => {
    const documents = unreachable()
    const url = (index: number) => `https://${index}${'a'.repeat(1900)}.example/client.json`
    let count = 0
    const growth = await growthPerTurn(async () => {
      for (const last = count + 200; count < last; count++) await refused(documents, url(count))
    })
    // Less than 100 bytes for each.
    expect(growth).toBeLessThan(20_000)
    expect(await refused(documents, url(10_000))).toEqual(usedUp)
  })

  it('takes nothing of the shares of others by what is refused', async () => {
    const documents = unreachable()
    const [globex, initech] = ['globex', 'initech'].map((key) => ({ id: key, key }))
    const attempts = async (site: string, tenant = acme) => {
      const reasons: string[] = []
      for (const index of Array(300).keys())
        reasons.push(await refused(documents, `https://${site}/${index}.json`, tenant))
      return reasons
    }
    await attempts('stranger.example')
    await attempts('stranger.example', globex)
    expect(await attempts('stranger.example', initech)).toEqual(Array(300).fill(usedUp))
    for (const site of ['one.example', 'other.example'])
      expect(await attempts(site, initech)).not.toContainEqual(usedUp)
    expect(await refused(documents, 'https://third.example/client.json', initech)).toEqual(usedUp)
  })
})

describe('documents that were fetched before, and then are slow', () => {
  /** Documents that were all fetched before and are no longer fresh: the server holds those of strangers, not those of `honest.example`. */
  async function slowAgain(paths: number, strangers: readonly string[]) {
    const held = new HeldServer()
    let isAgain = false
    const server = await DocumentServer.start((self) => (req, res) => {
      const isHonest = req.headers.host?.startsWith('honest.example')
      if (!isAgain || isHonest) publishing(self, isAgain ? { client_name: 'Renamed' } : {})(req, res)
      else held.answer(self)(req, res)
    })
    const lookUp = async () => ['127.0.0.1']
    const documents = new MetadataDocuments({ allowLoopback: true, ports: [443], lookUp }, publicClients)
    const found = (path: number, site: string) => documents.find(server.url(`/${path}`, site), acme)
    const clock = stopClock()
    const honest = server.url('/0', 'honest.example')
    for (const site of [...strangers, 'honest.example']) {
      for (let path = 0; path < paths; path++) await found(path, site)
    }
    clock.advance(60)
    isAgain = true
    return { documents, honest, held, clock, found }
  }

  it('do not hold up documents whose client a customer has allowed', async () => {
    const strangers = many(48, (index) => `stranger${index}.example`)
    const { documents, honest, held, found } = await slowAgain(2, strangers)
    documents.markAllowed(honest)
    const waiting = strangers.flatMap((site) => [found(0, site), found(1, site)])
    await held.holds(32)
    expect(await found(0, 'honest.example')).toMatchObject({ clientName: 'Renamed' })
    held.open()
    await Promise.all(waiting)
  })

  it('are used for ten minutes while too many are fetched, and not for as long as strangers want', async () => {
    const { held, clock, found } = await slowAgain(50, ['a.example', 'b.example'])
    const waiting = many(49, String).map((path) => found(Number(path), 'a.example'))
    waiting.push(...many(20, String).map((path) => found(Number(path), 'b.example')))
    await held.holds(4)
    const refused = () => found(49, 'a.example')
    await expect(refused()).resolves.toBeDefined()
    clock.advance(599)
    await expect(refused()).resolves.toBeDefined()
    clock.advance(1)
    await expect(refused()).rejects.toMatchObject({ description: expect.stringMatching(/^Too many/) })
    held.open()
    await Promise.all(waiting)
  })
})
