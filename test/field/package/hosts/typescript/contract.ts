import { describe, it } from 'node:test'
import { MemoryTokenStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'

tokenStoreContract({ describe, it }, (): TokenStore => new MemoryTokenStore())
