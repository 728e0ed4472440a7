import { grantedScopes, isScopeToken, scopesOf } from '../../src/protocol/scope'

describe('a scope token', () => {
  it.each(['a', 'calendar.read', '!', '#', '[', ']', '~', 'https://api.example/read'])('can be %j', (text) => {
    expect(isScopeToken(text)).toBe(true)
  })

  it.each(['', ' ', 'a b', '"', '\\', 'a"', '\\a', 'a\n', 'ä', '\x7F'])('cannot be %j', (text) => {
    expect(isScopeToken(text)).toBe(false)
  })
})

describe('scopes', () => {
  it('are read from a text or a list, each once, in the order given', () => {
    expect(scopesOf('b a  b ')).toEqual(['b', 'a'])
    expect(scopesOf(['b', 'a', 'b'])).toEqual(['b', 'a'])
    expect(scopesOf('')).toEqual([])
  })

  it('are granted as requested, or all if none is requested', () => {
    expect(grantedScopes('profile', ['calendar', 'profile'])).toEqual(['profile'])
    expect(grantedScopes(undefined, ['calendar', 'profile'])).toEqual(['calendar', 'profile'])
    expect(grantedScopes([], ['calendar'])).toEqual(['calendar'])
    expect(grantedScopes(undefined, [])).toEqual([])
  })

  it('are refused if they are not on offer, and the first of those is named', () => {
    expect(() => grantedScopes('profile admin root', ['profile'])).toThrow(
      expect.objectContaining({
        code: 'invalid_scope',
        description: 'scope names a scope that cannot be granted: admin',
      }),
    )
  })

  it('may include offline_access, which changes nothing unless it is on offer', () => {
    expect(grantedScopes('offline_access profile', ['calendar', 'profile'])).toEqual(['profile'])
    expect(grantedScopes('offline_access', ['calendar'])).toEqual(['calendar'])
    expect(grantedScopes('offline_access', ['calendar', 'offline_access'])).toEqual(['offline_access'])
  })

  it('on offer are returned as a new list', () => {
    const offered = ['profile']
    grantedScopes(undefined, offered).push('admin')
    expect(offered).toEqual(['profile'])
  })
})
