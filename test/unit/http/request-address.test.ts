import type { IncomingMessage } from 'node:http'
import { isSameOrigin, requestHost, requestPath } from '../../../src/http/request-address'

function hostOf(headers: IncomingMessage['headers'], more: object = {}): string | undefined {
  const req = { headers, socket: {}, url: '/', httpVersionMajor: 1, ...more }
  return requestHost(req as unknown as IncomingMessage)
}

describe('the host of a request', () => {
  it.each([
    ['assistant.acme.com', 'assistant.acme.com'],
    ['ASSISTANT.Acme.com', 'assistant.acme.com'],
    ['assistant.acme.com:8443', 'assistant.acme.com:8443'],
    ['assistant.acme.com:80', 'assistant.acme.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['[::1]:3000', '[::1]:3000'],
    // Another host than without the dot: nobody has configured it.
    ['assistant.acme.com.', 'assistant.acme.com.'],
  ])('of %j is %j', (host, expected) => {
    expect(hostOf({ host })).toBe(expected)
  })

  it('is without the default port of the scheme that Express or TLS knows', () => {
    expect(hostOf({ host: 'acme.example:443' }, { protocol: 'https' })).toBe('acme.example')
    expect(hostOf({ host: 'acme.example:443' }, { socket: { encrypted: true } })).toBe('acme.example')
    expect(hostOf({ host: 'acme.example:443' })).toBe('acme.example:443')
  })

  it.each([
    '',
    'user@acme.example',
    'acme%2eexample',
    'acme.example;x',
    'acme.example,globex.example',
    'acme.example/x',
    'acme.example x',
    'acme.example:x',
    'acme.example:99999',
    'bücher.example',
    'acme。example',
    '[::1',
  ])('is nothing where others may read another one: %j', (host) => {
    expect(hostOf({ host })).toBeUndefined()
  })

  it('is the one that a trusted proxy was asked for', () => {
    const headers = { host: 'inside.example', 'x-forwarded-host': 'acme.example' }
    expect(hostOf(headers, { app: { get: () => () => true } })).toBe('acme.example')
    expect(hostOf(headers, { app: { get: () => () => false } })).toBe('inside.example')
    expect(hostOf(headers)).toBe('inside.example')
  })

  it('is the authority in HTTP/2, and only there', () => {
    const headers = { ':authority': 'acme.example' }
    expect(hostOf(headers, { httpVersionMajor: 2 })).toBe('acme.example')
    expect(hostOf({ ...headers, host: 'globex.example' })).toBe('globex.example')
    expect(hostOf({ host: 'globex.example' }, { httpVersionMajor: 2 })).toBe('globex.example')
  })

  it.each([
    ['acme.example', 'acme.example'],
    ['ACME.example:80', 'acme.example'],
    ['globex.example', undefined],
    ['acme.example:8443', undefined],
    ['', undefined],
  ])('is nothing in HTTP/2 if the Host header names another one than the authority: %j', (host, expected) => {
    expect(hostOf({ ':authority': 'acme.example', host }, { httpVersionMajor: 2 })).toBe(expected)
  })

  it('is nothing in HTTP/2 if neither the authority nor the Host header is one', () => {
    expect(hostOf({ ':authority': 'a b', host: 'c d' }, { httpVersionMajor: 2 })).toBeUndefined()
  })

  it('is nothing without a request target', () => {
    expect(hostOf({ host: 'acme.example' }, { url: undefined })).toBeUndefined()
  })

  it.each([
    ['https://acme.example/oauth/token', 'acme.example'],
    ['http://ACME.example:80/oauth/token', 'acme.example'],
    ['https://globex.example/oauth/token', undefined],
    ['https://acme.example:8443/oauth/token', undefined],
    ['*', undefined],
  ])('is nothing if the request target names another one: %s', (url, expected) => {
    expect(hostOf({ host: 'acme.example' }, { url })).toBe(expected)
    expect(hostOf({ host: 'acme.example' }, { url: '/token', originalUrl: url })).toBe(expected)
  })
})

describe('the path of a request target', () => {
  it.each([
    ['/', '/'],
    ['/v1/acme/oauth/token', '/v1/acme/oauth/token'],
    ['/a?b=/c?d', '/a'],
    ['/a//b', '/a//b'],
    ['/a/http://x/b', '/a/http://x/b'],
    ['http://x/a', '/a'],
    ['HTTPS://Assistants.example:8443/a?b', '/a'],
    ['http://[2001:DB8::1]:80/a', '/a'],
    ['http://a-b.c1/a', '/a'],
  ])('of %j is %j', (target, path) => {
    expect(requestPath(target)).toBe(path)
  })

  it.each([
    undefined,
    '',
    '*',
    'a',
    '?a',
    'http://x',
    'http://x?a',
    'http:///a',
    'http://user@x/a',
    'http://x;/a',
    'http://x:/a',
    'http://x:y/a',
    'http://x:80y/a',
    'http://[x]/a',
    'http://[::1/a',
    'xhttp://x/a',
    'ftp://x/a',
    '/a b',
    '/a\tb',
    '/a\nb',
    '/a\\b',
    '/a#b',
    '/#',
  ])('is undefined in %j, which routers read differently', (target) => {
    expect(requestPath(target)).toBeUndefined()
  })
})

describe('a request', () => {
  it.each([
    ['same-origin', true],
    // Typed or reloaded.
    ['none', true],
    // A browser that says nothing.
    [undefined, true],
    ['same-site', false],
    ['cross-site', false],
    ['', false],
  ])('that the browser calls %s may come from a page of this server: %s', (site, may) => {
    expect(isSameOrigin({ headers: { 'sec-fetch-site': site } } as unknown as IncomingMessage)).toBe(may)
  })
})
