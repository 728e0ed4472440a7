import { metadataUrlOf, resourceAt } from '../../../src/protocol/resource'

describe('a protected resource', () => {
  const resource = resourceAt('/v1/:tenantKey/mcp', ['calendar'], [])

  it('has an address at each tenant', () => {
    const shared = { baseUrl: 'https://assistants.example', keyInPath: 'acme' }
    expect(resource.urlFor(shared)).toBe('https://assistants.example/v1/acme/mcp')
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

  it.each([
    ['/v1/:tenantKey/mcp', '/mcp'],
    ['/:tenantKey/mcp/v2', '/mcp/v2'],
    ['/mcp/:tenantKey', '/mcp'],
    ['/:tenantKey', ''],
  ])('at %s has the path %j on a domain of its tenant', (path, ownPath) => {
    const own = resourceAt(path, [], [])
    const address = { baseUrl: 'https://assistant.acme.example', keyInPath: undefined }
    expect(own.urlFor(address)).toBe(`https://assistant.acme.example${ownPath}`)
    expect(own.restOnOwnDomain(ownPath)).toBe('')
    expect(own.restOnOwnDomain(`${ownPath}/messages/1`)).toBe('/messages/1')
    expect(own.restOnOwnDomain(`${ownPath}s`)).toBeUndefined()
    expect(own.restOnOwnDomain(`x${ownPath}`)).toBeUndefined()
  })

  it('has the path of its metadata in front of its own', () => {
    const url = metadataUrlOf('https://assistants.example/v1/acme/mcp')
    expect(url).toBe('https://assistants.example/.well-known/oauth-protected-resource/v1/acme/mcp')
  })
})
