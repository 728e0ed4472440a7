import { isClientId } from '../../../src/protocol/client-id'

describe('a client id', () => {
  it.each(['a', ' ', '~', 'my app!', 'https://assistant.example/client.json', 'x'.repeat(2048)])(
    'can be %j',
    (text) => {
      expect(isClientId(text)).toBe(true)
    },
  )

  it.each(['', 'a\n', '\na', 'a\tb', 'ä', 'a\x7F', '\x1F', 'x'.repeat(2049)])('cannot be %j', (text) => {
    expect(isClientId(text)).toBe(false)
  })
})
