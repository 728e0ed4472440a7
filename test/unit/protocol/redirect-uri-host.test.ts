import { isAppScheme, isRedirectHost, redirectHostOf } from '../../../src/protocol/redirect-uri'

describe('where an address leads', () => {
  it.each([
    ['https://claude.ai/callback', 'claude.ai'],
    ['https://claude.ai:8443/callback', 'claude.ai'],
    ['https://claude.ai./callback', 'claude.ai'],
    ['https://claude.ai', 'claude.ai'],
    ['http://localhost:1234/callback', 'localhost'],
    ['http://127.0.0.1/callback', 'localhost'],
    ['http://[::1]:1/callback', 'localhost'],
    ['https://localhost/callback', 'localhost'],
    ['https://localhost./callback', 'localhost'],
    ['https://app.localhost/callback', 'localhost'],
    ['https://127.0.0.2/callback', 'localhost'],
    ['https://[::ffff:127.0.0.1]/callback', 'localhost'],
    ['https://0.0.0.0/callback', 'localhost'],
    ['https://[2001:db8::1]/callback', '[2001:db8::1]'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor:'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])('%s is %s', (address, host) => {
    expect(redirectHostOf(address)).toBe(host)
    expect(isRedirectHost(host) || isAppScheme(host)).toBe(true)
  })

  it.each([
    '',
    'Claude.ai',
    'claude.ai.',
    'claude.ai:443',
    'claude.ai/',
    'https://claude.ai',
    'user@claude.ai',
    'claude.ai?',
    'claude.ai#',
    'two words',
    '127.0.0.1',
    '[::1]',
    '127.0.0.2',
    'app.localhost',
    'büro.example',
    '*.example',
    'a\\b',
    'x:y',
    '[',
  ])('%p is no host, so that no rule with it can be meant', (text) => {
    expect(isRedirectHost(text)).toBe(false)
  })

  it.each(['cursor', 'https:', 'http:', 'Cursor:', 'cursor:/', '7:', ':', 'a b:'])(
    '%p is no scheme of an app',
    (text) => {
      expect(isAppScheme(text)).toBe(false)
    },
  )
})
