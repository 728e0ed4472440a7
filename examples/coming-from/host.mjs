import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import express from 'express'

const baseUrl = 'https://your.host'
const resource = `${baseUrl}/mcp`

const signIn = createCustomerSignIn({
  tenantStore: new MemoryTenantStore([{ key: 'main', id: '1', name: 'Your Company', resources: [resource] }]),
  tokenStore: new MemoryTokenStore(), // in production, use one that all processes share
  baseUrl,
  scopes: { profile: 'Know who you are' },
  refreshRetryWindow: 300, // MCP clients refresh in parallel
  authenticate(req, res, { url }) {
    const { customerId } = session(req)
    if (customerId) return { subject: customerId }
    return res.redirect(303, `/login?next=${encodeURIComponent(url)}`)
  },
})

const app = express()
app.use(signIn)

// The metadata of the MCP server names the new authorization server (RFC 9728). Clients in a browser read it too.
const metadataPath = '/.well-known/oauth-protected-resource/mcp'
app.use(metadataPath, (_req, res) => {
  res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' })
  res.json({ resource, authorization_servers: [`${baseUrl}/v1/main/oauth`], scopes_supported: ['profile'] })
})

// Clients that have kept the old addresses learn here that they must begin again.
app.post('/token', (_req, res) => {
  res.set('Access-Control-Allow-Origin', '*').status(401).json({ error: 'invalid_client' })
})

const verifier = signIn.verifier({
  tenantKey: 'main',
  resource,
  invalidToken: (description) => new InvalidTokenError(description),
})
const resourceMetadataUrl = baseUrl + metadataPath
app.all('/mcp', requireBearerAuth({ verifier, requiredScopes: ['profile'], resourceMetadataUrl }), mcp)
