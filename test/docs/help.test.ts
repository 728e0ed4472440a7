import { ConfigurationError, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { helpPages } from '../../src/configuration/configuration-error'
import { checkedOptions } from '../../src/options'
import { allTablesUnder, leadsSomewhere, textOf } from './pages'

const { files }: { files: string[] } = JSON.parse(textOf('package.json'))
const options = Object.keys(
  checkedOptions({ tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }),
)
// The names of the other errors, as the second table lists them: `requireAccessToken.tenantKey`, `tenant.` and the like.
const [, others = []] = allTablesUnder('## Configuration errors', 'docs/errors.md')
const otherNames = others.flatMap(([cell = '']) => [...cell.matchAll(/`(\w+)[\w.]*`/g)].map(([, name = '']) => name))

describe('the help of a ConfigurationError', () => {
  it.each([...new Set([...options, ...otherNames, 'options'])])('has a page for %s', (name) => {
    expect(Object.keys(helpPages)).toContain(name)
  })

  it('has no page for names that do not exist', () => {
    expect(Object.keys(helpPages).filter((name) => ![...options, ...otherNames, 'options'].includes(name))).toEqual([])
  })

  it.each(Object.entries(helpPages))('leads to a heading that exists: %s', (_, page) => {
    expect(page).toContain('#')
    expect(leadsSomewhere(page, 'README.md')).toBe(true)
  })

  it.each([
    ['scopes', 'docs/configuration.md#scopes'],
    ['scopes[1]', 'docs/configuration.md#scopes'],
    ['impliedScopes.bookings:write[0]', 'docs/configuration.md#scopes-that-imply-others'],
    ['metadataDocuments.ports', 'docs/configuration.md#metadata-documents'],
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
