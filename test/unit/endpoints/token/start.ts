import type { TokenStore } from 'customer-sign-in/store'
import type { TestSignIn } from '../../../support/sign-in'
import type { TestOptions } from '../../../support/test-options'

/** Gives the store to test with. */
export type CreateTokenStore = () => TokenStore | Promise<TokenStore>

/** Starts an authorization server over the store under test, or over the one given; it is stopped after the test. */
export type Start = (options?: TestOptions) => Promise<TestSignIn>
