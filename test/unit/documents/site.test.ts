import { siteOf } from '../../../src/documents/site'

const site = (host: string) => siteOf(new URL(`https://${host}/client.json`))

describe('the site of a host', () => {
  it.each([
    ['example.com', 'example.com'],
    ['www.example.com', 'example.com'],
    ['a.b.c.example.com', 'example.com'],
    ['example.com.', 'example.com'],
    ['example.com:8443', 'example.com'],
    ['app.vercel.app', 'vercel.app'],
    ['example.co.uk', 'example.co.uk'],
    ['www.example.co.uk', 'example.co.uk'],
    ['a.example.com.au', 'example.com.au'],
    ['a.example.ac.uk', 'example.ac.uk'],
    ['a.example.edu.au', 'example.edu.au'],
    ['a.example.go.jp', 'example.go.jp'],
    ['a.example.gov.uk', 'example.gov.uk'],
    ['a.example.ne.jp', 'example.ne.jp'],
    ['a.example.net.au', 'example.net.au'],
    ['a.example.or.jp', 'example.or.jp'],
    ['a.example.org.uk', 'example.org.uk'],
    ['a.net.com', 'net.com'],
    ['abc.io', 'abc.io'],
    ['x.abc.io', 'abc.io'],
    ['localhost', 'localhost'],
  ])('is the registered domain: %s belongs to %s', (host, expected) => {
    expect(site(host)).toBe(expected)
  })

  it.each(['127.0.0.1', '93.184.215.14', '[::1]', '[2606:4700::1111]', '[2606:4700::1112]:8443'])(
    'is one and the same for all bare addresses: %s',
    (host) => expect(site(host)).toBe('an address'),
  )

  it.each([`${'a'.repeat(64)}.example`, `www.${'a'.repeat(1900)}.com`, `${'a.'.repeat(124)}example`])(
    'is one and the same for all names that are too long to be looked up: %s',
    (host) => expect(site(host)).toBe('a long name'),
  )

  it('is the registered domain of the longest names that can be looked up', () => {
    expect(site(`${'a'.repeat(63)}.example`)).toBe(`${'a'.repeat(63)}.example`)
    expect(site(`${'a.'.repeat(123)}example.`)).toBe('a.example')
  })
})
