import { createServer } from 'node:http'
import { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'

const clientId = 'assistant-app'
const redirectUri = 'https://assistant.example/callback'
const tenantStore = new MemoryTenantStore([{ key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }] }])
const signIn = createCustomerSignIn({ tenantStore, tokenStore: new MemoryTokenStore() })
const requireAccessToken = signIn.requireAccessToken({ tenantKey: 'acme' })

const server = createServer((req, res) => signIn(req, res, () => ownRoutes(req, res)))

function ownRoutes(req, res) {
  const { pathname, searchParams } = new URL(req.url, 'http://host')
  if (pathname === '/authorize') void authorize(searchParams.get('code_challenge'), res)
  else requireAccessToken(req, res, () => res.end(JSON.stringify({ subject: req.auth.subject })))
}

async function authorize(codeChallenge, res) {
  const { redirectTo } = await signIn.issueAuthorizationCode({
    tenantKey: 'acme',
    clientId,
    redirectUri,
    codeChallenge,
    codeChallengeMethod: 'S256',
    subject: 'customer-1',
  })
  res.writeHead(302, { Location: redirectTo }).end()
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
