import { newClientSecret } from 'customer-sign-in'
import type { Assistant, Found, Plays } from './assistant'

/**
 * The assistants that people use, each with what it sends. The tests play them, and the table in the documentation is made of them. Whoever
 * changes one names the public source of what it does.
 */

const newest: Plays['serverMetadata'] = ['rfc8414', 'openid inserted', 'openid appended']
const fromChallenge: Plays['resourceMetadata'] = ['challenge', 'path', 'root']

// Where an assistant takes its scope from.
const challenged = ({ challenged, scopesOfResource }: Found) => challenged ?? spaced(scopesOfResource)
const allOfServer = ({ scopesOfServer }: Found) => spaced(scopesOfServer)
const none = () => undefined

// What it names as the resource.
const announced = ({ announced }: Found) => announced
const origin = ({ pasted }: Found) => new URL(pasted).origin
const asPasted = ({ pasted }: Found) => pasted

const both = ['authorization_code', 'refresh_token']

/** The members that most registrations have. */
const publicClient = { grant_types: both, response_types: ['code'], token_endpoint_auth_method: 'none' }

function spaced(scopes: readonly string[]): string | undefined {
  return scopes.length > 0 ? scopes.join(' ') : undefined
}

const github = (repository: string, number: number) => `https://github.com/${repository}/issues/${number}`
const code = (repository: string, path: string) => `https://github.com/${repository}/blob/main/${path}`

/** A network from which nothing outside can be reached. */
const noWayOut = () => Promise.reject(new Error('connect ENETUNREACH'))

/** The challenge of a firewall against bots. */
const answered403 = async () =>
  new Response('Just a moment…', { status: 403, headers: { 'Content-Type': 'text/html' } })

const claudeCallback = 'https://claude.ai/api/mcp/auth_callback'
const claudeQuirks = [
  { what: 'asks for a scope with a leading space', source: github('anthropics/claude-ai-mcp', 453) },
  {
    what: 'its site answers 403 to servers in some clouds that fetch its document; the copy in `clients.known` is used then',
    source: github('anthropics/claude-ai-mcp', 650),
    isFault: true,
  },
] as const

const claudePlays: Plays = {
  resourceMetadata: fromChallenge,
  serverMetadata: newest,
  redirectUri: claudeCallback,
  scope: (found) => ` ${challenged(found)}`,
  resource: announced,
  refresh: { when: 'refused' },
}

