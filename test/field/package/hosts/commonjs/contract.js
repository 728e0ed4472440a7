const { describe, it } = require('node:test')
const { MemoryTokenStore } = require('customer-sign-in')
const { tokenStoreContract } = require('customer-sign-in/testing')

tokenStoreContract({ describe, it }, () => new MemoryTokenStore())
