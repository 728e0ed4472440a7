import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { CustomerSignIn } from 'customer-sign-in'
import type { Request, Response } from 'express'

/** An MCP server whose only tool, `who_am_i`, names the customer. It has no sessions, so that any process can answer. */
export function mcpServer({ auth }: CustomerSignIn) {
  return async (req: Request, res: Response): Promise<void> => {
    const server = new McpServer({ name: 'acme', version: '1.0.0' })
    server.registerTool('who_am_i', {}, (extra) => ({ content: [{ type: 'text', text: auth(extra).subject }] }))
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    await server.connect(transport)
    await transport.handleRequest(req, res, req.body)
  }
}
