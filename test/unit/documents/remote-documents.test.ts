import { DocumentAway } from '../../../src/documents/guarded-fetch'
import { type DocumentKind, RemoteDocuments } from '../../../src/documents/remote-documents'
import { releaseClock, stopClock } from '../../support/clock'

const [minute, hour] = [60, 3600]

/** Documents whose text is their address. Each is fresh for an hour, and an hour after that it may be stale. */
function published(changes: Partial<DocumentKind<string>> = {}) {
  const clock = stopClock()
  const fetched: string[] = []
  const server = { status: 200 }
  const guard = {
    allowLoopback: false,
    ports: [443],
    lookUp: async () => [],
    byHost: async (url: string) => {
      fetched.push(url)
      return new Response(url, { status: server.status })
    },
  }
  const documents = new RemoteDocuments<string>(guard, {
    read: ({ status, body }) => {
      if (status === 200) return body
      throw status === 500 ? new DocumentAway('The status is 500') : new Error('The document is gone')
    },
    fresh: { unsaid: hour * 1000, most: hour * 1000 },
    stale: { away: hour * 1000, flood: 0 },
    room: { ofSite: 50, ofTenant: 250 },
    pause: { known: 0, unknown: 0 },
    ...changes,
  })
  /** Finds documents one after the other. Their names say for which tenant, and where: `tenant/site`, and then any suffix. */
  const find = async (...names: string[]) => {
    for (const name of names) await documents.find(urlOf(name), name.split('/')[0] ?? '')
  }
  const gone = (names: readonly string[]) => names.filter((name) => documents.remembered(urlOf(name)) === undefined)
  return { documents, find, gone, fetched, server, clock }
}

function urlOf(name: string): string {
  const [, site, ...suffix] = name.split('/')
  return `https://${site}.example/${suffix.join('/')}`
}

const many = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => name(index))

afterEach(releaseClock)

describe('documents in memory', () => {
  it('are at most 50 of a site, whichever tenants bring them in: the one used longest ago makes room', async () => {
    const { find, gone } = published()
    const own = many(50, (index) => `tenant${index}/site/${index}`)
    await find('acme/other', ...own, 'tenant0/site/0', 'acme/site/new')
    expect(gone(['acme/other', ...own, 'acme/site/new'])).toEqual(['tenant1/site/1'])
  })

  it('are at most 250 from one tenant, whichever sites they are of', async () => {
    const { find, gone } = published()
    const own = many(250, (index) => `acme/site${index}`)
    await find('globex/site', ...own, 'acme/new')
    expect(gone(['globex/site', ...own, 'acme/new'])).toEqual(['acme/site0'])
  })

  it('are at most 1000 in all', async () => {
    const { find, gone } = published()
    const all = many(1000, (index) => `tenant${index % 5}/site${index}`)
    await find(...all, 'acme/new')
    expect(gone([...all, 'acme/new'])).toEqual([all[0]])
  })

  it('count for the tenant that brought them in first', async () => {
    const { find, gone, clock } = published()
    const own = many(250, (index) => `acme/site${index}`)
    await find(...own)
    clock.advance(hour)
    await find('globex/site0', 'acme/new')
    expect(gone([...own, 'acme/new'])).toEqual(['acme/site1'])
  })

  it('are dropped last if a customer has allowed their client, also after they are fetched again', async () => {
    const { documents, find, gone, clock } = published()
    await find('acme/site/allowed')
    documents.markAllowed(urlOf('acme/site/allowed'))
    await find(...many(250, (index) => `acme/site/${index}`), ...many(300, (index) => `acme/site${index}`))
    expect(gone(['acme/site/allowed'])).toEqual([])
    clock.advance(hour)
    await find('acme/site/allowed', ...many(50, (index) => `acme/site/again${index}`))
    expect(gone(['acme/site/allowed'])).toEqual([])
  })

  it('are kept for each user of a publisher that has an address for each of them, while its server answers nothing', async () => {
    const { documents, find, gone, server, clock } = published()
    const users = many(400, (index) => `acme/site/oauth/${index}/client.json`)
    for (const [index, name] of users.entries()) {
      await find(name, `acme/site/stranger${index}`)
      documents.markAllowed(urlOf(name))
      if (index % 100 === 99) clock.advance(minute)
    }
    expect(gone(users)).toEqual([])
    clock.advance(hour)
    server.status = 500
    await find(...users)
  })

  it('still make room if customers have allowed all clients: the tenant that has the most loses one', async () => {
    const { documents, find, gone, clock } = published()
    const [few, most] = [many(10, (index) => `acme/site/${index}`), many(990, (index) => `globex/site/${index + 10}`)]
    for (const [index, name] of [...few, ...most].entries()) {
      await find(name)
      documents.markAllowed(urlOf(name))
      if (index % 200 === 199) clock.advance(minute)
    }
    await find('acme/site/new')
    expect(gone([...few, ...most, 'acme/site/new'])).toEqual(['globex/site/10'])
  })

  it('do not push out those of others, however many the customers of one tenant have allowed', async () => {
    const { documents, find, gone, clock } = published()
    const others = many(30, (index) => `acme/site${index}`)
    await find(...others)
    for (const [index, name] of many(1000, (index) => `globex/site/${index}`).entries()) {
      await find(name)
      documents.markAllowed(urlOf(name))
      if (index % 200 === 199) clock.advance(minute)
    }
    expect(gone(others)).toEqual([])
  })
})

