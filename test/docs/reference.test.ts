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
import { answeredCodes, hostCodes } from '../../src/protocol/oauth-error-codes'
import { denialReasons, faultReasons } from '../../src/protocol/reasons'
import { redirectUriFaults } from '../../src/protocol/redirect-uri'
import { allTablesUnder, root, tableUnder, textOf } from './pages'

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

  const withDefault = rows.filter(({ byDefault }) => /^`[^`]+`$/.test(byDefault))

  it.each(withDefault)('says the default of $option', ({ option, byDefault }) => {
    const json = bare(byDefault)
      .replaceAll("'", '"')
      .replace(/([{,] ?)(\w+):/g, '$1"$2":')
    expect(JSON.parse(json)).toEqual(defaults[option])
  })

  it('says a default of every option that has one', () => {
    const silent = rows.filter((row) => !withDefault.includes(row)).map(({ option }) => option)
    // What is required has no default, and `externalEndpoints` is by default an empty record.
    expect(silent.filter((option) => defaults[option] !== undefined)).toEqual([
      'tenantStore',
      'tokenStore',
      'externalEndpoints',
    ])
  })

  const numbers = rows.filter(({ option }) => /number/.test(refusalOf(option, 'text').allowed))

  it.each(numbers)('says the limits of $option', ({ option, limits }) => {
    const [limit = ''] = /[\d.]+ (to \d+|or more)$/.exec(refusalOf(option, 'text').allowed) ?? []
    expect(limits).toBe(limit)
    const [least = '', most = least] = limit.replace(' or more', '').split(' to ')
    expect(accepts(option, Number(least))).toBe(true)
    expect(accepts(option, Number(least) / 2 - 0.01)).toBe(false)
    expect(accepts(option, Number(most))).toBe(true)
    expect(accepts(option, Number(most) + 1)).toBe(limit.endsWith(' or more'))
  })

  it('lists everything that consent and metadataDocuments can be', () => {
    for (const value of [false, () => true]) expect(accepts('consent', value)).toBe(true)
    for (const value of [true, false, 'with-loopback', { ports: [8443] }])
      expect(accepts('metadataDocuments', value)).toBe(true)
  })
})

describe('the API table of the README', () => {
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
    const [, ...rows] = tableUnder('## API', 'README.md')
    expect(rows.map(([member]) => /^`signIn\.([\w.]+)/.exec(member ?? '')?.[1]).sort()).toEqual(names.sort())
  })
})

describe('the tables of docs/configuration.md', () => {
  const membersOf = (type: string, file: string) => {
    const [, body = ''] = new RegExp(`export interface ${type} .*?\\{\n(.*?)\n\\}`, 's').exec(sourceOf(file)) ?? []
    return [...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, name]) => name)
  }
  const namesIn = (table: string[][]) =>
    table.flatMap(([names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const tablesUnder = (heading: string) => allTablesUnder(heading, 'docs/configuration.md').map(namesIn)

  it('have every member of a tenant and of a client', () => {
    const [tenant = [], client = []] = tablesUnder('## Tenants')
    expect(tenant.sort()).toEqual(membersOf('Tenant', 'stores/tenant-store').sort())
    const ofClient = ['Client', 'ClientMetadata'].flatMap((type) => membersOf(type, 'stores/tenant-store'))
    expect(client.sort()).toEqual(ofClient.sort())
  })

  it('have everything that authenticate receives and returns', () => {
    const [request = [], customer = []] = tablesUnder('## Login: `authenticate`')
    expect(request.sort()).toEqual(membersOf('SignInRequest', 'endpoints/customer-sessions').sort())
    expect(customer.sort()).toEqual(membersOf('Customer', 'authorization/customer').sort())
  })
})

describe('docs/events.md', () => {
  const page = 'docs/events.md'
  const declared = new Map(
    [
      ...sourceOf('events/customer-sign-in-event').matchAll(
        /export interface (\w+)(?: extends ([\w, ]+))? \{\n(.*?)\n\}/gs,
      ),
    ].map(([, name = '', bases = '', body = '']) => [name, { bases: bases.split(', ').filter(Boolean), body }]),
  )
  const context = /export interface ErrorContext \{\n(.*?)\n\}/s.exec(sourceOf('protocol/oauth-error'))?.[1] ?? ''
  const membersOf = (name: string): string[] => {
    const { bases, body } = declared.get(name) ?? { bases: [], body: context }
    return [...bases.flatMap(membersOf), ...[...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, member = '']) => member)]
  }
  const events = [...declared].flatMap(([name, { body }]) => {
    const type = /^ {2}type: '(\w+)'/m.exec(body)?.[1]
    return type === undefined ? [] : [{ type, members: membersOf(name) }]
  })
  const rows = tableUnder('## Event types', page)

  it('has every event', () => {
    expect(rows.map(([type = '']) => bare(type))).toEqual(events.map(({ type }) => type))
    const [, union = ''] =
      /export type CustomerSignInEvent =\n(.*)/s.exec(sourceOf('events/customer-sign-in-event')) ?? []
    expect(union.split('|').length - 1).toBe(events.length)
  })

  it.each(events)('has every member of $type', ({ type, members }) => {
    const [, , cell = ''] = rows.find(([name = '']) => bare(name) === type) ?? []
    const told = members.filter((member) => member !== 'type' && member !== 'at')
    expect(told.filter((member) => !cell.includes(`\`${member}\``))).toEqual([])
    const known = [...new Set(events.flatMap((event) => event.members))]
    const named = known.filter((member) => new RegExp(`\`${member}\`(?! follows)`).test(cell))
    expect(named.sort()).toEqual([...new Set(told)].sort())
  })

  it.each([
    ['## Reasons for `denied`', denialReasons],
    ['## Reasons for `error`', faultReasons],
  ] as const)('has every reason under %s', (heading, reasons) => {
    const told = tableUnder(heading, page).flatMap(([cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word),
    )
    expect(told.sort()).toEqual([...reasons].sort())
  })
})

