import { type FetchFor, FetchSlots, siteOf } from '../../../src/documents/fetch-slots'
import { DocumentAway } from '../../../src/documents/guarded-fetch'

/** Fetches that run until the test ends them. */
class Fetches {
  readonly slots = new FetchSlots()
  /** The names of the fetches that have a slot, in the order in which they got it. */
  readonly started: string[] = []
  readonly refused: string[] = []
  readonly #ends = new Map<string, () => void>()

  /** Asks for a slot; `tenant/site` says for whom, and any suffix only gives the fetch a name. */
  begin(...names: string[]): void {
    for (const name of names) {
      const work = () =>
        new Promise<void>((resolve) => {
          this.started.push(name)
          this.#ends.set(name, resolve)
        })
      this.slots.lend(fetchFor(name), work).catch((error) => {
        expect(error).toBeInstanceOf(DocumentAway)
        this.refused.push(name)
      })
    }
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await settled()
  }
}

function fetchFor(name: string): FetchFor {
  const [tenantId = '', site = ''] = name.split('/')
  return { tenantId, site }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const many = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => name(index))

beforeEach(() =>
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] }),
)
afterEach(() => jest.useRealTimers())

describe('slots for fetches', () => {
  it('are 2 for a site, whichever tenants ask', async () => {
    const fetches = new Fetches()
    fetches.begin('acme/a', 'globex/a', 'initech/a', 'acme/b')
    await settled()
    expect(fetches.started).toEqual(['acme/a', 'globex/a', 'acme/b'])
    await fetches.end('acme/a')
    expect(fetches.started.slice(3)).toEqual(['initech/a'])
  })

  it('are 8 for a tenant, whichever sites it asks for', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(9, (index) => `acme/${index}`), 'globex/9')
    await settled()
    expect(fetches.started).toEqual([...many(8, (index) => `acme/${index}`), 'globex/9'])
    await fetches.end('acme/3')
    expect(fetches.started.at(-1)).toBe('acme/8')
  })

  it('go to all fetches that one that ends was blocking, at its site and at its tenant', async () => {
    const fetches = new Fetches()
    fetches.begin('acme/a', 'initech/a', ...many(7, (index) => `acme/${index}`), 'globex/a/waits', 'acme/b/waits')
    await settled()
    expect(fetches.started).toHaveLength(9)
    await fetches.end('acme/a')
    expect(fetches.started.slice(9).sort()).toEqual(['acme/b/waits', 'globex/a/waits'])
  })

  it('are 32 in all', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(33, (index) => `tenant${index}/${index}`))
    await settled()
    expect(fetches.started).toHaveLength(32)
    await fetches.end('tenant0/0')
    expect(fetches.started).toHaveLength(33)
  })

  it('are free again whether a fetch succeeds or fails', async () => {
    const { slots } = new Fetches()
    for (let each = 0; each < 40; each++) {
      const fetched = slots.lend(fetchFor('acme/a'), () =>
        each % 2 ? Promise.reject(new Error('no')) : Promise.resolve(),
      )
      await fetched.catch(({ message }) => expect(message).toBe('no'))
    }
    expect(await slots.lend(fetchFor('acme/a'), async () => 'served')).toBe('served')
  })
})

