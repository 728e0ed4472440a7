// The kit for a host's own tests.
import type { CustomerSignIn, CustomerSignInEvent, CustomerSignInOptions } from 'customer-sign-in'
import {
  type SignInForTests,
  type TestClock,
  type TestTokens,
  type TokensForTests,
  type TokensRequest,
  testSignIn,
  tokensFor,
} from 'customer-sign-in/testing'

declare const own: Partial<CustomerSignInOptions>
declare const production: CustomerSignIn
declare function createApp(signIn: CustomerSignIn): void

export function build(): void {
  const signIn: SignInForTests = testSignIn()
  createApp(signIn)
  testSignIn(own)
  testSignIn({ scopes: ['profile'], onEvent: () => {}, baseUrl: undefined })

  // @ts-expect-error There is no such option.
  testSignIn({ tenants: [] })

  const clock: TestClock = signIn.clock
  clock.advance(3600)
  const now: number = clock.now()
  const events: CustomerSignInEvent[] = signIn.events
  for (const event of events) if (event.type === 'issued' && event.at < now) event.scopes.join()

  // @ts-expect-error Time does not come from outside.
  signIn.clock = clock
}

export async function tokens(signIn: SignInForTests): Promise<void> {
  const request: TokensRequest = { tenantKey: 'acme', subject: 'ada' }
  const first: TestTokens = await tokensFor(signIn, request)
  await tokensFor(signIn, {
    ...request,
    scopes: 'profile',
    resource: 'https://api.example/',
    clientId: 'app',
    claims: {},
  })
  await tokensFor(signIn, { ...request, scopes: ['profile'] as const, clientId: undefined })
  const { accessToken, expiresIn }: TestTokens = await first.refresh()
  signIn.clock.advance(expiresIn)
  accessToken.split('.')

  const faults: Exclude<keyof TokensForTests, symbol>[] = ['expired', 'revoked', 'ofAnotherTenant', 'forged']
  for (const fault of faults) (await tokensFor[fault](signIn, request)).grantId.length

  // @ts-expect-error A token is always of one company.
  await tokensFor(signIn, { subject: 'ada' })
  // @ts-expect-error A token is always of one customer.
  await tokensFor(signIn, { tenantKey: 'acme' })
  // @ts-expect-error It is called `scopes`.
  await tokensFor(signIn, { ...request, scope: 'profile' })
  // @ts-expect-error Tokens are not made up for a customer sign-in that is in production.
  await tokensFor(production, request)
  // @ts-expect-error The tokens are what they are.
  first.accessToken = ''
}
