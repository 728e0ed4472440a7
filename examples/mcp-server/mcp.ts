import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { CustomerSignIn } from 'customer-sign-in'
import type { RequestHandler } from 'express'
import { companies } from './companies'

/** Answers one MCP request. It keeps nothing for the next request, so any process can answer that one. */
export function answerMcp(signIn: CustomerSignIn): RequestHandler {
  return async (req, res, next) => {
    const server = createMcpServer(signIn, (scopes) => {
      try {
        signIn.requireScopes(req, scopes)
      } catch (error) {
        // The response becomes a 403, which makes the assistant ask the customer. A closed server sends no result of the tool.
        void server.close()
        next(error)
        throw error
      }
    })
    // With JSON, the response begins when the tool has ended. A stream begins before, and can no longer become a 403.
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    res.once('close', () => server.close())
    await server.connect(transport)
    await transport.handleRequest(req, res, req.body)
  }
}

/**
 * The company's MCP server, with two tools. `signIn.auth` reads who is calling from what the SDK calls a tool with.
 *
 * @param requireScopes Throws if the customer has not allowed these scopes.
 */
function createMcpServer(signIn: CustomerSignIn, requireScopes: (scopes: string) => void): McpServer {
  const server = new McpServer({ name: 'company', version: '1.0.0' })
  server.registerTool('who_am_i', { description: 'Says which customer of which company you act for' }, (extra) => {
    const { subject, tenantKey } = signIn.auth(extra)
    return { content: [{ type: 'text', text: `${subject}, customer of ${companies.get(tenantKey)?.name}` }] }
  })
  server.registerTool('book_trip', { description: 'Books a trip for the customer' }, (extra) => {
    requireScopes('trips:write')
    const { subject, tenantKey } = signIn.auth(extra)
    return { content: [{ type: 'text', text: `Booked for ${subject} with ${companies.get(tenantKey)?.name}` }] }
  })
  return server
}