describe('docs/errors.md', () => {
  const page = textOf('docs/errors.md')

  it.each(Object.entries(answeredCodes))('has the OAuth error %s, with its status and meaning', (code, error) => {
    const [, statuses = '', after = ''] = page.split(new RegExp(`\n### \`${code}\` \\((.*)\\)\n\n`))
    expect(statuses.split(', ').some((status) => status === String(error.status) || status === 'redirect')).toBe(true)
    expect(after.startsWith(error.meaning)).toBe(true)
    expect(textOf('README.md')).toContain(`\`${code}\``)
  })

  it('has every code that only a host throws, and no other among them', () => {
    const rows = tableUnder('### Codes that only your own code throws', 'docs/errors.md')
    expect(rows).toEqual(
      Object.entries(hostCodes).map(([code, { status, meaning, source }]) => [
        `\`${code}\``,
        `${status}`,
        meaning,
        source,
      ]),
    )
  })

  it.each(Object.entries(answeredCodes))('has every description of %s, and no other', (code, { descriptions }) => {
    const heading = /^### `(\w+)` \(.*\)$/gm
    const [title = ''] = [...page.matchAll(heading)].find(([, name]) => name === code) ?? []
    const told = tableUnder(title, 'docs/errors.md').flatMap(([cell = '']) => descriptionsIn(cell))
    const given = (descriptions as readonly string[]).flatMap((description) =>
      description.includes('*fault*')
        ? redirectUriFaults.map((fault) => description.replace('*fault*', fault))
        : [description],
    )
    const isToldAs = (text: string) => (description: string) => patternOf(description).test(text)
    expect(given.filter((description) => !told.some((text) => isToldAs(text)(description)))).toEqual([])
    expect(told.filter((text) => !given.some(isToldAs(text)))).toEqual([])
  })

  it('has what an error event says about faulty hooks', () => {
    const words = [...source.matchAll(/new Error\('((?:authenticate|consent) [^']+)'/g)].map(([, said]) => said)
    const answers = [...source.matchAll(/wrongAnswer\('(\w+)', \w+, '([^']+)'\)/g)]
    const said = [...words, ...answers.map(([, hook, allowed]) => `${hook} must return ${allowed}`)]
    expect(said.length).toBe(5)
    for (const words of said) expect(page).toContain(`\`${words}`)
  })

  it.each(Object.keys(defaults))('says what the option %s may be', (option) => {
    const [, allowed = ''] =
      tableUnder('## Configuration errors', 'docs/errors.md').find(([name]) => bare(name ?? '') === option) ?? []
    expect(allowed).toContain(refusalOf(option, 'wrong').allowed)
  })

  it('has every warning', () => {
    const codes = [...source.matchAll(/\bwarn\(\s*'(\w+)'/g)].map(([, code]) => `CUSTOMER_SIGN_IN_${code}`)
    const rows = tableUnder('## Warnings', 'docs/errors.md').map(([code]) => bare(code ?? ''))
    expect(rows.sort()).toEqual(codes.sort())
  })
})

function sourceOf(file: string): string {
  return readFileSync(join(root, 'src', `${file}.ts`), 'utf8')
}

/** The descriptions in a cell, of which several stand between backticks and `...` stands for the beginning of the one before. */
function descriptionsIn(cell: string): string[] {
  return cell.split('`, `').map((text) => bare(text).replace(/ \(\d+\)$/, ''))
}

/** How a page can have a description: what stands between asterisks as anything, and its beginning as `...`. */
function patternOf(description: string): RegExp {
  const words = description.split(/\*[^*]*\*/).map((text) => text.replace(/[.[\]]/g, '\\$&'))
  const end = words.at(-1)?.replace(/^\S* /, '')
  return new RegExp(`^(?:${words.join('.+')}|\\.{3} ${end})$`)
}

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
