/**
 * The name of a company's MCP server in commands and configuration files, which allow little more than letters, digits and hyphens: the
 * tenant's key, in lower case, with a hyphen in place of everything else.
 */
export function serverNameOf(tenantKey: string): string {
  const name = tenantKey
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  // A key can consist of dots, hyphens and the like alone.
  return name === '' ? 'mcp-server' : name
}