const claudeDocument = {
  path: '/oauth/mcp-oauth-client-metadata',
  members: {
    client_name: 'Claude',
    client_uri: 'https://claude.ai',
    redirect_uris: [claudeCallback],
    grant_types: [...both, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
}

const claude: Assistant = {
  name: 'Claude (web, desktop, mobile, Cowork)',
  connects: 'document',
  quirks: claudeQuirks,
  checked: '2026-11-21',
  plays: { ...claudePlays, document: claudeDocument },
}

const claudeRegistered: Assistant = {
  ...claude,
  variant: 'where documents are switched off',
  connects: 'registration',
  host: { circumstances: { clients: { documents: false } } },
  quirks: [
    {
      what: 'registers for `client_secret_post`, and accepts the answer `none`',
      source: github('anthropics/claude-ai-mcp', 1043),
    },
    claudeQuirks[0],
  ],
  plays: {
    ...claudePlays,
    registers: (found) => ({
      client_name: 'Claude',
      grant_types: both,
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: challenged(found),
      redirect_uris: [claudeCallback],
    }),
  },
}

const claudeBlocked: Assistant = {
  ...claude,
  variant: 'whose document is answered 403',
  host: { circumstances: { clients: { fetch: answered403 } } },
  quirks: [claudeQuirks[1]],
  plays: {
    ...claudePlays,
    document: { ...claudeDocument, unreachableAt: 'https://claude.ai/oauth/mcp-oauth-client-metadata' },
  },
}

const claudeOwn: Assistant = {
  ...claude,
  variant: 'with an id of the company',
  connects: 'own client',
  host: {
    client: {
      clientId: 'claude',
      clientName: 'Claude',
      redirectUris: [claudeCallback, 'https://claude.com/api/mcp/auth_callback'],
    },
  },
  quirks: [
    {
      what: 'may send its callback on claude.com, which is not in its document',
      source: 'https://support.claude.com/en/articles/11503834',
    },
  ],
  checked: '2026-11-28',
  plays: { ...claudePlays, redirectUri: 'https://claude.com/api/mcp/auth_callback' },
}

const claudeCodePlays: Plays = {
  resourceMetadata: fromChallenge,
  serverMetadata: newest,
  redirectUri: 'http://localhost:53682/callback',
  scope: challenged,
  resource: announced,
  refresh: { when: 'before' },
}

const claudeCodeDocument = {
  path: '/oauth/claude-code-client-metadata',
  members: {
    client_name: 'Claude Code',
    client_uri: 'https://claude.ai',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    ...publicClient,
  },
}

const claudeCode: Assistant = {
  name: 'Claude Code',
  connects: 'document',
  quirks: [
    {
      what: 'its processes share one sign-in, and refresh within seconds or minutes of each other with the same token',
      source: github('anthropics/claude-code', 85236),
      isFault: true,
    },
    {
      what: 'its site answers 403 to servers in some clouds that fetch its document; the copy in `clients.known` is used then',
      source: github('anthropics/claude-code', 84263),
      isFault: true,
    },
  ],
  checked: '2026-11-21',
  plays: {
    ...claudeCodePlays,
    document: claudeCodeDocument,
    refresh: { when: 'before', atOnce: 3, later: 120 },
  },
}

const claudeCodeBlocked: Assistant = {
  ...claudeCode,
  variant: 'whose document is answered 403',
  host: { circumstances: { clients: { fetch: answered403 } } },
  quirks: [claudeCode.quirks[1]].filter((quirk) => quirk !== undefined),
  plays: {
    ...claudeCode.plays,
    document: { ...claudeCodeDocument, unreachableAt: 'https://claude.ai/oauth/claude-code-client-metadata' },
  },
}

const registersAsClaudeCode = {
  client_name: 'Claude Code (acme)',
  redirect_uris: ['http://localhost:53682/callback'],
  ...publicClient,
}

const claudeCodeWithoutResource: Assistant = {
  ...claudeCode,
  variant: 'before 2.1.81',
  connects: 'registration',
  quirks: [
    {
      what: 'leaves `resource` out of some requests',
      source: github('anthropics/claude-code', 90497),
      isFault: true,
    },
    {
      what: 'asks for all scopes of the server where the API names none',
      source: github('anthropics/claude-code', 10572),
    },
  ],
  plays: {
    ...claudeCodePlays,
    registers: () => registersAsClaudeCode,
    scope: allOfServer,
    resource: (found, at) => (at === 'page' ? announced(found) : undefined),
  },
}

const claudeCodeInApp: Assistant = {
  ...claudeCode,
  variant: 'in the desktop app',
  connects: 'registration',
  quirks: [
    { what: 'its callback is an address of the app', source: github('anthropics/claude-code', 93671), isFault: true },
  ],
  checked: '2026-11-28',
  plays: {
    ...claudeCodePlays,
    redirectUri: 'claude://claude.ai/mcp-auth-callback/sdk',
    registers: () => ({
      client_name: 'Claude Code',
      redirect_uris: ['claude://claude.ai/mcp-auth-callback/sdk'],
      grant_types: both,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  },
}

const claudeCodeWithOrigin: Assistant = {
  ...claudeCode,
  variant: 'that names the origin',
  connects: 'registration',
  quirks: [
    {
      what: 'names the origin of the API as its resource',
      source: github('anthropics/claude-code', 52871),
      isFault: true,
    },
  ],
  plays: { ...claudeCodePlays, registers: () => registersAsClaudeCode, resource: origin },
}

const chatgptCallback = 'https://chatgpt.com/connector_platform_oauth_redirect'
const chatgptDocument = {
  path: '/oauth/client.json',
  members: {
    client_uri: 'https://chatgpt.com/',
    redirect_uris: [chatgptCallback],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    grant_types: both,
    response_types: ['code'],
    client_name: 'ChatGPT',
    logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
  },
}

const chatgpt: Assistant = {
  name: 'ChatGPT',
  connects: 'document',
  quirks: [
    {
      what: 'its document names `private_key_jwt`, and offers `none` as well',
      source: github('django-oauth/django-oauth-toolkit', 1845),
    },
    {
      what: 'refreshes before a call if its token is about to expire',
      source: github('cloudflare/workers-oauth-provider', 293),
    },
  ],
  checked: '2026-11-21',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    document: chatgptDocument,
    redirectUri: chatgptCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'before' },
  },
}

const chatgptSigning: Assistant = {
  ...chatgpt,
  variant: 'where private_key_jwt is on',
  host: { options: { clients: { authentication: ['none', 'private_key_jwt'] } } },
  quirks: [
    {
      what: 'signs each of its requests to the token endpoint',
      source: github('Altinity/altinity-mcp', 118),
    },
  ],
  plays: { ...chatgpt.plays, document: { ...chatgptDocument, jwksPath: '/oauth/jwks.json' } },
}

const codexCallback = 'http://127.0.0.1:41773/callback/r2Q9YbPzq3mD'
const codexPlays: Plays = {
  resourceMetadata: fromChallenge,
  serverMetadata: ['rfc8414', 'openid inserted', 'openid appended', 'rfc8414 of the origin'],
  registers: () => ({ client_name: 'Codex', redirect_uris: [codexCallback], ...publicClient }),
  redirectUri: codexCallback,
  scope: allOfServer,
  resource: announced,
  refresh: { when: 'before' },
}

const codex: Assistant = {
  name: 'Codex',
  connects: 'document',
  quirks: [
    {
      what: '0.143 to 0.146 drop the `iss` of the callback, and then demand it: update to 0.147',
      source: github('openai/codex', 33354),
      isFault: true,
    },
    {
      what: 'asks for all scopes of the server, and from 0.165 on for those that the API names',
      source: github('openai/codex', 15643),
    },
    {
      what: 'its callback has another port each time, and a path of its own for each server where it registers',
      source: code('openai/codex', 'codex-rs/rmcp-client/src/perform_oauth_login.rs'),
    },
  ],
  checked: '2026-11-29',
  plays: {
    ...codexPlays,
    document: {
      path: '/oauth/codex/client.json',
      members: {
        client_name: 'Codex',
        redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
        ...publicClient,
      },
    },
    redirectUri: 'http://127.0.0.1:43123/callback',
  },
}

const codexWithoutResource: Assistant = {
  ...codex,
  variant: 'before the middle of 2026',
  connects: 'registration',
  quirks: [{ what: 'sends no `resource`', source: github('openai/codex', 24890), isFault: true }],
  plays: { ...codexPlays, resource: none },
}

const codexWithQuery: Assistant = {
  ...codex,
  variant: 'with a query in the address',
  connects: 'registration',
  quirks: [
    {
      what: 'takes the resource from the pasted address, with its query',
      source: github('openai/codex', 37387),
      isFault: true,
    },
  ],
  plays: { ...codexPlays, pastes: (api) => `${api}?tools=search,book`, resource: asPasted },
}

const cursorCallbacks = [
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'https://www.cursor.com/agents/mcp/oauth/callback',
  'http://localhost:8787/callback',
]

const cursorPlays: Plays = {
  resourceMetadata: fromChallenge,
  serverMetadata: newest,
  redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback',
  scope: challenged,
  resource: announced,
  refresh: { when: 'refused' },
}

const cursor: Assistant = {
  name: 'Cursor',
  connects: 'document',
  quirks: [
    {
      what: 'has three callbacks at once: an address of the app, one of its site and one on loopback',
      source: github('better-auth/better-auth', 10956),
    },
    {
      what: 'if one of its callbacks is refused, it has no client at all',
      source: github('better-auth/better-auth', 10956),
      isFault: true,
    },
  ],
  checked: '2026-11-21',
  plays: {
    ...cursorPlays,
    document: {
      path: '/oauth/mcp-client.json',
      members: {
        client_name: 'Cursor',
        client_uri: 'https://cursor.com',
        redirect_uris: cursorCallbacks,
        ...publicClient,
      },
    },
  },
}

const cursorRegistered: Assistant = {
  ...cursor,
  variant: 'where documents are switched off',
  connects: 'registration',
  host: { circumstances: { clients: { documents: false } } },
  plays: {
    ...cursorPlays,
    registers: () => ({
      client_name: 'Cursor',
      redirect_uris: cursorCallbacks,
      grant_types: both,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  },
}

const grokBot: Assistant = {
  ...cursor,
  variant: 'with an address of the Grok app',
  connects: 'registration',
  quirks: [
    {
      what: 'registers an address of the Grok app besides its own three',
      source: github('better-auth/better-auth', 10956),
    },
  ],
  plays: {
    ...cursorPlays,
    registers: () => ({
      client_name: 'Cursor',
      redirect_uris: [...cursorCallbacks, 'grokbot://mcp/oauth/callback'],
      ...publicClient,
    }),
  },
}

const vscodeCallbacks = [
  'https://insiders.vscode.dev/redirect',
  'https://vscode.dev/redirect',
  'http://127.0.0.1/',
  'http://127.0.0.1:33418/',
]

const vscodePlays: Plays = {
  resourceMetadata: fromChallenge,
  serverMetadata: newest,
  redirectUri: 'http://127.0.0.1:33418/',
  scope: challenged,
  resource: announced,
  refresh: { when: 'before' },
}

const vscode: Assistant = {
  name: 'VS Code (GitHub Copilot)',
  connects: 'document',
  quirks: [
    {
      what: 'refuses an API whose metadata names another resource than the pasted address, a trailing slash included',
      source: code('microsoft/vscode', 'src/vs/base/common/oauth.ts'),
    },
  ],
  checked: '2026-11-22',
  plays: {
    ...vscodePlays,
    document: {
      path: '/oauth/client-metadata.json',
      members: {
        client_name: 'Visual Studio Code',
        client_uri: 'https://code.visualstudio.com',
        redirect_uris: vscodeCallbacks,
        ...publicClient,
      },
    },
  },
}

const vscodeRegistered: Assistant = {
  ...vscode,
  variant: 'before 2026',
  connects: 'registration',
  plays: {
    ...vscodePlays,
    registers: (found) => ({
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: [...both, 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: vscodeCallbacks,
      scope: challenged(found),
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }),
  },
}

const vscodeOwn: Assistant = {
  ...vscode,
  variant: 'with an id of the company',
  connects: 'own client',
  host: {
    client: {
      clientId: 'vscode',
      redirectUris: ['http://127.0.0.1:33418', 'https://vscode.dev/redirect'],
    },
  },
  quirks: [
    {
      what: 'tells people to enter `http://127.0.0.1:33418`, and sends it with a slash at its end',
      source: github('microsoft/vscode', 278512),
      isFault: true,
    },
  ],
  plays: vscodePlays,
}

const copilotCli: Assistant = {
  name: 'GitHub Copilot CLI',
  connects: 'document',
  quirks: [
    {
      what: 'its document names one port on loopback, and its callback has another port each time',
      source: github('github/copilot-cli', 4793),
      isFault: true,
    },
  ],
  checked: '2026-11-23',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    document: {
      path: '/copilot/cli/client-metadata.json',
      members: {
        client_name: 'GitHub Copilot CLI',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1:33418/'],
      },
    },
    redirectUri: 'http://127.0.0.1:60005/',
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused' },
  },
}

const copilotCliAway: Assistant = {
  ...copilotCli,
  variant: 'where the server has no way out',
  host: { circumstances: { clients: { fetch: noWayOut } } },
  quirks: [
    {
      what: 'the copy of its document in `clients.known` is used',
      source: github('github/copilot-cli', 4901),
    },
  ],
  plays: {
    ...copilotCli.plays,
    document: {
      path: '',
      unreachableAt: 'https://github.com/copilot/cli/client-metadata.json',
      members: {},
    },
  },
}

const copilotCallback = 'https://global.consent.azure-apim.net/redirect/cr938-5facme-20mcp-5f43bcb8573bc3e84'
const copilotStudio: Assistant = {
  name: 'Microsoft Copilot Studio',
  connects: 'registration',
  quirks: [
    { what: 'its callback has a path of its own for each tool', source: github('SmartBear/smartbear-mcp', 463) },
    {
      what: 'leaves the method out of its registration, and breaks if a secret comes with the method `none`',
      source: github('activepieces/activepieces', 14397),
    },
  ],
  checked: '2026-11-22',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({
      client_name: 'Credential Manager',
      redirect_uris: [copilotCallback],
      grant_types: both,
      response_types: ['code'],
    }),
    redirectUri: copilotCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused' },
  },
}

const copilotSecret = newClientSecret()
const copilotCertified: Assistant = {
  ...copilotStudio,
  variant: 'for certification',
  connects: 'own client',
  host: {
    options: { clients: { authentication: ['none', 'client_secret_basic', 'client_secret_post'] } },
    client: {
      clientId: 'copilot-studio',
      clientName: 'Microsoft Copilot Studio',
      redirectUris: [copilotCallback],
      secretHashes: [copilotSecret.hash],
    },
    secret: copilotSecret.secret,
  },
  quirks: [
    {
      what: 'its certification asks for an id and a secret',
      source: github('microsoft/PowerPlatformConnectors', 4214),
    },
  ],
  plays: { ...copilotStudio.plays, registers: undefined, needsSecretFor: 'client_secret_post' },
}

const foundrySecret = newClientSecret()
const foundry: Assistant = {
  name: 'Microsoft Foundry',
  connects: 'own client',
  host: {
    options: { clients: { authentication: ['none', 'client_secret_basic', 'client_secret_post'] } },
    client: {
      clientId: 'foundry',
      clientName: 'Microsoft Foundry',
      redirectUris: [copilotCallback],
      secretHashes: [foundrySecret.hash],
    },
    secret: foundrySecret.secret,
  },
  quirks: [
    {
      what: 'needs a secret, and sends no `code_challenge`',
      source: github('microsoft-foundry/new-foundry-portal', 109),
      isFault: true,
    },
    { what: 'sends no `resource`', source: github('microsoft-foundry/new-foundry-portal', 63), isFault: true },
  ],
  checked: '2026-11-22',
  refused: { at: 'page', error: 'invalid_request', says: 'code_challenge' },
  plays: {
    resourceMetadata: [],
    serverMetadata: ['rfc8414'],
    redirectUri: copilotCallback,
    scope: () => 'bookings:read',
    resource: none,
    pkce: false,
    needsSecretFor: 'client_secret_post',
    refresh: { when: 'refused' },
  },
}

const leChatCallback = 'https://callback.mistral.ai/v1/integrations_auth/oauth2_callback'
const leChat: Assistant = {
  name: 'Mistral Le Chat',
  connects: 'registration',
  host: { options: { clients: { authentication: ['none', 'client_secret_basic', 'client_secret_post'] } } },
  quirks: [
    {
      what: 'gives up in its callback if the registration has no secret',
      source: 'https://github.com/pantalytics/odoo-mcp-pro/pull/22',
      isFault: true,
    },
  ],
  checked: '2026-11-22',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({
      client_name: 'mistral-mcp-client',
      redirect_uris: [leChatCallback],
      grant_types: both,
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    }),
    needsSecretFor: 'client_secret_basic',
    redirectUri: leChatCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused' },
  },
}

const m365Callback = 'https://teams.microsoft.com/api/platform/v1.0/oAuthRedirect'
const m365: Assistant = {
  name: 'Microsoft 365 Copilot connectors',
  connects: 'own client',
  host: { client: { clientId: 'm365-copilot', clientName: 'Microsoft 365 Copilot', redirectUris: [m365Callback] } },
  quirks: [
    {
      what: 'can be set up without a secret, with PKCE',
      source: 'https://github.com/MicrosoftDocs/msteams-docs/pull/14587',
    },
  ],
  checked: '2026-11-21',
  plays: {
    resourceMetadata: [],
    serverMetadata: ['rfc8414'],
    redirectUri: m365Callback,
    scope: () => 'bookings:read',
    resource: none,
    refresh: { when: 'before' },
  },
}

const geminiCallback = 'http://localhost:7777/oauth/callback'
const geminiProvider = code('google-gemini/gemini-cli', 'packages/core/src/mcp/oauth-provider.ts')
const forgets = {
  what: 'forgets a good sign-in if a refresh fails or loses a race',
  source: github('google-gemini/gemini-cli', 29048),
  isFault: true,
} as const

const gemini: Assistant = {
  name: 'Gemini CLI',
  connects: 'registration',
  quirks: [
    { what: 'asks for all scopes of the server, and for none at a refresh', source: geminiProvider },
    {
      what: 'refuses an API whose metadata names another resource than the pasted address, a trailing slash included',
      source: code('google-gemini/gemini-cli', 'packages/core/src/mcp/oauth-utils.ts'),
    },
    forgets,
  ],
  checked: '2026-11-23',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: [...newest, 'rfc8414 of the origin'],
    registers: (found) => ({
      client_name: 'Gemini CLI MCP Client',
      redirect_uris: [geminiCallback],
      ...publicClient,
      scope: allOfServer(found) ?? '',
    }),
    redirectUri: geminiCallback,
    scope: allOfServer,
    resource: asPasted,
    refresh: { when: 'before', atOnce: 2 },
  },
}

const geminiBefore: Assistant = {
  ...gemini,
  variant: 'in its earlier versions',
  quirks: [
    {
      what: 'takes the resource from the pasted address, with its trailing slash',
      source: github('google-gemini/gemini-cli', 18833),
    },
    { what: 'repeats all scopes of the server at each refresh', source: geminiProvider },
    forgets,
  ],
  plays: {
    ...gemini.plays,
    pastes: (api) => `${api}/`,
    refresh: { when: 'before', atOnce: 2, scope: allOfServer },
  },
}

const qwenCallback = 'http://localhost:7777/oauth/callback'
const qwen: Assistant = {
  name: 'Qwen Code',
  connects: 'registration',
  host: { ownDomain: true },
  quirks: [
    {
      what: 'looks for the registration endpoint only at the root of the host',
      source: github('QwenLM/qwen-code', 12165),
      isFault: true,
    },
  ],
  checked: '2026-11-23',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: [...newest, 'rfc8414 of the origin'],
    registersAtOrigin: true,
    registers: ({ scopesOfResource }) => ({
      client_name: 'Qwen Code MCP Client',
      redirect_uris: [qwenCallback],
      ...publicClient,
      code_challenge_method: ['S256'],
      scope: spaced(scopesOfResource) ?? '',
    }),
    redirectUri: qwenCallback,
    scope: ({ scopesOfResource, scopesOfServer }) => spaced(scopesOfResource) ?? spaced(scopesOfServer),
    resource: asPasted,
    refresh: { when: 'before' },
  },
}

