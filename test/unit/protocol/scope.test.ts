import {
  chosenScopes,
  grantedScopes,
  isScopeToken,
  narrowedScopes,
  scopesOf,
  withoutOfflineAccess,
} from '../../../src/protocol/scope'

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

  it('can be listed without offline_access', () => {
    expect(withoutOfflineAccess(['offline_access', 'profile'])).toEqual(['profile'])
  })
})

describe('the scopes of an authorization request', () => {
  it('are those that it names, or all if it names none', () => {
    expect(grantedScopes('profile', ['calendar', 'profile'])).toEqual(['profile'])
    expect(grantedScopes(undefined, ['calendar', 'profile'])).toEqual(['calendar', 'profile'])
    expect(grantedScopes('  ', ['calendar'])).toEqual(['calendar'])
    expect(grantedScopes(undefined, [])).toEqual([])
  })

  it('are a default of the resource, if it has one, and only where none is named', () => {
    expect(grantedScopes(undefined, ['calendar', 'profile'], ['profile'])).toEqual(['profile'])
    expect(grantedScopes('calendar', ['calendar', 'profile'], ['profile'])).toEqual(['calendar'])
  })

  it('are those on offer, in the order of the request, and never one that it does not name', () => {
    expect(grantedScopes(' openid  profile email', ['calendar', 'profile'])).toEqual(['profile'])
    expect(grantedScopes('b root a b', ['a', 'b', 'c'])).toEqual(['b', 'a'])
  })

  it('are refused if it names some and none is on offer, and the error repeats nothing of the request', () => {
    expect(() => grantedScopes('openid mail', ['profile'])).toThrow(
      expect.objectContaining({
        code: 'invalid_scope',
        description: 'scope names no scope that can be granted',
        detail: { asked: ['openid', 'mail'], accepted: ['profile'] },
      }),
    )
  })

  it('may include offline_access, which changes nothing', () => {
    expect(grantedScopes('offline_access profile', ['calendar', 'profile'])).toEqual(['profile'])
    expect(grantedScopes('offline_access', ['calendar'])).toEqual(['calendar'])
    expect(() => grantedScopes('offline_access admin', ['calendar'])).toThrow('invalid_scope')
  })

  it('are those of a request without a scope if it has only words of OpenID Connect that the company does not offer', () => {
    expect(grantedScopes('openid email profile address phone offline_access', ['calendar'])).toEqual(['calendar'])
    expect(grantedScopes('openid', ['calendar', 'mail'], ['mail'])).toEqual(['mail'])
    // The company offers `profile`, and not to this client.
    expect(() => grantedScopes('openid profile', ['calendar'], ['calendar'], ['calendar', 'profile'])).toThrow(
      'scope names no scope that can be granted',
    )
    for (const other of ['OpenID', 'openid.', 'groups']) {
      expect(() => grantedScopes(other, ['calendar'])).toThrow('scope names no scope that can be granted')
    }
  })

  it('are returned as a new list', () => {
    const offered = ['profile']
    grantedScopes(undefined, offered).push('admin')
    expect(offered).toEqual(['profile'])
  })
})

describe('the scopes that a host has chosen', () => {
  it('are granted as they are', () => {
    expect(chosenScopes(['profile', 'profile'], ['calendar', 'profile'])).toEqual(['profile'])
    expect(chosenScopes(['offline_access', 'profile'], ['profile'])).toEqual(['profile'])
  })

  it('are refused if one is not on offer, and the first of those is named', () => {
    expect(() => chosenScopes(['profile', 'admin', 'root'], ['profile'])).toThrow(
      expect.objectContaining({
        code: 'invalid_scope',
        description: 'scope names a scope that cannot be granted: admin',
        reason: 'scope_not_offered',
        detail: { asked: ['profile', 'admin', 'root'], accepted: ['profile'] },
      }),
    )
  })

  it('never become all because there is nothing else than offline_access', () => {
    for (const offered of [['profile'], ['profile', 'offline_access']]) {
      expect(() => chosenScopes(['offline_access'], offered)).toThrow('scope names no scope that can be granted')
    }
  })
})

describe('the scopes of a refresh', () => {
  const granted = ['profile', 'calendar']

  it('are those that were granted, or those of them that it names', () => {
    expect(narrowedScopes(undefined, granted)).toEqual(granted)
    expect(narrowedScopes('calendar', granted)).toEqual(['calendar'])
  })

  it('are never more than were granted', () => {
    expect(narrowedScopes('profile mail', granted)).toEqual(['profile'])
    expect(narrowedScopes('mail profile calendar openid', granted)).toEqual(granted)
  })

  it('are what was granted of the first request, if it repeats that', () => {
    for (const first of ['openid profile calendar offline_access', ' calendar  profile ', 'offline_access']) {
      expect(narrowedScopes(first, granted)).toEqual(granted)
    }
  })

  it('are refused if none of those that it names was granted, rather than wider than it asks for', () => {
    for (const other of ['mail', 'openid mail']) {
      expect(() => narrowedScopes(other, granted)).toThrow('scope names no scope that can be granted')
    }
    for (const other of ['email', 'openid email']) {
      expect(() => narrowedScopes(other, granted, granted, ['email'])).toThrow(
        'scope names no scope that can be granted',
      )
    }
  })

  it('are those that were granted if it has only words of OpenID Connect that the company does not offer', () => {
    expect(narrowedScopes('openid email offline_access', granted)).toEqual(granted)
    expect(narrowedScopes('openid profile', granted, granted, ['calendar'])).toEqual(['profile'])
  })

  it('are returned as a new list', () => {
    narrowedScopes(undefined, granted).push('admin')
    expect(granted).toEqual(['profile', 'calendar'])
  })
})
