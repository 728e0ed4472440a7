import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server'
import type { CustomerSignIn } from 'customer-sign-in'
import type { Request, Response } from 'express'

type Answer = (req: Request, res: Response) => Promise<void>

const info = { name: 'acme', version: '1.0.0' }

/** An MCP server on SDK 1, whose only tool, `who_am_i`, names the customer. It has no sessions, so that any process can answer. */
export function mcpServer({ auth }: CustomerSignIn): Answer {
  return async (req, res) => {
    const server = new McpServer1(info)
    server.registerTool('who_am_i', {}, (extra) => ({ content: [{ type: 'text', text: auth(extra).subject }] }))
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    await server.connect(transport)
    await transport.handleRequest(req, res, req.body)
  }
}

/** The same on SDK 2, for clients of MCP 2026-07-28 and of the versions before. @param legacy `reject`: for those of 2026-07-28 alone. */
export const mcpServerOfToday =
  (legacy: 'stateless' | 'reject' = 'stateless') =>
  ({ auth }: CustomerSignIn): Answer => {
    const create = () => {
      const server = new McpServer2(info)
      server.registerTool('who_am_i', {}, (context) => ({ content: [{ type: 'text', text: auth(context).subject }] }))
      return server
    }
    const answer = toNodeHandler(createMcpHandler(create, { legacy }))
    return (req, res) => answer(req, res, req.body)
  }
