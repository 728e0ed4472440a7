const assert = require('node:assert/strict')
const { it } = require('node:test')
const { OAuthError } = require('customer-sign-in')

const before = process.getActiveResourcesInfo()
const { testSignIn, tokensFor } = require('customer-sign-in/testing')
assert.deepEqual(process.getActiveResourcesInfo(), before, 'the import opens something')
process.on('warning', ({ name, message }) => {
  if (name === 'CustomerSignInWarning') assert.fail(message)
})

const ada = { tenantKey: 'acme', subject: 'ada' }
const signIn = testSignIn()
const check = ({ accessToken }) => signIn.verifyAccessToken(accessToken, { tenantKey: 'acme', checkRevocation: true })

void it('gives tokens that are good, and refreshes them', async () => {
  const tokens = await tokensFor(signIn, ada)
  assert.equal((await check(tokens)).subject, 'ada')
  signIn.clock.advance(tokens.expiresIn)
  await assert.rejects(check(tokens), OAuthError)
  assert.equal((await check(await tokens.refresh())).subject, 'ada')
})

for (const fault of ['expired', 'revoked', 'ofAnotherTenant', 'forged']) {
  void it(`gives tokens that are ${fault}`, async () => {
    await assert.rejects(check(await tokensFor[fault](signIn, ada)), { code: 'invalid_token' })
  })
}

void it('leaves nothing open', async () => {
  await tokensFor(signIn, ada)
  await new Promise((resolve) => setImmediate(resolve))
  const kinds = ['TCPSocketWrap', 'TCPServerWrap', 'Timeout', 'FSReqCallback', 'GETADDRINFOREQWRAP']
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)),
    before.filter((kind) => kinds.includes(kind)),
  )
})
