import { KeptDocuments } from '../../../src/clients/kept-documents'
import { releaseClock, stopClock } from '../../support/clock'
import { redirectUri } from '../../support/sign-in'

const metadata = { redirectUris: [redirectUri] }
const hour = { fresh: 3_600_000, stale: 0 }

/** Keeps a document. Its address says who has brought it in: `tenant/site`, and then any suffix. */
function keep(documents: KeptDocuments, ...addresses: string[]): void {
  for (const address of addresses) {
    const [tenantId = '', site = ''] = address.split('/')
    documents.keep(address, metadata, hour, { tenantId, site })
  }
}

const many = (count: number, address: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => address(index))
const gone = (documents: KeptDocuments, addresses: readonly string[]) =>
  addresses.filter((address) => documents.fresh(address) === undefined)

afterEach(releaseClock)

describe('kept documents', () => {
  it('are at most 50 of a site, whichever tenants bring them in: the one used longest ago makes room', () => {
    const documents = new KeptDocuments()
    const own = many(50, (index) => `tenant${index}/site/${index}`)
    keep(documents, 'acme/other', ...own)
    documents.fresh('tenant0/site/0')
    keep(documents, 'acme/site/new')
    expect(gone(documents, ['acme/other', ...own, 'acme/site/new'])).toEqual(['tenant1/site/1'])
  })

  it('are at most 250 from one tenant, whichever sites they are of', () => {
    const documents = new KeptDocuments()
    const own = many(250, (index) => `acme/site${index}`)
    keep(documents, 'globex/site', ...own, 'acme/new')
    expect(gone(documents, ['globex/site', ...own, 'acme/new'])).toEqual(['acme/site0'])
  })

  it('are at most 1000 in all', () => {
    const documents = new KeptDocuments()
    const all = many(1000, (index) => `tenant${index % 5}/site${index}`)
    keep(documents, ...all, 'acme/new')
    expect(gone(documents, [...all, 'acme/new'])).toEqual([all[0]])
  })

  it('are as old as their last fetch', () => {
    const clock = stopClock()
    const documents = new KeptDocuments()
    clock.advance(100)
    keep(documents, 'acme/site')
    clock.advance(7)
    expect(documents.age('acme/site')).toBe(7000)
    expect(documents.age('acme/other')).toBeUndefined()
  })

  it('are dropped last if a customer has allowed their client', () => {
    const documents = new KeptDocuments()
    keep(documents, 'acme/site/allowed')
    documents.markAllowed('acme/site/allowed')
    keep(documents, ...many(500, (index) => `acme/site/${index}`), ...many(500, (index) => `acme/site${index}`))
    expect(documents.fresh('acme/site/allowed')).toEqual(metadata)
  })

  it('stay allowed when they are fetched again', () => {
    const documents = new KeptDocuments()
    keep(documents, 'acme/site/allowed')
    documents.markAllowed('acme/site/allowed')
    keep(documents, 'acme/site/allowed', ...many(50, (index) => `acme/site/${index}`))
    expect(documents.fresh('acme/site/allowed')).toEqual(metadata)
  })

  it('still make room if customers have allowed all clients of a site', () => {
    const documents = new KeptDocuments()
    const own = many(50, (index) => `acme/site/${index}`)
    keep(documents, ...own)
    for (const address of own) documents.markAllowed(address)
    keep(documents, 'acme/site/new')
    expect(gone(documents, [...own, 'acme/site/new'])).toEqual(['acme/site/0'])
  })

  it('can be used for a time after they are no longer fresh, and are then dropped', () => {
    const clock = stopClock()
    const documents = new KeptDocuments()
    documents.keep('a', metadata, { fresh: 60_000, stale: 600_000 }, { tenantId: 'acme', site: 'a' })
    clock.advance(59)
    expect(documents.fresh('a')).toEqual(metadata)
    clock.advance(1)
    expect(documents.fresh('a')).toBeUndefined()
    expect(documents.stale('a', 600_000, 60_000)).toEqual(metadata)
    expect(documents.fresh('a')).toEqual(metadata)
    clock.advance(599)
    expect(documents.fresh('a')).toBeUndefined()
    expect(documents.stale('a', 600_000, 60_000)).toEqual(metadata)
    clock.advance(1)
    expect([documents.fresh('a'), documents.stale('a', 600_000, 60_000)]).toEqual([undefined, undefined])
  })
  it('can be used for no longer than is asked for, however often they are used meanwhile', () => {
    const clock = stopClock()
    const documents = new KeptDocuments()
    documents.keep('a', metadata, { fresh: 60_000, stale: 6_000_000 }, { tenantId: 'acme', site: 'a' })
    clock.advance(60)
    for (let minute = 0; minute < 10; minute++) {
      expect(documents.stale('a', 600_000, 60_000)).toEqual(metadata)
      clock.advance(60)
    }
    expect(documents.stale('a', 600_000, 60_000)).toBeUndefined()
    expect(documents.stale('a', 6_000_000, 60_000)).toEqual(metadata)
  })

  it('stay known when they are too old to be used, until they are dropped or make room', () => {
    const clock = stopClock()
    const documents = new KeptDocuments()
    keep(documents, 'acme/site/a', 'acme/site/b')
    documents.markAllowed('acme/site/b')
    clock.advance(1_000_000)
    const addresses = ['acme/site/a', 'acme/site/b', 'acme/site/c']
    const standings = () => addresses.map((address) => documents.standing(address))
    expect(standings()).toEqual(['known', 'allowed', 'unknown'])
    documents.drop('acme/site/b')
    keep(documents, ...many(50, (index) => `globex/site/${index}`))
    expect(standings()).toEqual(['unknown', 'unknown', 'unknown'])
  })

  it('count for the tenant that brought them in first', () => {
    const documents = new KeptDocuments()
    const own = many(250, (index) => `acme/site${index}`)
    keep(documents, ...own)
    documents.keep('acme/site0', metadata, hour, { tenantId: 'globex', site: 'site0' })
    keep(documents, 'acme/new')
    expect(gone(documents, [...own, 'acme/new'])).toEqual(['acme/site1'])
  })
})
