import { isClientId, isRegisteredId, newRegisteredId } from '../../src/protocol/client-id'

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

describe('the id of a client that registers itself', () => {
  it('is a new one each time, and is recognised', () => {
    const ids = Array.from({ length: 20 }, newRegisteredId)
    expect(new Set(ids).size).toBe(20)
    for (const id of ids) expect(isRegisteredId(id) && isClientId(id)).toBe(true)
  })

  it('is not recognised in a longer text', () => {
    const id = newRegisteredId()
    for (const text of [`x${id}`, `${id}x`, id.slice(1), id.slice(0, -1), id.toUpperCase()])
      expect(isRegisteredId(text)).toBe(false)
  })
})
