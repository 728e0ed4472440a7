import { serverNameOf } from '../../../src/connect/connect'
import { isTenantKey } from '../../../src/protocol/resource'

describe('the name of a company’s MCP server', () => {
  it.each([
    ['acme', 'acme'],
    ['Acme-Air', 'acme-air'],
    ['acme.air_2~x', 'acme-air-2-x'],
    ['--acme--', 'acme'],
    ['-rf', 'rf'],
    ['~', 'mcp-server'],
    ['_-_', 'mcp-server'],
    ['a'.repeat(64), 'a'.repeat(64)],
  ])('of the key %s is %s', (key, name) => {
    expect(isTenantKey(key)).toBe(true)
    expect(serverNameOf(key)).toBe(name)
  })
})
