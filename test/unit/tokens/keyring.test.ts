import { keyMembers } from '../../../src/tokens/keyring'

const { credentialSecrets } = keyMembers

describe('the option keys.credentialSecrets', () => {
  it.each([1, 4])('can have %d', (count) => {
    const given = Array.from({ length: count }, (_, index) => `${index}`.repeat(32))
    expect(credentialSecrets(given, 'keys.credentialSecrets')?.map(String)).toEqual(given)
  })

  it('can have text and bytes', () => {
    const bytes = Buffer.alloc(32, 1)
    expect(credentialSecrets(['a'.repeat(32), bytes], 'keys.credentialSecrets')).toEqual([Buffer.alloc(32, 'a'), bytes])
  })
})
