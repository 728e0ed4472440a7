const { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } = require('customer-sign-in')
const express = require('express')

const clientId = 'assistant-app'
const redirectUri = 'https://assistant.example/callback'
const tenantStore = new MemoryTenantStore([{ key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }] }])
const signIn = createCustomerSignIn({ tenantStore, tokenStore: new MemoryTokenStore() })

const app = express()
app.use(signIn)

app.get('/authorize', (req, res, next) => {
  signIn
    .issueAuthorizationCode({
      tenantKey: 'acme',
      clientId,
      redirectUri,
      codeChallenge: req.query.code_challenge,
      codeChallengeMethod: 'S256',
      subject: 'customer-1',
    })
    .then(({ redirectTo }) => res.redirect(redirectTo), next)
})

app.get('/v1/:tenantKey/me', signIn.requireAccessToken({ tenantKey: (req) => req.params.tenantKey }), (req, res) => {
  res.json({ subject: req.auth.subject })
})

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
