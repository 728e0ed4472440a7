import fc from 'fast-check'
import {
  isAppRedirect,
  isOnHostOf,
  ownRedirectUriFault,
  redirectUriFault,
  redirectUriMatches,
  withResponse,
} from '../../../src/protocol/redirect-uri'
import { hostile, registered } from '../../support/hostile-redirect-uris'
import { registrable, unregistrable } from '../../support/unregistrable-redirect-uris'

const accepted = ['cursor://anysphere.cursor-mcp/oauth/']
const inWords = (value: unknown): [string, unknown] => [`${JSON.stringify(value)}`.slice(0, 80), value]
const matchesAny = (presented: string) => registered.some((each) => redirectUriMatches(each, presented))

/** One change of a URI, somewhere, behind its host or at its end: some characters are taken out of it, a part is put in, or both. */
const edits = (parts: readonly string[]) =>
  fc
    .record({
      at: fc.oneof(fc.nat(60), fc.constantFrom('host', 'end')),
      taken: fc.constantFrom(0, 0, 0, 1, 2, 5),
      part: fc.constantFrom('', ...parts),
    })
    .map(({ at, taken, part }) => (text: string) => {
      const host = /^\w+:\/\/(?:\[[^\]]*\]|[^:/?]*)/.exec(text)?.[0] ?? ''
      const end = at === 'host' ? host.length : text.length
      const start = typeof at === 'number' ? at % text.length : end
      return text.slice(0, start) + part + text.slice(start + taken)
    })