const qwenOwn: Assistant = {
  ...qwen,
  variant: 'with an id of the company',
  connects: 'own client',
  host: { client: { clientId: 'qwen-code', clientName: 'Qwen Code', redirectUris: [qwenCallback] } },
  quirks: [
    {
      what: 'takes an id from its setting `oauth.clientId`, and then does not register',
      source: code('QwenLM/qwen-code', 'packages/core/src/mcp/oauth-provider.ts'),
    },
  ],
}

const ampCallback = 'http://localhost:41592/oauth/callback'
const amp: Assistant = {
  name: 'Amp',
  connects: 'registration',
  host: { ownDomain: true },
  quirks: [
    {
      what: 'looks for the metadata of the server only at the root of the host',
      source: 'https://www.npmjs.com/package/@ampcode/cli',
      isFault: true,
    },
    {
      what: 'registers once for each installation, with the name of the server in its own',
      source: code('archestra-ai/archestra', 'platform/shared/connection-setup.ts'),
    },
  ],
  checked: '2026-11-23',
  plays: {
    resourceMetadata: [],
    serverMetadata: ['rfc8414 of the origin'],
    registers: () => ({ client_name: 'Amp MCP Client (acme)', redirect_uris: [ampCallback], ...publicClient }),
    redirectUri: ampCallback,
    scope: none,
    resource: none,
    refresh: { when: 'refused' },
  },
}

