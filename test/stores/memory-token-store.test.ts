import { MemoryTokenStore } from 'customer-sign-in'
import { tokenStoreContract } from 'customer-sign-in/testing'

describe('MemoryTokenStore', () => {
  tokenStoreContract({ describe, it }, () => new MemoryTokenStore())
})
