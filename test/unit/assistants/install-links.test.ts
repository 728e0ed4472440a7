import { assistants } from '../../../src/assistants/assistants'
import type { McpServer } from '../../../src/connect/connect'

const linkOf = (id: string) => (server: McpServer) => assistants.find((known) => known.id === id)?.link?.(server) ?? ''
const claudeLink = linkOf('claude')
const cursorLink = linkOf('cursor')
const vscodeLink = linkOf('vscode')
const gooseLink = linkOf('goose')

const addresses = [
  'https://host.example/v1/acme/mcp',
  'http://localhost:3000/v1/acme/mcp',
  'https://host.example/mcp/?tenant=a b&x=1+1=2#not',
  'https://host.example/%2F%20/"quoted"/it\'s/ä/漢/🙂',
  // Its base64 has both characters that a query reads otherwise.
  'https://host.example/~~~???>>>',
]
const titles = ['Acme Air', 'Tom & Jerry’s "Café" <b>$5 `x`</b>', '100% 漢字 🙂 += ?#/\\', "O'Brien\n\t", ' ']
const servers = addresses.flatMap((address) => titles.map((title) => ({ address, title, name: 'acme-air' })))

/** The characters that a URL may have (RFC 3986 section 2), so that no browser changes the link. */
const urlText = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

describe.each(servers)('for $title at $address', (server) => {
  const { address, title, name } = server

  it('the link to Claude fills in the dialog', () => {
    const { origin, pathname, searchParams } = new URL(claudeLink(server))
    expect(origin + pathname).toBe('https://claude.ai/customize/connectors')
    expect(Object.fromEntries(searchParams)).toEqual({
      modal: 'add-custom-connector',
      connectorName: title,
      connectorUrl: address,
    })
    expect(claudeLink(server)).toMatch(urlText)
  })

  it('the link to Cursor has the name, and the configuration in base64', () => {
    const link = cursorLink(server)
    expect(link).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=[^&]+&config=[^&]+$/)
    const { searchParams } = new URL(link)
    expect(searchParams.get('name')).toBe(name)
    const config = Buffer.from(searchParams.get('config') ?? '', 'base64').toString()
    expect(JSON.parse(config)).toEqual({ url: address })
    expect(link).toMatch(urlText)
  })

  it('the link to VS Code has the server as JSON', () => {
    const link = vscodeLink(server)
    const [path, query = ''] = link.split('?')
    expect(path).toBe('vscode:mcp/install')
    expect(JSON.parse(decodeURIComponent(query))).toEqual({ name, type: 'http', url: address })
    expect(link).toMatch(urlText)
  })

  it('the link to goose has the server as a remote extension', () => {
    const link = gooseLink(server)
    expect(link).toMatch(/^goose:\/\/extension\?/)
    expect(Object.fromEntries(new URL(link).searchParams)).toEqual({
      url: address,
      type: 'streamable_http',
      timeout: '300',
      id: name,
      name: title,
      description: title,
    })
    expect(link).toMatch(urlText)
  })
})

it('a name that has half of a surrogate pair becomes a link all the same', () => {
  const { searchParams } = new URL(claudeLink({ address: addresses[0] ?? '', name: 'acme', title: 'A\uD83D' }))
  expect(searchParams.get('connectorName')).toBe('A\uFFFD')
})
