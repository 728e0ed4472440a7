import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { AccessTokenInfo } from 'customer-sign-in'
import type { RequestHandler } from 'express'
import { companies } from './companies'

/** Answers one MCP request. It keeps nothing for the next request, so any process can answer that one. */
export const answerMcp: RequestHandler = async (req, res) => {
  const server = createMcpServer()
  const transport = new StreamableHTTPServerTransport()
  res.once('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(req, res)
}

/** The company's MCP server, with one tool. `protectedResource` has set `req.auth`; the SDK hands it to the tool as `authInfo`. */
function createMcpServer(): McpServer {
  const server = new McpServer({ name: 'company', version: '1.0.0' })
  server.registerTool(
    'who_am_i',
    { description: 'Says which customer of which company you act for' },
    ({ authInfo }) => {
      const { subject, tenantKey } = authInfo as AccessTokenInfo
      return { content: [{ type: 'text', text: `${subject}, customer of ${companies.get(tenantKey)?.name}` }] }
    },
  )
  return server
}