describe('a document that is away', () => {
  it('is replaced by its copy for its time and no longer, and asked for again once a minute', async () => {
    const { documents, fetched, server, clock } = published()
    const find = () => documents.find(urlOf('acme/site'), 'acme')
    await find()
    clock.advance(hour)
    server.status = 500
    for (let minutes = 0; minutes < 60; minutes++) {
      expect(await find()).toMatchObject({ copy: { kind: 'kept', age: (hour + minutes * minute) * 1000 } })
      expect(await find()).toEqual({ document: urlOf('acme/site') })
      clock.advance(minute)
    }
    expect(fetched).toHaveLength(61)
    await expect(find()).rejects.toThrow('The status is 500')
  })

  it('belongs to a known address, however old it is, until its publisher withdraws it', async () => {
    const { documents, find, server, clock } = published()
    await find('acme/site/known')
    clock.advance(30 * 24 * hour)
    await find(...many(300, (index) => `globex/site/${index}`))
    // The copies of others have taken its place in memory.
    await expect(find('globex/site/known')).rejects.toThrow(/^A share of /)
    clock.advance(minute)
    await find('acme/site/known')
    documents.markAllowed(urlOf('acme/site/known'))
    clock.advance(hour)
    await find(...many(300, (index) => `globex/site/${index}`))
    await find('globex/site/known')
    clock.advance(hour)
    server.status = 404
    await expect(find('globex/site/known')).rejects.toThrow('The document is gone')
    server.status = 500
    await expect(find('globex/site/known')).rejects.toThrow('The status is 500')
    for (const name of many(300, (index) => `globex/site/a${index}`)) await find(name).catch(() => {})
    await expect(find('globex/site/known')).rejects.toThrow(/^A share of /)
  })

  it('is replaced by the copy that was shipped, until its publisher withdraws it, and by what is published after that', async () => {
    const url = urlOf('acme/site')
    const { documents, find, server, clock } = published({ shipped: new Map([[url, 'shipped']]) })
    server.status = 500
    expect(await documents.find(url, 'acme')).toMatchObject({ document: 'shipped', copy: { kind: 'known' } })
    expect(await documents.find(url, 'acme')).toEqual({ document: 'shipped' })
    expect(documents.remembered(url)).toBe('shipped')
    expect(documents.counts()).toEqual({ kept: 0, stale: 0, failing: 1 })
    clock.advance(minute)
    server.status = 404
    await expect(find('acme/site')).rejects.toThrow('The document is gone')
    server.status = 500
    await expect(find('acme/site')).rejects.toThrow('The status is 500')
    expect(documents.remembered(url)).toBeUndefined()
    server.status = 200
    await find('acme/site')
    clock.advance(3 * hour)
    server.status = 500
    expect(await documents.find(url, 'acme')).toMatchObject({ document: url, copy: { kind: 'known' } })
  })

  it('is left alone for a time, if its kind asks for that', async () => {
    const { documents, find, fetched, server, clock } = published({ pause: { known: 60_000, unknown: 5000 } })
    const missing = () => documents.find(urlOf('acme/site'), 'acme', () => false)
    server.status = 500
    for (const _ of ['once', 'twice']) await expect(find('acme/site')).rejects.toThrow('The status is 500')
    expect(fetched).toHaveLength(1)
    clock.advance(5)
    server.status = 200
    await find('acme/site')
    await expect(missing()).rejects.toMatchObject({ message: 'It was fetched a moment ago', retryAfter: 60 })
    clock.advance(minute)
    server.status = 500
    for (const _ of ['once', 'twice']) await expect(missing()).rejects.toThrow('The status is 500')
    expect(fetched).toHaveLength(3)
    expect(await documents.find(urlOf('acme/site'), 'acme')).toEqual({ document: urlOf('acme/site') })
  })
})
