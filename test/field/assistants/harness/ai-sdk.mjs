import { auth, createMCPClient } from '@ai-sdk/mcp'
import { signedIn } from './session.mjs'

export async function start({ server, authorize }) {
  const tools = await signedIn(authorize, {
    async open(authProvider) {
      const client = await createMCPClient({ transport: { type: 'http', url: server, authProvider } })
      return (await client.tools()).who_am_i
    },
    finish: (authProvider, { searchParams }) =>
      auth(authProvider, {
        serverUrl: server,
        authorizationCode: searchParams.get('code'),
        callbackState: searchParams.get('state'),
        callbackIssuer: searchParams.get('iss'),
      }),
  })
  return {
    callTool: async (index) =>
      JSON.stringify(await tools[index % tools.length].execute({}, { toolCallId: '1', messages: [] })),
  }
}
