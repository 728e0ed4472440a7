import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Client as Client117 } from 'mcp-sdk-1.17.0/client/index.js'
import { StreamableHTTPClientTransport as Transport117 } from 'mcp-sdk-1.17.0/client/streamableHttp.js'
import type { NewAssistant } from './new-assistant'

/** A connection to an MCP server. Its tools have no arguments. */
export interface McpConnection {
  open(): Promise<void>
  finishSignIn(callback: URLSearchParams): Promise<void>
  call(tool: string): Promise<unknown>
  whoAmI(): Promise<unknown>
  close(): Promise<void>
}

type Connect = (server: string, assistant: NewAssistant) => McpConnection

const assistantInfo = { name: 'assistant', version: '1.0.0' }
const onSdk117: Connect = (server, authProvider) => {
  const client = new Client117(assistantInfo)
  const transport = new Transport117(new URL(server), { authProvider })
  return {
    open: () => client.connect(transport),
    finishSignIn: (callback) => transport.finishAuth(callback.get('code') ?? ''),
    call: (name) => client.callTool({ name, arguments: {} }),
    whoAmI: () => client.callTool({ name: 'who_am_i', arguments: {} }),
    close: () => client.close(),
  }
}

const onSdk1: Connect = (server, authProvider) => {
  const client = new Client1(assistantInfo)
  const transport = new Transport1(new URL(server), { authProvider })
  return {
    open: () => client.connect(transport),
    finishSignIn: (callback) => transport.finishAuth(callback.get('code') ?? ''),
    call: (name) => client.callTool({ name, arguments: {} }),
    whoAmI: () => client.callTool({ name: 'who_am_i', arguments: {} }),
    close: () => client.close(),
  }
}

/** @param mode Which versions of MCP the client speaks. By default those before 2026-07-28. */
const onSdk2 =
  (mode?: 'auto' | { pin: string }): Connect =>
  (server, authProvider) => {
    const client = new Client2(assistantInfo, mode && { versionNegotiation: { mode } })
    const transport = new Transport2(new URL(server), { authProvider })
    return {
      open: () => client.connect(transport),
      finishSignIn: (callback) => transport.finishAuth(callback),
      call: (name) => client.callTool({ name, arguments: {} }),
      whoAmI: () => client.callTool({ name: 'who_am_i', arguments: {} }),
      close: () => client.close(),
    }
  }

/** Each SDK by its version. */
export const sdks: [version: string, connect: Connect][] = [
  ['1.17.0', onSdk117],
  ['newest 1', onSdk1],
  ['2', onSdk2()],
]

/** Clients that speak MCP 2026-07-28: one that speaks nothing else, and one that asks the server first. */
export const modernSdks: typeof sdks = [
  ['2, pinned to 2026-07-28', onSdk2({ pin: '2026-07-28' })],
  ['2, which asks the server', onSdk2('auto')],
]
