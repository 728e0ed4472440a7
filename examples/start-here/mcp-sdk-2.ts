import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import { signIn } from './sign-in.js'

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'bookings', version: '1.0.0' })
    server.registerTool('list_bookings', { description: 'Lists your bookings' }, (context) => {
      const { subject, tenantKey } = signIn.auth(context)
      return { content: [{ type: 'text', text: `The bookings of ${subject} at ${tenantKey}` }] }
    })
    return server
  }),
)

/** The MCP server, with SDK 2. It serves clients of MCP 2026-07-28 and of the versions before. */
export function mcp(req: Request, res: Response): Promise<void> {
  return handler(req, res, req.body)
}
