// More than 300 lines: two lists, of assistants and of apps, each with its source and its day.

import type { ConnectableAssistant, Step } from '../connect/connect'
import type { KnownAssistant } from '../contract/tenant-store'
import { workBuddyRedirects } from '../protocol/redirect-uri'

const logIn: Step = { say: 'logIn' }

const claudeConnects: Step[] = [{ say: 'press', button: 'Add', next: 'Connect' }, logIn, { say: 'ownerFirst' }]

const chatgptFills: Step[] = [
  { say: 'plugins', choice: 'Add custom MCP server', mode: 'Developer mode' },
  { say: 'form', field: 'Server URL', choice: 'OAuth', list: 'Authentication' },
]
const chatgptCreates: Step[] = [{ say: 'create', button: 'Create as a plugin' }, logIn]

// What most documents say. Members that this library does not read are left out of the copies, such as logo_uri.
const publicClient = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** A copy of a document, as its publisher had it on a day. Its source is the document itself. */
function known(date: string, document: KnownAssistant['document']): KnownAssistant {
  return { document, source: document.client_id, date }
}

/** All that this package knows of assistants. Those that most people use come first. */
export const assistants: readonly ConnectableAssistant[] = [
  {
    id: 'claude',
    name: 'Claude',
    isHosted: true,
    document: known('2026-09-21', {
      client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
      client_name: 'Claude',
      client_uri: 'https://claude.ai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      ...publicClient,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    }),
    redirectUris: ['https://claude.ai/api/mcp/auth_callback'],
    registersFor: 'client_secret_post',
    steps: [{ say: 'dialog', app: 'Claude' }, ...claudeConnects],
    stepsWithClientId: [
      { say: 'dialog', app: 'Claude' },
      { say: 'clientIdInDialog', menu: 'Advanced settings', field: 'OAuth Client ID' },
      ...claudeConnects,
    ],
    link: ({ address, title }) =>
      `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=${encoded(title)}&connectorUrl=${encoded(address)}`,
    source: 'https://claude-ai.mintlify.app/connectors/building/directory-vs-custom',
    checkedOn: '2026-11-23',
  },
  {
    id: 'chatgpt',
    name: 'ChatGPT',
    isHosted: true,
    document: known('2026-09-21', {
      client_id: 'https://chatgpt.com/oauth/client.json',
      client_name: 'ChatGPT',
      client_uri: 'https://chatgpt.com/',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      ...publicClient,
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    }),
    redirectUris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    steps: [...chatgptFills, ...chatgptCreates],
    stepsWithClientId: [...chatgptFills, { say: 'clientIdIn', part: 'OAuth' }, ...chatgptCreates],
    link: () => 'https://chatgpt.com/plugins',
    source: 'https://developers.openai.com/api/docs/guides/custom-mcp-server',
    checkedOn: '2026-11-23',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    document: known('2026-09-21', {
      client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
      client_name: 'Claude Code',
      client_uri: 'https://claude.ai',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      ...publicClient,
    }),
    redirectUris: ['http://localhost:53682/callback'],
    steps: [{ say: 'run' }, { say: 'start', app: 'Claude Code', command: '/mcp', choice: 'Authenticate' }, logIn],
    command: ({ address, name }) => ['claude', 'mcp', 'add', '--transport', 'http', '--scope', 'user', name, address],
    source: 'https://code.claude.com/docs/en/mcp',
    checkedOn: '2026-11-23',
  },
  {
    id: 'codex',
    name: 'Codex',
    document: known('2026-09-24', {
      client_id: 'https://chatgpt.com/oauth/codex/client.json',
      client_name: 'Codex',
      client_uri: 'https://chatgpt.com/codex',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      ...publicClient,
      token_endpoint_auth_methods_supported: ['none'],
    }),
    redirectUris: ['http://127.0.0.1:41773/callback'],
    steps: [{ say: 'run' }, { say: 'logInFrom', app: 'Codex' }, { say: 'ifNoBrowser', command: 'codex mcp login' }],
    command: ({ address, name }) => ['codex', 'mcp', 'add', name, '--url', address],
    source: 'https://github.com/openai/codex/blob/main/codex-rs/cli/src/mcp_cmd.rs',
    checkedOn: '2026-11-23',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    document: {
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
    redirectUris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    steps: [
      { say: 'installOrAdd', app: 'Cursor' },
      { say: 'logInFrom', app: 'Cursor' },
    ],
    link: ({ address, name }) => {
      const config = Buffer.from(JSON.stringify({ url: address })).toString('base64')
      return `cursor://anysphere.cursor-deeplink/mcp/install?name=${encoded(name)}&config=${encoded(config)}`
    },
    config: ({ address, name }) => ({
      file: '~/.cursor/mcp.json',
      content: { mcpServers: { [name]: { url: address } } },
    }),
    source: 'https://cursor.com/docs/mcp/install-links',
    checkedOn: '2026-11-23',
  },
  {
    id: 'vscode',
    name: 'VS Code (GitHub Copilot)',
    document: known('2026-09-21', {
      client_id: 'https://vscode.dev/oauth/client-metadata.json',
      client_name: 'Visual Studio Code',
      client_uri: 'https://vscode.dev/product',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      ...publicClient,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    }),
    redirectUris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    steps: [{ say: 'install', app: 'VS Code' }, { say: 'trust' }, { say: 'logInFrom', app: 'VS Code' }],
    link: ({ address, name }) => `vscode:mcp/install?${encoded(JSON.stringify({ name, type: 'http', url: address }))}`,
    source: 'https://code.visualstudio.com/docs/copilot/guides/mcp-developer-guide',
    checkedOn: '2026-11-23',
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    redirectUris: ['http://localhost:7777/oauth/callback'],
    steps: [{ say: 'run' }, { say: 'startWithName', app: 'Gemini CLI', command: '/mcp auth' }, logIn],
    // By default it adds the server to the project in the current folder, and refuses to in the home folder.
    command: ({ address, name }) => ['gemini', 'mcp', 'add', '--transport', 'http', '--scope', 'user', name, address],
    source: 'https://github.com/google-gemini/gemini-cli/blob/main/packages/cli/src/commands/mcp/add.ts',
    checkedOn: '2026-11-23',
  },
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    document: known('2026-09-18', {
      // It sends another port each time, which is let through on loopback.
      client_id: 'https://github.com/copilot/cli/client-metadata.json',
      client_name: 'GitHub Copilot CLI',
      redirect_uris: ['http://127.0.0.1:33418/'],
      token_endpoint_auth_method: 'none',
    }),
    redirectUris: ['http://127.0.0.1:33418/'],
    steps: [{ say: 'addAndStart', app: 'Copilot CLI' }, logIn],
    config: ({ address, name }) => ({
      file: '~/.copilot/mcp-config.json',
      content: { mcpServers: { [name]: { type: 'http', url: address, tools: ['*'] } } },
    }),
    source: 'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers',
    checkedOn: '2026-11-23',
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    document: known('2026-09-24', {
      client_id: 'https://opencode.ai/oauth/opencode/client.json',
      client_name: 'opencode',
      client_uri: 'https://opencode.ai',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      ...publicClient,
      token_endpoint_auth_methods_supported: ['none'],
    }),
    prefersToRegister: true,
    redirectUris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    steps: [{ say: 'run' }, { say: 'runWithName', command: 'opencode mcp auth' }, logIn],
    command: ({ address, name }) => ['opencode', 'mcp', 'add', name, '--url', address],
    source: 'https://github.com/anomalyco/opencode/pull/31054',
    checkedOn: '2026-11-23',
  },
  {
    id: 'zed',
    name: 'Zed',
    document: known('2026-09-21', {
      client_id: 'https://zed.dev/oauth/client-metadata.json',
      client_name: 'Zed',
      client_uri: 'https://zed.dev',
      redirect_uris: ['http://127.0.0.1/callback'],
      ...publicClient,
    }),
    redirectUris: ['http://127.0.0.1:27523/callback'],
    steps: [
      { say: 'addToSettings', app: 'Zed' },
      { say: 'authenticate', menu: 'MCP Servers', app: 'Zed', button: 'Authenticate' },
      logIn,
    ],
    config: ({ address, name }) => ({
      file: '~/.config/zed/settings.json',
      content: { context_servers: { [name]: { url: address } } },
    }),
    source: 'https://zed.dev/docs/ai/mcp',
    checkedOn: '2026-11-23',
  },
  {
    id: 'goose',
    name: 'goose',
    document: known('2026-09-21', {
      client_id: 'https://goose-docs.ai/oauth/client-metadata.json',
      client_name: 'goose',
      redirect_uris: ['http://127.0.0.1/oauth_callback', 'http://[::1]/oauth_callback'],
      ...publicClient,
    }),
    redirectUris: ['http://127.0.0.1:41773/oauth_callback'],
    steps: [
      { say: 'install', app: 'goose' },
      { say: 'logInFrom', app: 'goose' },
    ],
    link: ({ address, name, title }) => {
      const about = `id=${encoded(name)}&name=${encoded(title)}&description=${encoded(title)}`
      return `goose://extension?url=${encoded(address)}&type=streamable_http&timeout=300&${about}`
    },
    source: 'https://block.github.io/goose/docs/getting-started/using-extensions',
    checkedOn: '2026-11-23',
  },
]

/**
 * The metadata documents of assistants that many people use, as their publishers had them on the day that is given with each.
 * `npx tsx scripts/check-assistants.ts` compares them with the live documents.
 *
 * @example
 * clients: { known: [...knownAssistants, { document: { client_id, client_name, redirect_uris } }] }
 */
export const knownAssistants: readonly KnownAssistant[] = assistants.flatMap(({ document }) => document ?? [])

/** Editors in which Cline runs. Each has a scheme of its own. */
const editors = ['vscode', 'vscode-insiders', 'cursor', 'windsurf']

/**
 * Addresses of apps that are redirect URIs although their scheme has no dot. With a slash at its end, one stands for all that begin with it.
 * The source is a public address of the maker's own: what anybody may register must not rest on what a stranger has written.
 */
export const appRedirects: readonly { app: string; redirect: string; source: string; date: string }[] = [
  {
    app: 'Cursor',
    redirect: 'cursor://anysphere.cursor-mcp/oauth/',
    source:
      'https://forum.cursor.com/t/oauth-redirect-uri-changed-from-cursor-to-http-localhost-for-streamable-http-mcp/165019',
    date: '2026-11-22',
  },
  {
    app: 'Claude, as a desktop app',
    redirect: 'claude://claude.ai/mcp-auth-callback/sdk',
    source: 'https://github.com/anthropics/claude-code/issues/93671',
    date: '2026-11-28',
  },
  ...editors.map((scheme) => ({
    app: 'Cline, in an editor',
    redirect: `${scheme}://saoudrizwan.claude-dev/mcp-auth/callback/`,
    source: 'https://github.com/cline/cline/issues/8103',
    date: '2026-11-28',
  })),
  {
    app: 'Warp',
    redirect: 'warp://mcp/oauth2callback',
    source: 'https://github.com/warpdotdev/warp/issues/9088',
    date: '2026-11-28',
  },
  {
    app: 'MCPJam',
    redirect: 'mcpjam://oauth/callback',
    source: 'https://www.mcpjam.com/.well-known/oauth/client-metadata.json',
    date: '2026-11-28',
  },
  {
    app: 'WorkBuddy',
    redirect: workBuddyRedirects,
    source: 'https://github.com/TencentCloudBase/CloudBase-AI-Toolkit/tree/main/connectors/cloudbase-intl',
    date: '2026-11-28',
  },
]

/** The default of the option `appRedirects`. */
export const appRedirectsOfAssistants: readonly string[] = appRedirects.map(({ redirect }) => redirect)

/** A value of a query. Half of a surrogate pair, which no address can have, becomes U+FFFD. */
function encoded(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString())
}