describe('a fetch that finds no slot', () => {
  it('waits for six seconds, longer than any fetch takes, and is then refused', async () => {
    const fetches = new Fetches()
    fetches.begin('acme/a', 'acme/a/second', 'acme/a/third')
    jest.advanceTimersByTime(5999)
    await settled()
    expect(fetches.refused).toEqual([])
    jest.advanceTimersByTime(1)
    await settled()
    expect(fetches.refused).toEqual(['acme/a/third'])
    await fetches.end('acme/a')
    expect(fetches.started).toEqual(['acme/a', 'acme/a/second'])
  })

  it('goes before the fetches of a site that has more slots, however long they wait', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(16, (index) => `tenant${index}/site${index}/1`))
    fetches.begin(...many(16, (index) => `tenant${index}/site${index}/2`))
    fetches.begin(...many(16, (index) => `tenant${index}/site${index}/3`), 'globex/own')
    await settled()
    expect(fetches.started).toHaveLength(32)
    await fetches.end('tenant3/site3/1')
    expect(fetches.started.at(-1)).toBe('globex/own')
  })

  it('goes before the fetches of a tenant that has more slots, also at the same site', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(10, (index) => `acme/a/${index}`), 'globex/a')
    await settled()
    await fetches.end('acme/a/0')
    expect(fetches.started.at(-1)).toBe('globex/a')
  })

  it('goes before those that came later, even if its site has had a slot before and theirs have not', async () => {
    const fetches = new Fetches()
    fetches.begin('globex/own/before')
    await settled()
    await fetches.end('globex/own/before')
    fetches.begin(...many(32, (index) => `tenant${index}/held${index}`), 'globex/own')
    fetches.begin(...many(20, (index) => `elsewhere${index}/never-seen${index}`))
    await settled()
    await fetches.end('tenant0/held0')
    expect(fetches.started.at(-1)).toBe('globex/own')
  })

  it.each<[what: string, sites: number, tenantOf: (site: number) => string, slots: number]>([
    ['at its own company, 4', 4, () => 'acme', 8],
    ['at other companies, 16', 16, (site) => `tenant${site % 4}`, 32],
  ])(
    'gets one as soon as one that has one now ends, %s other sites taking all they can',
    async (_, sites, tenantOf, slots) => {
      const fetches = new Fetches()
      for (let site = 0; site < sites; site++) {
        fetches.begin(...many(3, (index) => `${tenantOf(site)}/stranger${site}/${index}`))
      }
      fetches.begin('acme/own')
      await settled()
      expect(fetches.started).toHaveLength(slots)
      await fetches.end(`${tenantOf(0)}/stranger0/0`)
      expect(fetches.started.at(-1)).toBe('acme/own')
    },
  )

  it('is not refused because of others of one site, however many there are', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(6, (index) => `acme/slow${index}`), 'acme/a/1', 'acme/a/2', 'acme/own/1', 'acme/own/2')
    fetches.begin(...many(200, (index) => `acme/a/more${index}`))
    await settled()
    expect(fetches.refused.every((name) => name.startsWith('acme/a/more'))).toBe(true)
    expect(fetches.refused).toHaveLength(200 + 2 - 64)
    await fetches.end('acme/slow0')
    await fetches.end('acme/slow1')
    expect(fetches.started.slice(-2)).toEqual(['acme/own/1', 'acme/own/2'])
  })

  it('is not refused because of others of one tenant, however many sites they are of', async () => {
    const fetches = new Fetches()
    fetches.begin('globex/a/1', 'globex/a/2', 'globex/a/3', ...many(200, (index) => `acme/${index}`))
    await settled()
    expect(fetches.refused.every((name) => name.startsWith('acme/'))).toBe(true)
    await fetches.end('globex/a/1')
    expect(fetches.started.at(-1)).toBe('globex/a/3')
  })

  it('is not refused if another tenant has more waiting than it can have slots, although it is the newest', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(24, (index) => `tenant${index}/held${index}`), ...many(72, (index) => `acme/${index}`))
    fetches.begin('globex/own')
    await settled()
    expect(fetches.refused).toEqual(['acme/71'])
  })

  it('is not refused in favour of newer ones, even if each of those is alone at its tenant and its site', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(32, (index) => `tenant${index}/held${index}`), 'globex/a', 'globex/b')
    fetches.begin(...many(200, (index) => `elsewhere${index}/stranger${index}`))
    await settled()
    expect(fetches.refused).toEqual(many(200 - 62, (index) => `elsewhere${index + 62}/stranger${index + 62}`))
  })

  it('is not refused in favour of a newer one if its tenant has no more waiting than it can have slots', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(32, (index) => `tenant${index}/held${index}`), ...many(8, (index) => `acme/${index}`))
    fetches.begin(...many(57, (index) => `elsewhere${index}/stranger${index}`))
    await settled()
    expect(fetches.refused).toEqual(['elsewhere56/stranger56'])
  })

  it('is not refused if others have more waiting than they can have slots, although it is the newest', async () => {
    const fetches = new Fetches()
    fetches.begin(...many(32, (index) => `tenant${index}/held${index}`), ...many(64, (index) => `at${index}/crowd`))
    fetches.begin('globex/own')
    await settled()
    expect(fetches.refused).toEqual(['at63/crowd'])
  })
})

const site = (host: string) => siteOf(new URL(`https://${host}/client.json`))

describe('the site of a host', () => {
  it.each([
    ['example.com', 'example.com'],
    ['www.example.com', 'example.com'],
    ['a.b.c.example.com', 'example.com'],
    ['example.com.', 'example.com'],
    ['example.com:8443', 'example.com'],
    ['app.vercel.app', 'vercel.app'],
    ['example.co.uk', 'example.co.uk'],
    ['www.example.co.uk', 'example.co.uk'],
    ['a.example.com.au', 'example.com.au'],
    ['a.example.ac.uk', 'example.ac.uk'],
    ['a.example.edu.au', 'example.edu.au'],
    ['a.example.go.jp', 'example.go.jp'],
    ['a.example.gov.uk', 'example.gov.uk'],
    ['a.example.ne.jp', 'example.ne.jp'],
    ['a.example.net.au', 'example.net.au'],
    ['a.example.or.jp', 'example.or.jp'],
    ['a.example.org.uk', 'example.org.uk'],
    ['a.net.com', 'net.com'],
    ['abc.io', 'abc.io'],
    ['x.abc.io', 'abc.io'],
    ['localhost', 'localhost'],
  ])('is the registered domain: %s belongs to %s', (host, expected) => {
    expect(site(host)).toBe(expected)
  })

  it.each(['127.0.0.1', '93.184.215.14', '[::1]', '[2606:4700::1111]', '[2606:4700::1112]:8443'])(
    'is one and the same for all bare addresses: %s',
    (host) => expect(site(host)).toBe('an address'),
  )

  it.each([`${'a'.repeat(64)}.example`, `www.${'a'.repeat(1900)}.com`, `${'a.'.repeat(124)}example`])(
    'is one and the same for all names that are too long to be looked up: %s',
    (host) => expect(site(host)).toBe('a long name'),
  )

  it('is the registered domain of the longest names that can be looked up', () => {
    expect(site(`${'a'.repeat(63)}.example`)).toBe(`${'a'.repeat(63)}.example`)
    expect(site(`${'a.'.repeat(123)}example.`)).toBe('a.example')
  })
})