const kimiCallback = 'http://127.0.0.1:49213/callback'
const kimi: Assistant = {
  name: 'Kimi Code',
  connects: 'registration',
  quirks: [
    {
      what: 'calls itself `kimi-code` and the name of the server; its callback has another port each time',
      source: code('MoonshotAI/kimi-code', 'packages/agent-core-v2/src/mcpCore/oauth/provider.ts'),
    },
    {
      what: 'refreshes two minutes before its token expires',
      source: code('MoonshotAI/kimi-code', 'packages/agent-core-v2/src/mcpCore/oauth/service.ts'),
    },
  ],
  checked: '2026-11-23',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({ client_name: 'kimi-code (acme)', redirect_uris: [kimiCallback], ...publicClient }),
    redirectUri: kimiCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'before' },
  },
}

const antigravityCallback = 'https://antigravity.google/oauth-callback'
const antigravity: Assistant = {
  name: 'Google Antigravity',
  connects: 'registration',
  quirks: [{ what: 'its callback is an address of its site', source: 'https://antigravity.google/docs/mcp' }],
  checked: '2026-11-21',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({ client_name: 'Antigravity', redirect_uris: [antigravityCallback], ...publicClient }),
    redirectUri: antigravityCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused' },
  },
}

const grokCallback = 'https://grok.com/connectors-oauth-exchange-code/'
const grok: Assistant = {
  name: 'Grok',
  connects: 'document',
  quirks: [{ what: 'its callbacks end with a slash, which counts', source: 'https://grok.com/oauth/mcp-client.json' }],
  checked: '2026-11-22',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    document: {
      path: '/oauth/mcp-client.json',
      members: {
        client_name: 'Grok',
        redirect_uris: [grokCallback, 'https://console.x.ai/connectors-oauth-exchange-code/'],
        ...publicClient,
      },
    },
    redirectUri: grokCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused' },
  },
}

