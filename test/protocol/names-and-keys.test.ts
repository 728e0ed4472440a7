import { customerHandle } from '../../src/protocol/customer-handle'
import { derivedKey } from '../../src/protocol/derived-key'

// What is stored is found and checked by them.
describe('from one version to the next', () => {
  it('a customer has the same handle', () => {
    expect(customerHandle('acme', 'customer-1')).toBe('7vmSTXw94YzT')
  })

  it('a key of one purpose is derived alike from the same secret', () => {
    const key = derivedKey(Buffer.from('s'.repeat(32)), 'chain')
    expect(key.toString('base64url')).toBe('6j0v0wQn5wf_gG1g2H704q1JjrBA0Q3Wf_NkQXmgDL4')
  })
})
