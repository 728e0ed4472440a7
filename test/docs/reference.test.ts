import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ConfigurationError,
  type CustomerSignInOptions,
  createCustomerSignIn,
  MemoryTenantStore,
  MemoryTokenStore,
} from 'customer-sign-in'
import { checkedOptions } from '../../src/options'
import { root, tableUnder, textOf } from './pages'

const required = { tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }
const defaults: Record<string, unknown> = checkedOptions(required)
const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n')
  .replace(/\/\*\*.*?\*\//gs, '')

describe('the options table of the README', () => {
  const rows = tableUnder('## Options', 'README.md').map(([option = '', byDefault = '', limits = '']) => ({
    option: bare(option),
    byDefault,
    limits,
  }))

  it('has every option, in the order of their declaration', () => {
    expect(rows.map(({ option }) => option)).toEqual(Object.keys(defaults))
  })

  it.each(rows.filter(({ byDefault }) => /^`[\d['].*`$/.test(byDefault)))('says the default of $option', (row) => {
    expect(JSON.parse(bare(row.byDefault).replaceAll("'", '"'))).toEqual(defaults[row.option])
  })

  it('says a default of every option that has one', () => {
    const silent = rows.filter(({ byDefault }) => !/^`[\d['].*`$/.test(byDefault)).map(({ option }) => option)
    const withDefault = Object.keys(defaults).filter((option) => defaults[option] !== undefined)
    // What is required has no default, and `endpoints` is by default an empty record.
    expect(silent.filter((option) => withDefault.includes(option))).toEqual(['tenantStore', 'tokenStore', 'endpoints'])
  })

  it.each(rows.filter(({ limits }) => /^[\d.]+ to \d+$/.test(limits)))('says the limits of $option', (row) => {
    const [least, most] = row.limits.split(' to ').map(Number) as [number, number]
    for (const value of [least, most]) expect(checked({ [row.option]: value })[row.option]).toBe(value)
    for (const value of [least / 2 - 0.01, most + 1]) {
      expect(() => checked({ [row.option]: value })).toThrow(ConfigurationError)
    }
  })

  it('says the limits of every number', () => {
    const numbers = Object.keys(defaults).filter((option) => accepts(option, 1) && !accepts(option, 'text'))
    const limited = rows.filter(({ limits }) => /^[\d.]+ to \d+$/.test(limits)).map(({ option }) => option)
    expect(limited).toEqual(numbers)
  })
})

describe('the members table of the README', () => {
  it('has every member and no other', () => {
    const { grants, clients, ...members } = createCustomerSignIn({
      ...required,
      baseUrl: 'https://host.example',
      signingKeys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    })
    const names = [
      ...Object.keys(members),
      ...Object.keys(grants).map((name) => `grants.${name}`),
      ...Object.keys(clients).map((name) => `clients.${name}`),
    ]
    const [, ...rows] = tableUnder('## Members', 'README.md')
    expect(rows.map(([member]) => /^`signIn\.([\w.]+)/.exec(member ?? '')?.[1]).sort()).toEqual(names.sort())
  })
})

describe('docs/errors.md', () => {
  const page = textOf('docs/errors.md')

  it('has every OAuth error, and the README names it', () => {
    const codes = new Set(
      [...source.matchAll(/(?:new OAuthError\(|statusOf[^}]*?)'?([a-z_]+)'/g)].map(([, code]) => code),
    )
    expect(codes.size).toBeGreaterThan(8)
    for (const code of codes) {
      expect(page).toContain(`\n### \`${code}\` (`)
      expect(textOf('README.md')).toContain(`\`${code}\``)
    }
  })

  it('has every description that is always the same', () => {
    const thrown = /(?:new OAuthError\(\s*'\w+',|invalidToken\(|invalidGrant\(\w+,)\s*'([^']+)'/g
    const descriptions = [...source.matchAll(thrown)].map(([, description = '']) => description)
    expect(descriptions.length).toBeGreaterThan(30)
    expect(descriptions.filter((description) => !page.includes(`\`${description}\``))).toEqual([])
  })

  it.each(Object.keys(defaults))('says what the option %s may be', (option) => {
    const [, allowed = ''] =
      tableUnder('## Configuration errors', 'docs/errors.md').find(([name]) => bare(name ?? '') === option) ?? []
    expect(allowed).toContain(refusalOf(option, 'wrong').allowed)
  })

  it('has every warning', () => {
    const codes = [...source.matchAll(/\bwarn\('(\w+)'/g)].map(([, code]) => `CUSTOMER_SIGN_IN_${code}`)
    const rows = tableUnder('## Warnings', 'docs/errors.md').map(([code]) => bare(code ?? ''))
    expect(rows.sort()).toEqual(codes.sort())
  })
})

function bare(cell: string): string {
  return cell.replaceAll('`', '')
}

function checked(options: object): Record<string, unknown> {
  return checkedOptions({ ...required, ...options } as CustomerSignInOptions)
}

function accepts(option: string, value: unknown): boolean {
  try {
    checked({ [option]: value })
    return true
  } catch {
    return false
  }
}

function refusalOf(option: string, value: unknown): ConfigurationError {
  try {
    checked({ [option]: value })
  } catch (error) {
    if (error instanceof ConfigurationError) return error
  }
  throw new Error(`${option} took ${value}`)
}