const mcpRemoteCallback = 'http://localhost:3334/oauth/callback'
const mcpRemote: Assistant = {
  name: 'mcp-remote',
  connects: 'registration',
  quirks: [
    {
      what: 'several of its processes share one sign-in',
      source: github('punkpeye/mcp-remote', 204),
    },
  ],
  checked: '2026-11-21',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: (found) => ({
      client_name: 'MCP CLI Proxy',
      redirect_uris: [mcpRemoteCallback],
      ...publicClient,
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.15.1',
      scope: challenged(found),
    }),
    redirectUri: mcpRemoteCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused', atOnce: 2 },
  },
}

const mcpRemoteOpenid: Assistant = {
  ...mcpRemote,
  variant: 'before it read scopes',
  quirks: [
    {
      what: 'asks for `openid email profile`, whatever is offered',
      source: github('cloudflare/mcp-server-cloudflare', 457),
      isFault: true,
    },
  ],
  plays: {
    ...mcpRemote.plays,
    registers: () => ({
      client_name: 'MCP CLI Proxy',
      redirect_uris: [mcpRemoteCallback],
      ...publicClient,
      scope: 'openid email profile',
    }),
    scope: () => 'openid email profile',
  },
}

const clineCallback = 'vscode://saoudrizwan.claude-dev/mcp-auth/callback/3f2a'
const cline: Assistant = {
  name: 'Cline',
  connects: 'registration',
  quirks: [
    { what: 'asked for `openid`, whatever is offered', source: github('cline/cline', 9218), isFault: true },
    {
      what: 'its callback is an address of the editor, and has a path of its own for each server',
      source: github('cline/cline', 8103),
    },
  ],
  checked: '2026-11-22',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({
      redirect_uris: [clineCallback],
      ...publicClient,
      client_name: 'Cline',
      client_uri: 'https://cline.bot',
      software_id: 'cline',
    }),
    redirectUri: clineCallback,
    scope: (found) => `openid ${challenged(found)}`,
    resource: announced,
    refresh: { when: 'refused' },
  },
}

