import { it } from 'node:test'
import type { CustomerSignIn } from 'customer-sign-in'
import { type TestTokens, testSignIn, tokensFor } from 'customer-sign-in/testing'

const signIn = testSignIn()
const built: CustomerSignIn = signIn

void it('gives tokens that are good, and refreshes them', async () => {
  const tokens: TestTokens = await tokensFor(signIn, { tenantKey: 'acme', subject: 'ada' })
  const { accessToken } = await tokens.refresh()
  await built.verifyAccessToken(accessToken, { tenantKey: 'acme' })
})
