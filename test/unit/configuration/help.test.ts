import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { isObject } from '../../../src/configuration/checks'
import { helpPages } from '../../../src/configuration/configuration-error'
import { checkedOptions } from '../../../src/options'
import { leadsSomewhere, root, textOf } from '../../docs/pages'

const { files }: { files: string[] } = JSON.parse(textOf('package.json'))
const options = Object.entries(
  checkedOptions({ tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }),
)
const names = options.map(([name]) => name)
const paths = options.flatMap(([name, value]) =>
  isObject(value) ? Object.keys(value).map((of) => `${name}.${of}`) : [],
)
const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('configuration-error.ts'))
  .map((name) => textOf(`src/${name}`))
  .join()
const thrown = [...source.matchAll(/new ConfigurationError\(\s*['`](\w+)/g)].map(([, name = '']) => name)

describe('the help of a ConfigurationError', () => {
  it.each([...new Set([...names, ...thrown])])('has a page for %s', (name) => {
    expect(Object.keys(helpPages)).toContain(name)
  })

  it('has no page for names that the source does not have', () => {
    const others = Object.keys(helpPages).filter((name) => ![...names, ...paths, 'options'].includes(name))
    expect(others.filter((name) => !new RegExp(`['\`]${name}['\`.]|(class|get) ${name}\\b`).test(source))).toEqual([])
  })

  it.each(Object.entries(helpPages))('leads to a heading that exists: %s', (_, page) => {
    expect(page).toContain('#')
    expect(leadsSomewhere(page, 'README.md')).toBe(true)
  })

  it.each([
    ['scopes', 'docs/configuration.md#scopes'],
    ['scopes[1]', 'docs/configuration.md#scopes'],
    ['scopes.bookings:write.implies[0]', 'docs/configuration.md#scopes'],
    ['clients.documents.ports', 'docs/clients.md#metadata-documents'],
    ['clients.allowed.clientIds[0]', 'docs/clients.md#which-clients-a-company-allows'],
    ['keys.signing[1]', 'docs/keys.md#making-keys'],
    ['lifetimes.grant', 'docs/configuration.md#lifetimes'],
    ['clients.toString', 'docs/options.md#options'],
    ['tenant.clients[0].redirectUris[1]', 'docs/configuration.md#tenants'],
    ['accessTokenTtl', 'docs/errors.md#configuration-errors'],
    ['constructor', 'docs/errors.md#configuration-errors'],
    ['', 'docs/errors.md#configuration-errors'],
  ])('of %j is in a page that the package brings along, %s', (option, page) => {
    const { help, message } = new ConfigurationError(option, undefined, 'given')
    expect(help).toBe(`node_modules/customer-sign-in/${page}`)
    expect(message.endsWith(`. See ${help}`)).toBe(true)
    expect(files).toContain('docs/*.md')
    expect(leadsSomewhere(page, 'README.md')).toBe(true)
  })
})
