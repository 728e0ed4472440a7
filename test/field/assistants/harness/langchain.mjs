import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { signedIn } from './session.mjs'

export async function start({ server, authorize }) {
  const clients = await signedIn(authorize, {
    async open(authProvider) {
      const client = new MultiServerMCPClient({
        mcpServers: { acme: { transport: 'http', url: server, authProvider, automaticSSEFallback: false } },
        onConnectionError: 'throw',
      })
      const [tool] = await client.getTools()
      return tool
    },
    finish: (authProvider, { searchParams }) =>
      auth(authProvider, {
        serverUrl: server,
        authorizationCode: searchParams.get('code'),
        iss: searchParams.get('iss'),
      }),
  })
  return { callTool: async (index) => JSON.stringify(await clients[index % clients.length].invoke({})) }
}
