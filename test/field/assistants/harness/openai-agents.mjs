import { auth } from '@modelcontextprotocol/client'
import { MCPServerStreamableHttp } from '@openai/agents-core'
import { signedIn } from './session.mjs'

export async function start({ server, authorize }) {
  const servers = await signedIn(authorize, {
    async open(authProvider) {
      const connection = new MCPServerStreamableHttp({ url: server, name: 'acme', authProvider })
      await connection.connect()
      return connection
    },
    finish: (authProvider, { searchParams }) =>
      auth(authProvider, {
        serverUrl: server,
        authorizationCode: searchParams.get('code'),
        iss: searchParams.get('iss'),
      }),
  })
  return { callTool: async (index) => JSON.stringify(await servers[index % servers.length].callTool('who_am_i', {})) }
}