/** A redirect URI without the port of a loopback address, and with `/` for an empty path. */
function withoutWhatMayDiffer(redirectUri: string): string {
  return redirectUri
    .replace(/^(https?:\/\/[^/?#]+)(?=\?|$)/, '$1/')
    .replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+(?=\/)/, '$1')
}

describe('a redirect URI matches', () => {
  it.each(registered)('itself: %s', (redirectUri) => {
    expect(redirectUriMatches(redirectUri, redirectUri)).toBe(true)
  })

  it.each(Object.entries(hostile))('nothing that is disguised by %s', (_, redirectUris) => {
    expect(redirectUris.filter(matchesAny)).toEqual([])
  })

  it('no other text, unless only the port of a loopback address differs, or an empty path is written as /', () => {
    const pathless = ['https://evil.example', 'https://evil.example/', 'http://localhost:80', 'http://127.0.0.1/?cb']
    const parts = [
      'http://',
      's',
      'localhost',
      '127.0.0.1',
      '[::1]',
      'evil.example',
      ':80',
      ':1',
      '@',
      '/',
      '?',
      '#',
      '.',
    ]
    let matched = 0
    const property = fc.property(fc.constantFrom(...registered, ...pathless), edits(parts), (one, edit) => {
      const presented = edit(one)
      const isSame = withoutWhatMayDiffer(one) === withoutWhatMayDiffer(presented) && URL.canParse(presented)
      if (isSame && one !== presented) matched++
      expect({ presented, matches: redirectUriMatches(one, presented) }).toEqual({ presented, matches: isSame })
    })
    fc.assert(property, { numRuns: 5000 })
    expect(matched).toBeGreaterThan(25)
  })
})

describe('a redirect URI may be registered', () => {
  it.each(registrable)('that real clients register: %s', (redirectUri) => {
    expect(redirectUriFault(redirectUri, accepted)).toBeUndefined()
  })

  describe.each(Object.entries(unregistrable))('but not with %s', (_, redirectUris) => {
    it.each(redirectUris.map(inWords))('%s', (_, redirectUri) => {
      expect(redirectUriFault(redirectUri, accepted)).toMatch(/^must (not )?(be|have|contain) /)
    })
  })

  it('if it is an app address that is accepted, or begins with one that ends with a slash', () => {
    const addresses = ['assistant:/callback', 'assistant://connect/']
    for (const redirectUri of ['assistant:/callback', 'assistant://connect/', 'assistant://connect/oauth']) {
      expect(redirectUriFault(redirectUri, addresses)).toBeUndefined()
    }
    for (const redirectUri of ['assistant:/callback/', 'assistant:/callbacks', 'assistant://connect']) {
      expect(redirectUriFault(redirectUri, addresses)).toContain('an app address that is accepted here')
    }
  })

  it('only if all parsers read it the same way: it is a URI, written in its normal form', () => {
    const text = fc.oneof(
      fc.webUrl({ withQueryParameters: true }),
      fc.string(),
      fc.string().map((rest) => `com.example:${rest}`),
    )
    fc.assert(
      fc.property(text, (redirectUri) => {
        if (redirectUriFault(redirectUri, accepted) !== undefined) return
        expect([redirectUri, `${redirectUri}/`]).toContain(new URL(redirectUri).href)
        expect(redirectUri).toMatch(/^[\w\-.~:/?[\]@!$&'()*+,;=%]+$/)
      }),
      { numRuns: 1500 },
    )
  })
})

describe('an app’s redirect URIs can be', () => {
  it.each([
    ...accepted,
    'cursor://anysphere.cursor-mcp/',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'assistant://callback',
    'assistant:/callback',
    'assistant:/oauth/',
    'a+b-1://x/',
  ])('%s', (text) => {
    expect(isAppRedirect(text)).toBe(true)
  })

  it.each([
    'cursor',
    'cursor:',
    'cursor:/',
    'cursor://',
    'cursor:///',
    'cursor:///oauth/',
    'cursor:callback',
    'cursor://*/',
    'cursor://anysphere.cursor-mcp//',
    'cursor://anysphere.cursor-mcp/oauth/../',
    'cursor://anysphere.cursor-mcp/%2e%2e/',
    'cursor://anysphere.cursor-mcp/oauth/?next=',
    'cursor://anysphere.cursor-mcp/oauth/#',
    'cursor://user@anysphere.cursor-mcp/',
    'cursor://anysphere.cursor-mcp:80/',
    'cursor:\\\\anysphere.cursor-mcp\\',
    'Cursor://anysphere.cursor-mcp/',
    ' cursor://anysphere.cursor-mcp/',
    'com.example.app:/callback',
    'https://assistant.example/',
    'http://127.0.0.1/',
    'javascript:/alert',
    'javascript://x/',
    'data://x/',
    'file:///etc/',
    'file://x/',
    'intent://x/',
    '',
  ])('but not %j', (text) => {
    expect(isAppRedirect(text)).toBe(false)
  })

  it('no whole scheme, whatever the host writes', () => {
    const addresses = ['cursor://a', 'cursor://a/', 'cursor:/a/', 'cursor://a/a']
    const parts = ['cursor', ':', '/', '//', '.', '..', 'a', '%2e', '?', '#', '@', '\\', '*', ' ']
    let accepted = 0
    const property = fc.property(fc.constantFrom(...addresses), edits(parts), (address, edit) => {
      const entry = edit(address)
      if (!isAppRedirect(entry)) return
      accepted++
      for (const other of ['cursor://other/install', 'cursor:/other', 'cursor:other']) {
        expect({ entry, fault: redirectUriFault(other, [entry]) }).toEqual({ entry, fault: expect.any(String) })
      }
    })
    fc.assert(property, { numRuns: 5000 })
    expect(accepted).toBeGreaterThan(500)
  })
})

describe('a redirect URI', () => {
  it('has at most 512 characters', () => {
    const ofLength = (length: number) => 'https://assistant.example/'.padEnd(length, 'x')
    expect(redirectUriFault(ofLength(512), [])).toBeUndefined()
    expect(redirectUriFault(ofLength(513), [])).toBe('must be a string of at most 512 characters')
  })
})

describe('a loopback address inside another address', () => {
  const inside = (port: number) => `http://evil.example/http://localhost:${port}/callback`

  it('does not count as a loopback address', () => {
    expect(redirectUriFault(inside(1), [])).toBe('must be https, except on loopback')
  })

  it('lets no other port match', () => {
    expect(redirectUriMatches(inside(1), inside(1))).toBe(true)
    expect(redirectUriMatches(inside(1), inside(2))).toBe(false)
  })
})

describe('a client of the company itself', () => {
  it.each(['https://assistant.example/callback', 'http://localhost:1/callback', 'assistant:/callback'])(
    'can have %s',
    (redirectUri) => {
      expect(ownRedirectUriFault(redirectUri)).toBeUndefined()
      expect(ownRedirectUriFault(redirectUri.padEnd(2000, 'x'))).toBeUndefined()
    },
  )

  it.each<[redirectUri: unknown, fault: string]>([
    [1, 'must be a string of at most 2000 characters'],
    ['https://assistant.example/'.padEnd(2001, 'x'), 'must be a string of at most 2000 characters'],
    ['callback', 'must be an absolute URI'],
    ['https://assistant.example/#', 'must not have a fragment'],
    ['https://assistant.example/a b', 'must contain only characters that a URI may have'],
    ['https://user@assistant.example/', 'must not contain a user name or password'],
    ['https://:password@assistant.example/', 'must not contain a user name or password'],
    ['http://assistant.example/', 'must be https, except on loopback'],
    ['javascript:x', 'must be https, http on loopback, or the address of an app'],
    ['data:x', 'must be https, http on loopback, or the address of an app'],
    ['vbscript:x', 'must be https, http on loopback, or the address of an app'],
    ['blob:x', 'must be https, http on loopback, or the address of an app'],
    ['file:x', 'must be https, http on loopback, or the address of an app'],
    ['about:x', 'must be https, http on loopback, or the address of an app'],
    ['view-source:x', 'must be https, http on loopback, or the address of an app'],
    ['filesystem:x', 'must be https, http on loopback, or the address of an app'],
  ])('cannot have %.60s: it %s', (redirectUri, fault) => {
    expect(ownRedirectUriFault(redirectUri)).toBe(fault)
  })
})

describe('a redirect URI is on the host of this server', () => {
  const issuer = 'https://signin.example/v1/acme/oauth'

  it.each([
    'https://signin.example',
    'https://signin.example/callback?next=https://evil.example',
    'https://signin.example:8443/callback',
    'https://signin.example./callback',
    'https://signin.example../callback',
    'http://signin.example/callback',
  ])('with %s', (redirectUri) => {
    expect(isOnHostOf(issuer, redirectUri)).toBe(true)
  })

  it.each([
    'https://assistant.example/callback',
    'https://app.signin.example/callback',
    'https://signin.example.assistant.example/callback',
    'http://127.0.0.1/signin.example',
    'com.example.app://signin.example/callback',
    'com.example.app://signin.example/https:',
  ])('but not with %s', (redirectUri) => {
    expect(isOnHostOf(issuer, redirectUri)).toBe(false)
  })

  it.each(['http://localhost:8080', 'https://localhost', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'nor with anything on a developer’s own machine: %s',
    (baseUrl) => {
      expect(isOnHostOf(`${baseUrl}/v1/acme/oauth`, `${baseUrl}/callback`)).toBe(false)
    },
  )
})

describe('a response in a redirect URI', () => {
  it.each([
    ['https://assistant.example/callback', 'https://assistant.example/callback?code=a'],
    ['https://assistant.example', 'https://assistant.example?code=a'],
    ['https://assistant.example/callback?flow=1', 'https://assistant.example/callback?flow=1&code=a'],
    ['com.example.assistant:/callback', 'com.example.assistant:/callback?code=a'],
    ['com.example.assistant:callback', 'com.example.assistant:callback?code=a'],
  ])('leaves the text of %s as it is', (redirectUri, location) => {
    expect(withResponse(redirectUri, { code: 'a', state: undefined })).toBe(location)
  })

  it('is read by a URL parser as it was written, whatever it contains', () => {
    fc.assert(
      fc.property(fc.constantFrom(...registrable), fc.string({ unit: 'grapheme' }), (redirectUri, state) => {
        const { searchParams, hash } = new URL(withResponse(redirectUri, { state, iss: 'https://acme.example' }))
        expect([searchParams.get('state'), searchParams.get('iss'), hash]).toEqual([state, 'https://acme.example', ''])
      }),
    )
  })
})
