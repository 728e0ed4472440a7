export { type TestRunner, tokenStoreContract } from './token-store-contract'
