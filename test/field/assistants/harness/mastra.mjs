import { InMemoryOAuthStorage, MCPClient, MCPOAuthClientProvider } from '@mastra/mcp'
import { auth } from '@modelcontextprotocol/client'
import { connections } from './session.mjs'

const redirectUrl = 'https://assistant.example/callback'

export async function start({ server, issuer, authorize }) {
  let asked
  const authProvider = new MCPOAuthClientProvider({
    redirectUrl,
    // It registers nowhere: it has an id of the company, or a metadata document.
    clientInformation: { client_id: 'mastra', issuer },
    clientMetadata: { client_name: 'Mastra', redirect_uris: [redirectUrl] },
    storage: new InMemoryOAuthStorage(),
    onRedirectToAuthorization(url) {
      if (asked) void authorize(url)
      asked = url
    },
  })
  const open = async (_, index) => {
    const client = new MCPClient({ id: `chat ${index}`, servers: { acme: { url: new URL(server), authProvider } } })
    const { tools, errors } = await client.listToolsWithErrors()
    if (errors.acme) throw new Error(errors.acme)
    return Object.values(tools)[0]
  }
  const refused = await open(undefined, 'before').catch(String)
  if (!asked) throw new Error(`It has not asked for a sign-in: ${refused}`)
  const { searchParams } = await authorize(asked)
  await auth(authProvider, {
    serverUrl: server,
    authorizationCode: searchParams.get('code'),
    iss: searchParams.get('iss'),
  })
  const tools = await Promise.all(Array.from({ length: connections }, open))
  return { callTool: async (index) => JSON.stringify(await tools[index % connections].execute({}, {})) }
}
