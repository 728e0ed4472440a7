import { describe, it } from 'node:test'
import { MemoryTokenStore, type TokenStore } from 'customer-sign-in'
import { tokenStoreContract } from 'customer-sign-in/testing'

tokenStoreContract({ describe, it }, (): TokenStore => new MemoryTokenStore())