const mcporterCallback = 'http://127.0.0.1:41809/callback'
const mcporter: Assistant = {
  name: 'Letta Code, mcporter',
  connects: 'registration',
  quirks: [
    {
      what: 'asked for `mcp:tools` in mcporter, whatever is offered',
      source: github('steipete/mcporter', 85),
      isFault: true,
    },
    { what: 'asked for it too, in Letta Code', source: github('letta-ai/letta-code', 4018), isFault: true },
  ],
  checked: '2026-11-21',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({
      client_name: 'mcporter (acme)',
      redirect_uris: [mcporterCallback],
      ...publicClient,
      scope: 'mcp:tools',
    }),
    redirectUri: mcporterCallback,
    scope: (found) => `mcp:tools ${challenged(found)}`,
    resource: announced,
    refresh: { when: 'refused' },
  },
}

const opencodeCallback = 'http://127.0.0.1:19876/mcp/oauth/callback'
const opencode: Assistant = {
  name: 'OpenCode',
  connects: 'registration',
  quirks: [
    { what: 'refreshes several times at once', source: github('anomalyco/opencode', 34074), isFault: true },
    {
      what: 'registers, although it publishes a document',
      source: 'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/mcp/oauth-provider.ts',
    },
  ],
  checked: '2026-11-23',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({
      client_name: 'OpenCode',
      client_uri: 'https://opencode.ai',
      redirect_uris: [opencodeCallback],
      ...publicClient,
    }),
    redirectUri: opencodeCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused', atOnce: 4 },
  },
}

