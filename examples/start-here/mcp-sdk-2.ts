import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { McpServer } from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import { signIn } from './sign-in.js'

/** The MCP server, with SDK 2. */
export async function mcp(req: Request, res: Response): Promise<void> {
  const server = new McpServer({ name: 'bookings', version: '1.0.0' })
  server.registerTool('list_bookings', { description: 'Lists your bookings' }, (context) => {
    const { subject, tenantKey } = signIn.auth(context)
    return { content: [{ type: 'text', text: `The bookings of ${subject} at ${tenantKey}` }] }
  })
  const transport = new NodeStreamableHTTPServerTransport({})
  res.once('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(req, res, req.body)
}
