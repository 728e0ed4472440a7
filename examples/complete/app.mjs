import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import express from 'express'

const app = express()

// Your login page. This one logs everybody in as Ada.
app.get('/login', (req, res) => {
  const next = String(req.query.next)
  res.cookie('customer', 'ada').redirect(next.startsWith('http://localhost:3000/') ? next : '/')
})

const signIn = createCustomerSignIn({
  tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1', name: 'Acme Air' }]), // your companies
  tokenStore: new MemoryTokenStore(), // in production: PostgreSQL or Redis
  refreshRetryWindow: 300, // assistants refresh in parallel
  authenticate(req, res, { url }) {
    const [, subject] = /customer=(\w+)/.exec(req.headers.cookie ?? '') ?? [] // who is logged in
    if (subject) return { subject, name: 'Ada Lovelace' }
    return void res.writeHead(303, { Location: `/login?next=${encodeURIComponent(url)}` }).end()
  },
})
app.use(signIn) // after your session middleware

// Your MCP server, at an address of its own for each company. No page of another origin may call it.
const mcp = { path: '/v1/:tenantKey/mcp', checkRevocation: true, allowedOrigins: [] }
app.all(mcp.path, signIn.protectedResource(mcp))
const mcpServer = createMcpHandler(() => {
  const server = new McpServer({ name: 'acme', version: '1.0.0' })
  server.registerTool('who_am_i', {}, (ctx) => ({ content: [{ type: 'text', text: signIn.auth(ctx).subject }] }))
  return server
})
const answer = toNodeHandler(mcpServer)
app.post(mcp.path, (req, res) => answer(req, res, req.body))

app.listen(3000, '127.0.0.1', () => console.info('http://localhost:3000/v1/acme/mcp'))
