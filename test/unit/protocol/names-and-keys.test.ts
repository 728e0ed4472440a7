import { customerHandle } from '../../../src/protocol/customer-handle'
import { derivedKey } from '../../../src/protocol/digest'

// Stored records are found and checked with these values, so they must not change.
describe('from one version to the next', () => {
  it('a customer has the same handle', () => {
    expect(customerHandle('acme', 'customer-1')).toBe('7vmSTXw94YzT')
  })

  it('the same secret gives the same key for one purpose', () => {
    const key = derivedKey(Buffer.from('s'.repeat(32)), 'chain')
    expect(key.export().toString('base64url')).toBe('6j0v0wQn5wf_gG1g2H704q1JjrBA0Q3Wf_NkQXmgDL4')
  })
})
