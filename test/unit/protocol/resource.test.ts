import fc from 'fast-check'
import { asParsed, canonicalResource, isResource, requestedResource, spellingOf } from '../../../src/protocol/resource'

describe('a resource indicator', () => {
  it.each(['https://api.example', 'https://api.example/mcp?a=b', 'urn:example:api'])('can be %j', (text) => {
    expect(isResource(text)).toBe(true)
  })

  it.each(['', 'api.example', '/mcp', 'https://api.example/mcp#a', 'https://api.example/mcp#'])(
    'cannot be %j',
    (text) => {
      expect(isResource(text)).toBe(false)
      expect(canonicalResource(text)).toBeUndefined()
    },
  )

  it.each([
    ['https://API.example:443/mcp/', 'https://api.example/mcp'],
    ['https://api.example/', 'https://api.example'],
    ['https://api.example/mcp//', 'https://api.example/mcp/'],
    ['https://api.example/a/b', 'https://api.example/a/b'],
    ['https://api.example/mcp/?a=b/', 'https://api.example/mcp/?a=b/'],
  ])('is compared as a URL without one trailing slash: %j as %j', (text, canonical) => {
    expect(canonicalResource(text)).toBe(canonical)
  })
})

it('a resource is found in its own spelling, and one with two slashes at its end is another', () => {
  const resources = ['https://API.example/mcp/', 'https://files.example']
  expect(spellingOf('https://api.example/mcp', resources)).toBe('https://API.example/mcp/')
  expect(spellingOf('https://files.example', resources)).toBe('https://files.example')
  expect(spellingOf('https://files.example/mcp/', ['https://files.example/mcp/'])).toBeUndefined()
})

const issuer = 'https://host.example/v1/acme/oauth'
const offering = (...resources: string[]) => ({ issuer, resources })
const named = (values: string | string[], ...resources: string[]) =>
  requestedResource([values].flat(), offering(...resources))

describe('the resource of a request', () => {
  it('is one resource, however it is written and however often it is repeated', () => {
    expect(named([])).toBeUndefined()
    expect(named(['https://api.example/', 'https://API.example'])).toBe('https://api.example')
  })

  it.each([[['https://api.example', 'https://files.example']], [['https://api.example', 'junk']]])(
    'is never several: %j',
    (values) => {
      expect(() => named(values)).toThrow('resource must name only one resource')
      expect(() => named(values, 'https://api.example')).toThrow('resource must name only one resource')
      expect(() => named(values, ...values.filter(isResource))).toThrow('resource must name only one resource')
    },
  )

  it('is led nowhere if it is no web address', () => {
    expect(named('urn:https:api', 'urn:https:api/mcp')).toBe('urn:https:api')
  })

  it('cannot be junk', () => {
    expect(() => named('junk')).toThrow('resource must be an absolute URL without a fragment')
    expect(() => named(['junk', 'more'])).toThrow('resource must be an absolute URL without a fragment')
    expect(() => named('https://host.example/#', 'https://host.example/mcp')).toThrow('without a fragment')
  })
})

