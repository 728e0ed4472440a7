import { credentialSecrets } from '../../../src/tokens/keyring'

describe('the option credentialSecrets', () => {
  it.each([1, 4])('can have %d', (count) => {
    const given = Array.from({ length: count }, (_, index) => `${index}`.repeat(32))
    expect(credentialSecrets(given, 'credentialSecrets').map(String)).toEqual(given)
  })

  it('can have text and bytes', () => {
    const bytes = Buffer.alloc(32, 1)
    expect(credentialSecrets(['a'.repeat(32), bytes], 'credentialSecrets')).toEqual([Buffer.alloc(32, 'a'), bytes])
  })
})
