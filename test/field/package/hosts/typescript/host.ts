import type { AddressInfo } from 'node:net'
import {
  type CustomerSignInOptions,
  createCustomerSignIn,
  MemoryTenantStore,
  MemoryTokenStore,
  type Tenant,
} from 'customer-sign-in'
import express from 'express'

const clientId = 'assistant-app'
const redirectUri = 'https://assistant.example/callback'
const acme: Tenant = { key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }] }
const options: CustomerSignInOptions = {
  tenantStore: new MemoryTenantStore([acme]),
  tokenStore: new MemoryTokenStore(),
  onEvent: (event) => event.type === 'error' && process.stderr.write(`${event.error.message}\n`),
}
const signIn = createCustomerSignIn(options)

const app = express()
app.use(signIn)

app.get('/authorize', async (req, res) => {
  const { redirectTo } = await signIn.issueAuthorizationCode({
    tenantKey: 'acme',
    clientId,
    redirectUri,
    codeChallenge: String(req.query.code_challenge),
    codeChallengeMethod: 'S256',
    subject: 'customer-1',
  })
  res.redirect(redirectTo)
})

const requireAccessToken = signIn.requireAccessToken({ tenantKey: (req) => req.params.tenantKey })
app.get('/v1/:tenantKey/me', requireAccessToken, (req, res) => {
  res.json({ subject: signIn.auth(req).subject })
})

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}
`)
})