describe('an address that is not a resource', () => {
  const mcp = 'https://host.example/v1/acme/mcp'

  it.each([
    ['the origin', 'https://host.example'],
    ['the origin with a slash', 'https://host.example/'],
    ['the origin with a query', 'https://host.example/?tools=all'],
    ['the origin, spelled otherwise', 'HTTPS://Host.Example:443'],
    ['a parent path', 'https://host.example/v1/acme'],
    ['a parent path with a slash', 'https://host.example/v1/'],
    ['a parent path with a query', 'https://host.example/v1/acme/?a=b'],
    ['a path that goes up again', 'https://host.example/v1/acme/mcp/messages/../../'],
    ['the address with a query', `${mcp}?tools=all`],
    ['the address with an empty query', `${mcp}?`],
    ['the address with a slash and a query', `${mcp}/?tools=all`],
    ['the address twice, once with a query', [`${mcp}?tools=all`, mcp]],
    ['a path below it', `${mcp}/messages`],
    ['a path below it with a query', `${mcp}/messages?session=1`],
    ['a path below it and the address', [`${mcp}/messages`, mcp]],
    ['the origin and the address', ['https://host.example', mcp]],
    ['the origin and a parent path', ['https://host.example/', 'https://host.example/v1']],
  ])('leads to the one resource there is: %s', (_, values) => {
    expect(named(values, mcp, issuer)).toBe(mcp)
    expect(named(values, issuer, 'https://files.example/', `${mcp}/`)).toBe(mcp)
  })

  it.each([
    ['another origin', 'https://files.example'],
    ['another port', 'https://host.example:8443'],
    ['another scheme', 'http://host.example'],
    ['a host that only begins alike', 'https://host.example.evil.example'],
    ['a longer host', 'https://evil.host.example'],
    ['a shorter host', 'https://host.exampl'],
    ['a user name in front of the host', 'https://user@host.example'],
    ['a part of a segment', 'https://host.example/v1/ac'],
    ['a sibling', 'https://host.example/v1/globex'],
    ['another case', 'https://host.example/V1'],
    ['an encoded slash', 'https://host.example/v1%2Facme'],
    ['an empty segment', 'https://host.example//'],
    ['two slashes at the end', `${mcp}//`],
    ['an empty segment below it', `${mcp}//messages`],
    ['no URL of the web', 'urn:example'],
    ['only a scheme', 'https:'],
  ])('leads nowhere if it is %s', (_, value) => {
    const found = isResource(value) ? named(value, mcp, issuer) : undefined
    expect(found).not.toBe(mcp)
    expect(found).not.toBe(issuer)
  })

  it('leads nowhere if it stands above two resources', () => {
    const files = 'https://host.example/v1/acme/files'
    expect(named('https://host.example/', mcp, files)).toBe('https://host.example')
    expect(named(mcp, mcp, files)).toBe(mcp)
    expect(named(['https://host.example/', mcp], mcp, files)).toBe(mcp)
    expect(() => named(['https://host.example/', 'https://host.example/v1'], mcp, files)).toThrow('only one')
  })

  it('leads to the resource of that address rather than to one below it', () => {
    expect(named(mcp, `${mcp}/v2`, mcp)).toBe(mcp)
    expect(named(`${mcp}?tools=all`, `${mcp}/v2`, mcp)).toBe(mcp)
    expect(named('https://host.example', mcp, 'https://host.example/')).toBe('https://host.example')
  })

  it('leads to a resource with a query only if it has none of its own', () => {
    const [one, two] = [`${mcp}?of=one`, `${mcp}?of=two`]
    expect(named(mcp, one)).toBe(one)
    expect(named(`${mcp}/?of=one`, one, two)).toBe(one)
    expect(named('https://host.example/?of=two', one, two)).toBe(two)
    expect(named(two, one)).toBe(two)
    expect(named(mcp, one, two)).toBe(mcp)
    expect(named(two, mcp, one)).toBe(mcp)
  })

  it('is the API that is named in full, beside its origin and another API with a query there', () => {
    const [mcp, other] = ['https://api.example/mcp', 'https://api.example/mcp?a=b']
    expect(named([mcp, 'https://api.example'], mcp, other)).toBe(mcp)
    expect(named([other, 'https://api.example'], mcp, other)).toBe(other)
  })

  it('leads to the API of an issuer that is an origin, unless there are several', () => {
    const origin = 'https://assistant.acme.example'
    const at = (value: string, ...resources: string[]) =>
      requestedResource([value], { issuer: origin, resources: [...resources, origin] })
    for (const value of [origin, `${origin}/`, `${origin}/?a=b`]) {
      expect(at(value, `${origin}/mcp`)).toBe(`${origin}/mcp`)
      expect(at(value)).toBe(origin)
      expect(at(value, 'https://files.example')).toBe(origin)
    }
    expect(at(origin, `${origin}/mcp`, `${origin}/files`)).toBe(origin)
    expect(at(`${origin}/mcp`, `${origin}/mcp`)).toBe(`${origin}/mcp`)
  })

  it('leads to the issuer only if the tenant has no API there', () => {
    expect(named('https://host.example', issuer)).toBe(issuer)
    expect(named('https://host.example', issuer, 'https://files.example')).toBe(issuer)
    expect(named('https://host.example', issuer, mcp)).toBe(mcp)
    expect(named(issuer, issuer, mcp)).toBe(issuer)
    expect(named(`${issuer}?a`, issuer, mcp)).toBe(issuer)
  })

  it('leads to nothing that is no address of the web', () => {
    expect(named('app:', 'app://host/mcp')).toBe('app:')
    expect(named('app://host', 'app://host/mcp')).toBe('app://host')
    expect(named('urn:example', 'urn:example/api')).toBe('urn:example')
    expect(named('app://host/mcp', 'app://host/mcp')).toBe('app://host/mcp')
  })

  it('leads to a resource of this tenant below it on the same origin, or else to the longest above it, or nowhere', () => {
    fc.assert(
      fc.property(url, fc.array(url, { minLength: 1, maxLength: 4 }), (value, resources) => {
        const found = named(value, ...resources) as string
        const canonical = canonicalResource(value)
        if (resources.map(canonicalResource).includes(canonical)) return expect(found).toBe(canonical)
        const below = distinct(resources).filter((resource) => isBelow(resource, value))
        const [only, ...others] = below
        if (only !== undefined && others.length === 0) return expect(found).toBe(canonicalResource(only))
        if (found === canonical) return
        if (only === undefined) {
          const above = distinct(resources).filter((resource) => isAbove(resource, value))
          const longest = Math.max(...above.map((resource) => segmentsOf(resource).length))
          const closest = above.filter((resource) => segmentsOf(resource).length === longest)
          return expect(closest.map(canonicalResource)).toEqual([found])
        }
        // There are several, so the address must be that of exactly one of them.
        const same = below.filter((resource) => segmentsOf(resource).length === segmentsOf(value).length)
        expect(same.map(canonicalResource)).toEqual([found])
      }),
      { numRuns: 4000 },
    )
  })

  it('leads to the same resource in whatever order the host and the client name them', () => {
    const outcomeOf = (values: string[], resources: string[]) => {
      try {
        const found = named(values, ...resources)
        // What is no resource of the tenant's is refused, whichever of the values it is.
        return resources.map(canonicalResource).includes(found) ? found : 'refused'
      } catch {
        return 'refused'
      }
    }
    const values = fc.array(url, { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(values, fc.array(url, { minLength: 1, maxLength: 4 }), (asked, resources) => {
        const outcome = outcomeOf(asked, resources)
        expect(outcomeOf(asked.toReversed(), resources.toReversed())).toBe(outcome)
        expect(outcomeOf([...asked, ...asked], resources)).toBe(outcome)
      }),
      { numRuns: 2000 },
    )
  })
})

const parts = ['/v1', '/acme', '/globex', '/mcp', '/', '//', '/..', '/%2e%2e', '?', 'a=b', '\\', '.', '@', ':1']
const tail = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((chosen) => chosen.join(''))
const origin = fc.constantFrom('https://host.example', 'https://api.example', 'http://host.example')
const url = fc
  .tuple(origin, tail)
  .map((both) => both.join(''))
  .filter(isResource)

/** The segments of a path, without one slash at its end. */
const segmentsOf = (text: string) => new URL(text).pathname.replace(/\/$/, '').split('/')

const distinct = (resources: string[]) =>
  resources.filter(
    (each, index) => resources.findIndex((one) => canonicalResource(one) === canonicalResource(each)) === index,
  )

/** Whether an address is below a resource that has no query, or the same. */
function isAbove(resource: string, address: string): boolean {
  const { search, pathname } = new URL(resource)
  return pathname !== '/' && ['', new URL(address).search].includes(search) && isBelow(address, resource)
}

/** Whether a resource is at or below the path of an address on the same origin, by what RFC 3986 calls its components. */
function isBelow(resource: string, address: string): boolean {
  const [to, from] = [new URL(resource), new URL(address)]
  const authority = ({ protocol, username, password, host }: URL) => [protocol, username, password, host].join(' ')
  const above = segmentsOf(address)
  return (
    authority(to) === authority(from) &&
    above.every((segment, index) => segmentsOf(resource)[index] === segment) &&
    (to.search === '' || from.search === '' || to.search === from.search)
  )
}

describe('an address as a parser writes it', () => {
  it.each([
    ['HTTPS://API.example:443/mcp', 'https://api.example/mcp'],
    ['https://API.example', 'https://api.example'],
    ['https://API.example/', 'https://api.example/'],
    ['https://API.example?next=https://other.example/', 'https://api.example?next=https://other.example/'],
    ['urn:Example:API', 'urn:Example:API'],
    ['https://', 'https://'],
  ])('has a slash at its end only if it had one: %s', (address, parsed) => {
    expect(asParsed(address)).toBe(parsed)
  })

  it('is no API that is above it, if what is below an API is not meant', () => {
    const offered = { issuer: 'https://sign-in.example', resources: ['https://api.example/mcp'] }
    const below = 'https://api.example/mcp/reports'
    expect(requestedResource([below], offered)).toBe('https://api.example/mcp')
    expect(requestedResource([below], offered, { mayBeBelow: false })).toBe(below)
  })
})
