import {
  isLoopbackHost,
  isLoopbackUrl,
  leadsToOwnDevice,
  withoutLoopbackPort,
} from '../../../src/protocol/redirect-uri'

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

describe('a host on the device that opens a URL', () => {
  it.each([
    'http://localhost/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://app.localhost/',
    'https://a.b.localhost./',
    'https://localhost./',
    'https://127.0.0.2/',
    'https://127.255.255.254/',
    'https://0x7f.1/',
    'https://0.0.0.0/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:127.255.0.1]/',
    'https://[::ffff:127.0.1.2]/',
    'https://[::ffff:0.0.0.0]/',
  ])('is that of %s', (url) => {
    expect(leadsToOwnDevice(new URL(url).hostname)).toBe(true)
  })

  it.each([
    'https://assistant.example/',
    'https://localhost.example/',
    'https://notlocalhost/',
    'https://127.0.0.1.example/',
    'https://a127.0.0.x/',
    'https://128.0.0.1/',
    'https://1.127.0.0/',
    'https://10.0.0.0/',
    'https://0.0.0.1/',
    'https://[2001:db8::1]/',
    'https://[2001:db8::ffff:127.0.0.1]/',
    'https://[::2]/',
    'https://[::ffff:128.0.0.1]/',
    'https://[::ffff:7.15.0.1]/',
    'https://[::ffff:0.0.0.1]/',
  ])('is not that of %s', (url) => {
    expect(leadsToOwnDevice(new URL(url).hostname)).toBe(false)
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
