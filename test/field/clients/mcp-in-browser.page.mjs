import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'

// The script of a page that is an MCP client. It is bundled, and knows the server from its own address.

const here = new URL(location.href)
const server = here.searchParams.get('server') ?? sessionStorage.getItem('server') ?? ''
sessionStorage.setItem('server', server)

const read = (name) => JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
const save = (name) => (value) => sessionStorage.setItem(name, JSON.stringify(value))

const authProvider = {
  redirectUrl: `${here.origin}/callback`,
  clientMetadata: { client_name: 'Assistant', redirect_uris: [`${here.origin}/callback`] },
  clientInformation: () => read('client'),
  saveClientInformation: save('client'),
  tokens: () => read('tokens'),
  saveTokens: save('tokens'),
  codeVerifier: () => read('verifier'),
  saveCodeVerifier: save('verifier'),
  discoveryState: () => read('discovered'),
  saveDiscoveryState: save('discovered'),
  redirectToAuthorization: (url) => location.assign(url),
}

async function called() {
  const connect = () => new StreamableHTTPClientTransport(new URL(server), { authProvider })
  if (here.pathname === '/callback') await connect().finishAuth(here.searchParams)
  const client = new Client(
    { name: 'assistant', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(connect())
  const { content } = await client.callTool({ name: 'who_am_i' })
  return JSON.stringify(content)
}

called().then(
  (text) => document.body.append(text),
  // The browser is on its way to the sign-in.
  (error) => error instanceof UnauthorizedError || document.body.append(`Failed: ${error.message}`),
)
