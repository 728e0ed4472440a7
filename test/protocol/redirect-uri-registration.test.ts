import fc from 'fast-check'
import { redirectUriFault, redirectUriMatches, withResponse } from '../../src/protocol/redirect-uri'
import { hostile, registered } from '../support/hostile-redirect-uris'
import { registrable, unregistrable } from '../support/unregistrable-redirect-uris'

const schemes = ['cursor', 'vscode']
const inWords = (value: unknown): [string, unknown] => [`${JSON.stringify(value)}`.slice(0, 80), value]
const matchesAny = (presented: string) => registered.some((each) => redirectUriMatches(each, presented))

describe('a redirect URI matches', () => {
  it.each(registered)('itself: %s', (redirectUri) => {
    expect(redirectUriMatches(redirectUri, redirectUri)).toBe(true)
  })

  it.each(Object.entries(hostile))('nothing that is disguised by %s', (_, redirectUris) => {
    expect(redirectUris.filter(matchesAny)).toEqual([])
  })

  it('no other text, save where the port of a loopback address is all that differs', () => {
    const parts = [
      'http://',
      'https://',
      'localhost',
      '127.0.0.1',
      '[::1]',
      'evil.example',
      ':',
      '80',
      '1',
      '@',
      '/',
      '?',
      'cb',
      '#',
      '\\',
      '.',
    ]
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((chosen) => chosen.join(''))
    fc.assert(
      fc.property(fc.constantFrom(...registered), text, (one, presented) => {
        if (!redirectUriMatches(one, presented)) return
        const [known, given] = [new URL(one), new URL(presented)]
        expect(['localhost', '127.0.0.1', '[::1]']).toContain(given.hostname)
        expect([given.protocol, given.username, given.hostname, given.pathname, given.search, given.hash]).toEqual([
          ...[known.protocol, '', known.hostname, known.pathname, known.search, ''],
        ])
      }),
      { numRuns: 20_000 },
    )
  })
})

describe('a redirect URI may be registered', () => {
  it.each(registrable)('that clients register in earnest: %s', (redirectUri) => {
    expect(redirectUriFault(redirectUri, schemes)).toBeUndefined()
  })

  describe.each(Object.entries(unregistrable))('but not with %s', (_, redirectUris) => {
    it.each(redirectUris.map(inWords))('%s', (_, redirectUri) => {
      expect(redirectUriFault(redirectUri, schemes)).toMatch(/^must (not )?(be|have) /)
    })
  })

  it('where every reader reads the same: its text is its own normal form, and it is no more than a URI', () => {
    const text = fc.oneof(
      fc.webUrl({ withQueryParameters: true }),
      fc.string(),
      fc.string().map((rest) => `com.example:${rest}`),
    )
    fc.assert(
      fc.property(text, (redirectUri) => {
        if (redirectUriFault(redirectUri, schemes) !== undefined) return
        expect([redirectUri, `${redirectUri}/`]).toContain(new URL(redirectUri).href)
        expect(redirectUri).toMatch(/^[\w\-.~:/?[\]@!$&'()*+,;=%]+$/)
      }),
      { numRuns: 5000 },
    )
  })
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

  it('is read by a URL parser as it was written, whatever it says', () => {
    fc.assert(
      fc.property(fc.constantFrom(...registrable), fc.string({ unit: 'grapheme' }), (redirectUri, state) => {
        const { searchParams, hash } = new URL(withResponse(redirectUri, { state, iss: 'https://acme.example' }))
        expect([searchParams.get('state'), searchParams.get('iss'), hash]).toEqual([state, 'https://acme.example', ''])
      }),
    )
  })
})
