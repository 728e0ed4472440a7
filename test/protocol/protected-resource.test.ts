import { metadataUrlOf, resourceAt } from '../../src/protocol/protected-resource'

describe('a protected resource', () => {
  const resource = resourceAt('/v1/:tenantKey/mcp', ['calendar'], [])

  it('has an address at each tenant', () => {
    expect(resource.urlFor('acme', 'https://assistants.example')).toBe('https://assistants.example/v1/acme/mcp')
    expect(resource.scopes).toEqual(['calendar'])
  })

  it.each([
    ['/v1/acme/mcp', ''],
    ['/v1/acme/mcp/', '/'],
    ['/v1/acme/mcp/messages/1', '/messages/1'],
  ])('recognises its tenant in the path %j, and the rest of the path', (path, rest) => {
    expect(resource.tenantKeyIn(path)).toEqual({ tenantKey: 'acme', rest })
  })

  it.each([
    '',
    '/',
    '/v1/',
    '/v1/acme',
    '/v1//mcp',
    '/v2/acme/mcp',
    '/x/v1/acme/mcp',
    '/v1/acme/mcps',
    '/v1/acme/a/mcp',
  ])('recognises no tenant in the path %j', (path) => {
    expect(resource.tenantKeyIn(path)).toBeUndefined()
  })

  it('can end with its tenant', () => {
    const atTheEnd = resourceAt('/mcp/:tenantKey', [], [])
    expect(atTheEnd.tenantKeyIn('/mcp/acme/messages')).toEqual({ tenantKey: 'acme', rest: '/messages' })
    // No tenant can have this key.
    expect(atTheEnd.tenantKeyIn('/mcp/')).toEqual({ tenantKey: '', rest: '' })
    expect(atTheEnd.tenantKeyIn('/mcp//acme')?.tenantKey).not.toBe('acme')
  })

  it('has the path of its metadata in front of its own', () => {
    const url = metadataUrlOf('https://assistants.example/v1/acme/mcp')
    expect(url).toBe('https://assistants.example/.well-known/oauth-protected-resource/v1/acme/mcp')
  })
})