const opencodeWithDocument: Assistant = {
  ...opencode,
  variant: 'where it uses its document',
  connects: 'document',
  quirks: [
    {
      what: 'its document allows any port on loopback',
      source: 'https://github.com/anomalyco/opencode/pull/47743',
    },
  ],
  plays: {
    ...opencode.plays,
    document: {
      path: '/oauth/opencode/client.json',
      members: {
        client_name: 'opencode',
        client_uri: 'https://opencode.ai',
        logo_uri: 'https://opencode.ai/web-app-manifest-512x512.png',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
        ...publicClient,
        token_endpoint_auth_methods_supported: ['none'],
      },
    },
    redirectUri: 'http://127.0.0.1:51675/callback',
  },
}

const opencodeWithOtherCallback: Assistant = {
  ...opencodeWithDocument,
  variant: 'of September 2026',
  quirks: [
    {
      what: 'sends its document, and a callback that is not in it',
      source: github('anomalyco/opencode', 50510),
      isFault: true,
    },
  ],
  refused: { at: 'page', error: 'unauthorized_client', says: 'redirect_uri' },
  plays: { ...opencodeWithDocument.plays, redirectUri: opencodeCallback },
}

// Each installation has its own address.
const openWebUiCallback = 'https://chat.company.example/oauth/clients/mcp:acme/callback'
const openWebUi: Assistant = {
  name: 'Open WebUI',
  connects: 'registration',
  quirks: [
    {
      what: 'accepts the methods `none` and `client_secret_post`, and not `client_secret_basic`',
      source: github('buildswithpaul/Frappe_Assistant_Core', 65),
    },
  ],
  checked: '2026-11-21',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: (found) => ({
      client_name: 'Open WebUI',
      redirect_uris: [openWebUiCallback],
      grant_types: both,
      response_types: ['code'],
      scope: challenged(found),
    }),
    redirectUri: openWebUiCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'before' },
  },
}

