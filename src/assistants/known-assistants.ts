/** A copy of the metadata document of an assistant, for when the document itself cannot be fetched. */
export interface KnownAssistant {
  /** The document. Its `client_id` is its address. */
  document: {
    client_id: string
    client_name: string
    redirect_uris: readonly string[]
    readonly [member: string]: unknown
  }
  /** Where the copy can be checked: a public address. */
  source?: string | undefined
  /** The day of the copy, such as `2026-09-21`. */
  date?: string | undefined
}

/** The address of an app that an assistant uses as a redirect URI, although its scheme has no dot. */
interface KnownAppRedirect {
  assistant: string
  /** One address, or with a slash at its end all that begin with it. */
  redirect: string
  source: string
}

const fetchedBy =
  'https://github.com/cocoar-dev/modgud/blob/15f0900d8f5912d707a45ae562d62d79fb01b59a/src/dotnet/Modgud.Tests.Unit/OAuth/RealWorldClientMetadata.cs'

// What every document below says. Members that this library does not read are left out, such as logo_uri.
const forCodes = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }
const publicClient = { ...forCodes, token_endpoint_auth_method: 'none' }

/**
 * The metadata documents of assistants that many people use, as their publishers had them on the day that is given with each.
 * `npm run assistants:check` compares them with the live documents.
 *
 * @example
 * knownAssistants: [...knownAssistants, { document: { client_id, client_name, redirect_uris } }]
 */
export const knownAssistants: readonly KnownAssistant[] = [
  {
    // Claude on the web, on the desktop and on phones.
    document: {
      client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
      client_name: 'Claude',
      client_uri: 'https://claude.ai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      ...publicClient,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    },
    source: fetchedBy,
    date: '2026-09-21',
  },
  {
    document: {
      client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
      client_name: 'Claude Code',
      client_uri: 'https://claude.ai',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      ...publicClient,
    },
    source: fetchedBy,
    date: '2026-09-21',
  },
  {
    document: {
      client_id: 'https://chatgpt.com/oauth/client.json',
      client_name: 'ChatGPT',
      client_uri: 'https://chatgpt.com/',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      ...forCodes,
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    },
    source: fetchedBy,
    date: '2026-09-21',
  },
  {
    document: {
      client_id: 'https://chatgpt.com/oauth/codex/client.json',
      client_name: 'Codex',
      client_uri: 'https://chatgpt.com/codex',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      ...publicClient,
      token_endpoint_auth_methods_supported: ['none'],
    },
    source: 'https://github.com/speakeasy-api/gram/pull/5516',
    date: '2026-09-24',
  },
  {
    document: {
      client_id: 'https://vscode.dev/oauth/client-metadata.json',
      client_name: 'Visual Studio Code',
      client_uri: 'https://vscode.dev/product',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      ...publicClient,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    },
    source: fetchedBy,
    date: '2026-09-21',
  },
  {
    // It sends another port each time, which is let through on loopback.
    document: {
      client_id: 'https://github.com/copilot/cli/client-metadata.json',
      client_name: 'GitHub Copilot CLI',
      redirect_uris: ['http://127.0.0.1:33418/'],
      token_endpoint_auth_method: 'none',
    },
    source: 'https://github.com/github/copilot-cli/issues/4901',
    date: '2026-09-18',
  },
  {
    // The redirect URIs that Cursor's own documentation names. Its document has more.
    document: {
      client_id: 'https://cursor.com/oauth/mcp-client.json',
      client_name: 'Cursor',
      redirect_uris: ['https://www.cursor.com/agents/mcp/oauth/callback', 'http://localhost:8787/callback'],
      token_endpoint_auth_method: 'none',
    },
    source: 'https://cursor.com/docs/context/mcp',
    date: '2026-10-09',
  },
  {
    document: {
      client_id: 'https://opencode.ai/oauth/opencode/client.json',
      client_name: 'opencode',
      client_uri: 'https://opencode.ai',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      ...publicClient,
      token_endpoint_auth_methods_supported: ['none'],
    },
    source: 'https://github.com/anomalyco/opencode/pull/47737',
    date: '2026-09-24',
  },
  {
    document: {
      client_id: 'https://zed.dev/oauth/client-metadata.json',
      client_name: 'Zed',
      client_uri: 'https://zed.dev',
      redirect_uris: ['http://127.0.0.1/callback'],
      ...publicClient,
    },
    source: fetchedBy,
    date: '2026-09-21',
  },
  {
    document: {
      client_id: 'https://goose-docs.ai/oauth/client-metadata.json',
      client_name: 'goose',
      redirect_uris: ['http://127.0.0.1/oauth_callback', 'http://[::1]/oauth_callback'],
      ...publicClient,
    },
    source: fetchedBy,
    date: '2026-09-21',
  },
]

const knownAppRedirects: readonly KnownAppRedirect[] = [
  {
    assistant: 'Cursor',
    redirect: 'cursor://anysphere.cursor-mcp/oauth/',
    source:
      'https://forum.cursor.com/t/oauth-redirect-uri-changed-from-cursor-to-http-localhost-for-streamable-http-mcp/165019',
  },
  {
    assistant: 'Cursor, in its older versions',
    redirect: 'cursor://anysphere.cursor-retrieval/oauth/',
    source: 'https://github.com/msfeldstein/mcp-test-servers/blob/main/OAUTH-TESTING-INSTRUCTIONS.md',
  },
  {
    assistant: 'Grok Bot, which Cursor registers together with itself',
    redirect: 'grokbot://mcp/oauth/',
    source: 'https://github.com/erp-mafia/accounted/pull/2225',
  },
]

/** The default of the option `appRedirects`. */
export const appRedirectsOfAssistants: readonly string[] = knownAppRedirects.map(({ redirect }) => redirect)
