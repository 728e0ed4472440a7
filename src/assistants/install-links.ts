/** The MCP server of a company, as an assistant is told of it. */
export interface McpServer {
  address: string
  /** For commands and configuration files. */
  name: string
  /** The company's name, for people. */
  title: string
}

/** Opens Claude's dialog for a custom connector. */
export function claudeLink({ address, title }: McpServer): string {
  const filledIn = `connectorName=${encoded(title)}&connectorUrl=${encoded(address)}`
  return `https://claude.ai/customize/connectors?modal=add-custom-connector&${filledIn}`
}

/** Makes Cursor ask whether to install the server. */
export function cursorLink({ address, name }: McpServer): string {
  const config = Buffer.from(JSON.stringify({ url: address })).toString('base64')
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${encoded(name)}&config=${encoded(config)}`
}

/** Makes VS Code ask whether to install the server. */
export function vscodeLink({ address, name }: McpServer): string {
  return `vscode:mcp/install?${encoded(JSON.stringify({ name, type: 'http', url: address }))}`
}

/** Makes goose ask whether to install the server as an extension. */
export function gooseLink({ address, name, title }: McpServer): string {
  const about = `id=${encoded(name)}&name=${encoded(title)}&description=${encoded(title)}`
  return `goose://extension?url=${encoded(address)}&type=streamable_http&timeout=300&${about}`
}

/** A value of a query. Half of a surrogate pair, which no address can have, becomes U+FFFD. */
function encoded(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString())
}
