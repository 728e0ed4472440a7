import { claudeLink, cursorLink, gooseLink, type McpServer, vscodeLink } from './install-links'

/** An assistant to which a customer can add an MCP server by its address. */
export interface ConnectableAssistant {
  id: string
  name: string
  /** Whether it connects from its maker's servers, which reach only https addresses on the internet. */
  isHosted: boolean
  /** The address of its metadata document, if it has one. The document itself is among the known assistants of `clients`. */
  document?: string | undefined
  /** The redirect URIs without which it does not work. The port of a loopback address is any port. */
  redirectUris: readonly string[]
  /** The `token_endpoint_auth_method` of its registration, where it has no document or documents are off. */
  registersFor: 'none' | 'client_secret_post'
  /** What the customer does. Each text is fixed, so that a host's page can translate it. */
  steps: readonly string[]
  /** The same where the customer enters a client id of the company's. Absent if the assistant has no field for it. */
  stepsWithClientId?: readonly string[] | undefined
  link?: ((server: McpServer) => string) | undefined
  /** The program and its arguments. */
  command?: ((server: McpServer) => readonly string[]) | undefined
  config?: ((server: McpServer) => { file: string; content: object }) | undefined
  /** Where steps, link, command and configuration were read: a public address. */
  source: string
  /** The day on which they were read, such as `2026-11-23`. */
  checkedOn: string
}

const runCommand = 'Run the command in a terminal.'
const logIn = 'In the browser, log in, and allow the access.'

const claudeOpens =
  'Open the link. Claude shows the dialog for a custom connector, with the name and the address filled in.'
const claudeConnects = [
  'Press Add, and then Connect.',
  logIn,
  'With a Team or Enterprise plan, an owner of the organization adds the connector first. Then each member connects it.',
]

const chatgptFills = [
  'Open the link, which leads to the plugins of ChatGPT.',
  'Press the plus button, and choose Add custom MCP server. If it is not there, switch on the developer mode in the settings, or ask an admin of your workspace.',
  'Enter the name of the company, and the address as the Server URL. Choose OAuth as the authentication.',
]
const chatgptCreates = ['Read the warning and confirm it. Press Create as a plugin.', logIn]

/** The assistants that a "Connect an assistant" page can show, those that most people use first. */
export const assistants: readonly ConnectableAssistant[] = [
  {
    id: 'claude',
    name: 'Claude',
    isHosted: true,
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    redirectUris: ['https://claude.ai/api/mcp/auth_callback'],
    registersFor: 'client_secret_post',
    steps: [claudeOpens, ...claudeConnects],
    stepsWithClientId: [
      claudeOpens,
      'Open the advanced settings of the dialog, and enter the client id as the OAuth Client ID.',
      ...claudeConnects,
    ],
    link: claudeLink,
    source: 'https://claude-ai.mintlify.app/connectors/building/directory-vs-custom',
    checkedOn: '2026-11-23',
  },
  {
    id: 'chatgpt',
    name: 'ChatGPT',
    isHosted: true,
    document: 'https://chatgpt.com/oauth/client.json',
    redirectUris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    registersFor: 'none',
    steps: [...chatgptFills, ...chatgptCreates],
    stepsWithClientId: [...chatgptFills, 'Enter the client id in the settings of OAuth.', ...chatgptCreates],
    link: () => 'https://chatgpt.com/plugins',
    source: 'https://developers.openai.com/api/docs/guides/custom-mcp-server',
    checkedOn: '2026-11-23',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    isHosted: false,
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
    redirectUris: ['http://localhost:53682/callback'],
    registersFor: 'none',
    steps: [runCommand, 'Start Claude Code, enter /mcp, choose the server, and choose Authenticate.', logIn],
    command: ({ address, name }) => ['claude', 'mcp', 'add', '--transport', 'http', '--scope', 'user', name, address],
    source: 'https://code.claude.com/docs/en/mcp',
    checkedOn: '2026-11-23',
  },
  {
    id: 'codex',
    name: 'Codex',
    isHosted: false,
    document: 'https://chatgpt.com/oauth/codex/client.json',
    redirectUris: ['http://127.0.0.1:41773/callback'],
    registersFor: 'none',
    steps: [
      runCommand,
      'In the browser that opens, log in, and allow the access. If none opens, run codex mcp login with the name of the server.',
    ],
    command: ({ address, name }) => ['codex', 'mcp', 'add', name, '--url', address],
    source: 'https://github.com/openai/codex/blob/main/codex-rs/cli/src/mcp_cmd.rs',
    checkedOn: '2026-11-23',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    isHosted: false,
    document: 'https://cursor.com/oauth/mcp-client.json',
    redirectUris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    registersFor: 'none',
    steps: [
      'Open the link, and confirm in Cursor that it installs the server. Or add the configuration to the file by hand.',
      'When Cursor opens the browser, log in, and allow the access.',
    ],
    link: cursorLink,
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
    isHosted: false,
    document: 'https://vscode.dev/oauth/client-metadata.json',
    redirectUris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    registersFor: 'none',
    steps: [
      'Open the link, and confirm in VS Code that it installs the server.',
      'Start the server, and confirm that you trust it.',
      'When VS Code opens the browser, log in, and allow the access.',
    ],
    link: vscodeLink,
    source: 'https://code.visualstudio.com/docs/copilot/guides/mcp-developer-guide',
    checkedOn: '2026-11-23',
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    isHosted: false,
    redirectUris: ['http://localhost:7777/oauth/callback'],
    registersFor: 'none',
    steps: [runCommand, 'Start Gemini CLI, and enter /mcp auth with the name of the server.', logIn],
    // By default it adds the server to the project in the current folder, and refuses to in the home folder.
    command: ({ address, name }) => ['gemini', 'mcp', 'add', '--transport', 'http', '--scope', 'user', name, address],
    source: 'https://github.com/google-gemini/gemini-cli/blob/main/packages/cli/src/commands/mcp/add.ts',
    checkedOn: '2026-11-23',
  },
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    isHosted: false,
    document: 'https://github.com/copilot/cli/client-metadata.json',
    redirectUris: ['http://127.0.0.1:33418/'],
    registersFor: 'none',
    steps: ['Add the configuration to the file, and start Copilot CLI.', logIn],
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
    isHosted: false,
    // It publishes a document, and registers nevertheless.
    redirectUris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    registersFor: 'none',
    steps: [runCommand, 'Run opencode mcp auth with the name of the server.', logIn],
    command: ({ address, name }) => ['opencode', 'mcp', 'add', name, '--url', address],
    source: 'https://github.com/anomalyco/opencode/pull/31054',
    checkedOn: '2026-11-23',
  },
  {
    id: 'zed',
    name: 'Zed',
    isHosted: false,
    document: 'https://zed.dev/oauth/client-metadata.json',
    redirectUris: ['http://127.0.0.1:27523/callback'],
    registersFor: 'none',
    steps: [
      'Add the configuration to the settings file of Zed.',
      'Open the MCP servers in the settings of Zed, and press Authenticate beside the server.',
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
    isHosted: false,
    document: 'https://goose-docs.ai/oauth/client-metadata.json',
    redirectUris: ['http://127.0.0.1:41773/oauth_callback'],
    registersFor: 'none',
    steps: [
      'Open the link, and confirm in goose that it installs the extension.',
      'When goose opens the browser, log in, and allow the access.',
    ],
    link: gooseLink,
    source: 'https://block.github.io/goose/docs/getting-started/using-extensions',
    checkedOn: '2026-11-23',
  },
]