const n8nCallback = 'https://oauth.n8n.cloud/oauth2/callback'
const n8n: Assistant = {
  name: 'n8n',
  connects: 'registration',
  quirks: [
    {
      what: 'chooses from the methods that the server offers, and is a public client with PKCE where `none` is offered',
      source: 'https://github.com/n8n-io/n8n/pull/32289',
    },
  ],
  checked: '2026-11-22',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({
      client_name: 'n8n',
      client_uri: 'https://n8n.io/',
      redirect_uris: [n8nCallback],
      ...publicClient,
    }),
    redirectUri: n8nCallback,
    scope: allOfServer,
    resource: none,
    refresh: { when: 'refused' },
  },
}

const n8nWithoutPkce: Assistant = {
  ...n8n,
  variant: 'of November 2025',
  quirks: [{ what: 'sends no `code_challenge`', source: github('n8n-io/n8n', 22103), isFault: true }],
  refused: { at: 'page', error: 'invalid_request', says: 'code_challenge' },
  plays: { ...n8n.plays, pkce: false },
}

const n8nCloud: Assistant = {
  ...n8n,
  variant: 'Cloud of November 2025',
  quirks: [
    { what: 'sends another callback than it has registered', source: github('n8n-io/n8n', 21791), isFault: true },
  ],
  refused: { at: 'page', error: 'unauthorized_client', says: 'redirect_uri' },
  plays: {
    ...n8n.plays,
    registers: () => ({
      client_name: 'n8n',
      client_uri: 'https://n8n.io/',
      redirect_uris: ['https://company.app.n8n.cloud/rest/oauth2-credential/callback'],
      ...publicClient,
    }),
  },
}

// The address of its callback is not published.
const v0Callback = 'https://v0.example/callback'
const v0: Assistant = {
  name: 'v0',
  connects: 'registration',
  quirks: [
    {
      what: 'presents its first refresh token again and again, and never stores the next one',
      source: github('PostHog/posthog', 46982),
      isFault: true,
    },
  ],
  checked: '2026-11-21',
  refused: { at: 'refresh', error: 'invalid_grant', says: 'refresh token' },
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({ client_name: 'v0', redirect_uris: [v0Callback], ...publicClient }),
    redirectUri: v0Callback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused', presents: 'first' },
  },
}

// Each installation has its own address.
const strictCallback = 'https://lobu.company.example/oauth/callback'
const strict: Assistant = {
  name: 'lobu and other strict clients',
  connects: 'registration',
  quirks: [
    {
      what: 'gives up if the registration has another method than the one that it asked for',
      source: github('lobu-ai/lobu', 2695),
    },
  ],
  checked: '2026-11-21',
  plays: {
    resourceMetadata: fromChallenge,
    serverMetadata: newest,
    registers: () => ({ client_name: 'lobu', redirect_uris: [strictCallback], ...publicClient }),
    redirectUri: strictCallback,
    scope: challenged,
    resource: announced,
    refresh: { when: 'refused' },
  },
}

/** All of them, in the order of the table in the documentation. */
export const assistants: readonly Assistant[] = [
  claude,
  claudeBlocked,
  claudeOwn,
  claudeRegistered,
  claudeCode,
  claudeCodeBlocked,
  claudeCodeWithoutResource,
  claudeCodeInApp,
  claudeCodeWithOrigin,
  chatgpt,
  chatgptSigning,
  codex,
  codexWithoutResource,
  codexWithQuery,
  cursor,
  cursorRegistered,
  grokBot,
  vscode,
  vscodeRegistered,
  vscodeOwn,
  copilotCli,
  copilotCliAway,
  copilotStudio,
  copilotCertified,
  foundry,
  m365,
  leChat,
  gemini,
  geminiBefore,
  qwen,
  qwenOwn,
  kimi,
  antigravity,
  grok,
  mcpRemote,
  mcpRemoteOpenid,
  cline,
  mcporter,
  opencode,
  opencodeWithDocument,
  opencodeWithOtherCallback,
  amp,
  openWebUi,
  n8n,
  n8nWithoutPkce,
  n8nCloud,
  v0,
  strict,
]
