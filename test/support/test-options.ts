import type { CustomerSignIn, CustomerSignInOptions } from 'customer-sign-in'
import { createCustomerSignInWith } from '../../src/customer-sign-in'

/** The options of a sign-in, and what only a test can choose. */
export interface TestOptions extends Partial<CustomerSignInOptions> {
  /** For how long a replay does not end its grant, in seconds. Default 10, as in production. */
  replayTolerance?: number | undefined
}

const groups = ['keys', 'lifetimes', 'clients', 'grants', 'pages'] as const

/** Options in place of others. A group keeps the members that are not replaced. */
export function replaced<T extends TestOptions>(given: T, by: TestOptions): T {
  const merged = groups.map((name) => [name, given[name] && by[name] ? { ...given[name], ...by[name] } : undefined])
  return { ...given, ...by, ...Object.fromEntries(merged.filter(([, group]) => group)) }
}

/** Sign-in as production makes it. Without secrets of its own, it has what its clients need that can register for one. */
export function createSignIn(needed: CustomerSignInOptions, options: TestOptions = {}): CustomerSignIn {
  const { replayTolerance, ...given } = replaced<CustomerSignInOptions & TestOptions>(
    replaced(needed, neededSecrets(options)),
    options,
  )
  const tolerance = replayTolerance === undefined ? undefined : replayTolerance * 1000
  return createCustomerSignInWith({ replayTolerance: tolerance }, given)
}

/** The secrets that a host must have whose clients can register for a secret. */
export function neededSecrets({ clients }: TestOptions): TestOptions {
  return clients?.authentication?.some((method) => method.startsWith('client_secret'))
    ? { keys: { credentialSecrets: ['the secret of a host, of more than 32 bytes'] } }
    : {}
}
