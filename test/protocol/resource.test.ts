import { canonicalResource, isResource, requestedResource } from '../../src/protocol/resource'

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

describe('the resource of a request', () => {
  it('is one resource, however it is written and however often it is repeated', () => {
    expect(requestedResource([])).toBeUndefined()
    expect(requestedResource(['https://api.example/', 'https://API.example'])).toBe('https://api.example')
  })

  it.each([[['https://api.example', 'https://files.example']], [['https://api.example', 'junk']]])(
    'is never several: %j',
    (values) => {
      expect(() => requestedResource(values)).toThrow('resource must name only one resource')
    },
  )

  it('cannot be junk', () => {
    expect(() => requestedResource(['junk'])).toThrow('resource must be an absolute URL without a fragment')
    expect(() => requestedResource(['junk', 'more'])).toThrow('resource must be an absolute URL without a fragment')
  })
})
