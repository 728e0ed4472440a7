import { requestPath } from '../../../src/http/request-path'

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
