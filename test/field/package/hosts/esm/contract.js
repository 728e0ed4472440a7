import { describe, it } from 'node:test'
import { MemoryTokenStore } from 'customer-sign-in'
import { tokenStoreContract } from 'customer-sign-in/testing'

tokenStoreContract({ describe, it }, () => new MemoryTokenStore())
