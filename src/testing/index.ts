export type { TestRunner } from './store-test'
export { tokenStoreContract } from './token-store-contract'
