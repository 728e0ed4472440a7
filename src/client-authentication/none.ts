import type { AuthenticationMethod } from './method'

/** A public client (RFC 6749 section 2.1). It has nothing to authenticate with, so a request presents nothing. */
export const none: AuthenticationMethod = { name: 'none', sharesSecret: false, credentials: {} }
