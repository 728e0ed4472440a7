import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Request, Response } from 'express'
import { signIn } from './sign-in.js'

/** The MCP server, with SDK 1. It keeps nothing between two requests, so any process can answer. */
export async function mcp(req: Request, res: Response): Promise<void> {
  const server = new McpServer({ name: 'bookings', version: '1.0.0' })
  server.registerTool('list_bookings', { description: 'Lists your bookings' }, (extra) => {
    const { subject, tenantKey } = signIn.auth(extra)
    return { content: [{ type: 'text', text: `The bookings of ${subject} at ${tenantKey}` }] }
  })
  const transport = new StreamableHTTPServerTransport({})
  res.once('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(req, res, req.body)
}
