import { isLoopbackHost, isLoopbackUrl, withoutLoopbackPort } from '../../src/protocol/loopback'

describe('a loopback host', () => {
  it.each(['http://localhost/', 'http://127.0.0.1:8080/', 'http://[::1]:8080/', 'http://LOCALHOST', 'http://[0::1]'])(
    'is the host of %s',
    (url) => {
      expect(isLoopbackHost(new URL(url).hostname)).toBe(true)
    },
  )

  it.each([
    'http://localhost.',
    'http://localhost.example',
    'http://127.0.0.2',
    'http://127x0x0x1',
    'http://[::2]',
    'http://0.0.0.0',
  ])('is not the host of %s', (url) => {
    expect(isLoopbackHost(new URL(url).hostname)).toBe(false)
  })
})

describe('an http URL on a loopback host', () => {
  it.each([
    ['http://localhost', 'http://localhost'],
    ['http://localhost:1/a:2?b=:3', 'http://localhost/a:2?b=:3'],
    ['http://127.0.0.1:65535?b', 'http://127.0.0.1?b'],
    ['http://[::1]:8080/', 'http://[::1]/'],
  ])('is %s, which is %s without its port', (url, withoutPort) => {
    expect(isLoopbackUrl(url)).toBe(true)
    expect(withoutLoopbackPort(url)).toBe(withoutPort)
  })

  it.each([
    'https://localhost/',
    'HTTP://localhost/',
    'http://LOCALHOST/',
    'http://0x7f.1/',
    'http://127x0x0x1/',
    'http://[::1/',
    'http://localhost@client.example/',
    'http://localhost:80@client.example/',
    'http://client.example/http://localhost',
    'http://localhost.example/',
    'http://localhost:123456/',
    'http://localhost:/',
    'http://localhost\\@client.example/',
    'http://localhost#a',
  ])('is not %s', (url) => {
    expect(isLoopbackUrl(url)).toBe(false)
    expect(withoutLoopbackPort(url)).toBeUndefined()
  })
})
