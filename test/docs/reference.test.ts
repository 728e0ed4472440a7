import {
  ConfigurationError,
  type Customer,
  type CustomerSignInOptions,
  MemoryTenantStore,
  MemoryTokenStore,
  OAuthError,
  type SignInRequest,
} from 'customer-sign-in'
import { warningCodes } from '../../src/configuration/warnings'
import { checkedOptions } from '../../src/options'
import { answeredCodes } from '../../src/protocol/oauth-error-codes'
import { denialReasons, faultReasons } from '../../src/protocol/reasons'
import { redirectUriFaults } from '../../src/protocol/redirect-uri'
import { Authorization, asTheySay } from '../support/authorization'
import { clientId as ownClientId } from '../support/sign-in'
import { started } from '../support/started'
import { allTablesUnder, tableUnder, textOf } from './pages'

const required = { tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }
const noTenants = new MemoryTenantStore([])
/** Every option by its path, such as `lifetimes.grant`. */
const paths = Object.entries(checkedOptions(required)).flatMap(([name, value]) =>
  ['keys', 'lifetimes', 'clients', 'grants', 'pages'].includes(name)
    ? Object.keys(value as object).map((member) => `${name}.${member}`)
    : [name],
)

/** The members of a type. It compiles only with every one of them, and with no other. */
function membersOf<Type extends object>(members: { [Member in keyof Type]-?: true }): string[] {
  return Object.keys(members)
}

describe('what an option says that it may be', () => {
  const numbers = paths.flatMap((option) => {
    const [, least = '', most] =
      /number.* ([\d.]+)(?: to ([\d.]+)|,? or more)$/.exec(refusalOf(option, 'wrong').allowed) ?? []
    return least === '' ? [] : [{ option, least: Number(least), most: most === undefined ? undefined : Number(most) }]
  })

  it.each(numbers)('is what it may be: $option', ({ option, least, most }) => {
    expect(accepts(option, least)).toBe(true)
    expect(accepts(option, least / 2 - 0.01)).toBe(false)
    expect(accepts(option, most ?? least * 1e6)).toBe(true)
    if (most !== undefined) expect(accepts(option, most + 1)).toBe(false)
  })

  it('is about every option with a number', () => {
    expect(numbers.length).toBeGreaterThan(6)
  })

  it('has everything that pages.consent and clients.documents can be', () => {
    for (const value of [false, () => true]) expect(accepts('pages.consent', value)).toBe(true)
    for (const value of [true, false, 'with-loopback', { ports: [8443] }])
      expect(accepts('clients.documents', value)).toBe(true)
  })
})

describe('the tables of docs/configuration.md', () => {
  const namesIn = (table: string[][]) =>
    table.flatMap(([names = '']) => [...names.matchAll(/`(\w+)\??`/g)].map(([, name]) => name))
  const tablesUnder = (heading: string) => allTablesUnder(heading, 'docs/configuration.md').map(namesIn)

  it('have everything that authenticate receives and returns', () => {
    const [request = [], customer = []] = tablesUnder('## Login: `authenticate`')
    const ofRequest = membersOf<SignInRequest>({
      url: true,
      tenant: true,
      client: true,
      scopes: true,
      resource: true,
      prompt: true,
      switchAccount: true,
      loginHint: true,
      language: true,
    })
    expect(request.sort()).toEqual(ofRequest.sort())
    expect(customer.sort()).toEqual(membersOf<Customer>({ subject: true, name: true, claims: true }).sort())
  })
})

describe('docs/events.md', () => {
  const page = 'docs/events.md'

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

  const told = allTablesUnder('## OAuth errors', 'docs/errors.md').flat()

  it('tells of no description that this library does not give', () => {
    const given = Object.values(answeredCodes).flatMap(({ descriptions }) =>
      (descriptions as readonly string[]).flatMap((description) =>
        description.includes('*fault*')
          ? redirectUriFaults.map((fault) => description.replace('*fault*', fault))
          : [description],
      ),
    )
    const cells = told.flatMap(([first = '', second = '']) =>
      /^`\w+`/.test(first) && /^`\w+`$/.test(first) ? second : first,
    )
    const descriptions = cells.filter((cell) => cell.includes(' ')).flatMap(descriptionsIn)
    const hooks = tableUnder('### What events say about your hooks', 'docs/errors.md').map(
      ([cell = '']) => descriptionsIn(cell)[0],
    )
    const isGiven = (text: string) => given.some((description) => patternOf(description).test(text))
    expect(descriptions.length).toBeGreaterThan(40)
    expect(descriptions.filter((text) => !isGiven(text) && !hooks.includes(text))).toEqual([])
  })

  it.each<[string, object]>([
    ['authenticate, that returns something else', { authenticate: () => 'customer-1' }],
    ['authenticate, that does nothing', { authenticate: () => undefined, hostTimeout: 0.1 }],
    ['authenticate, that returns a wrong customer', { authenticate: () => ({ subject: '' }) }],
    ['pages.consent, that returns something else', { pages: { consent: () => 'yes' } }],
    ['pages.consent, that does nothing', { pages: { consent: () => undefined }, hostTimeout: 0.1 }],
    ['pages.error, that does nothing', { pages: { error: () => undefined }, tenantStore: noTenants, hostTimeout: 0.1 }],
    ['clients.fetch, that returns something else', { clients: { fetch: () => 'a document' } }],
    ['accessTokenClaims, that returns something else', { accessTokenClaims: () => 'gold' }],
    ['accessTokenClaims, whose error has no such code', { accessTokenClaims: () => new OAuthError('no' as never, '') }],
    ['accessTokenClaims, whose error has a header that cannot be sent', { accessTokenClaims: refusesWithHeader }],
  ])('has what an error event says about %s', async (_, options) => {
    const host = await started({ authenticate: asTheySay, ...options })
    const client_id = 'clients' in options ? 'https://assistant.example/client.json' : ownClientId
    await new Authorization(host, { client_id }).open()
    if ('accessTokenClaims' in options) await host.exchange(await host.asCustomer())
    const [event] = await host.told('error')
    const rows = tableUnder('### What events say about your hooks', 'docs/errors.md')
    const said = rows.flatMap(([message = '']) => [...message.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words))
    expect(said.filter((words) => event?.error.message.includes(words))).not.toEqual([])
  })

  it('has what an error event says about verifier.invalidToken, that returns something else', async () => {
    const host = await started()
    const verifier = host.signIn.verifier({ tenantKey: 'acme', invalidToken: () => 'no' as never })
    const message = await verifier.verifyAccessToken('junk').catch(({ cause }) => cause.message)
    expect(page).toContain(`\`${message}\``)
  })

  it('has every warning', () => {
    const rows = tableUnder('## Warnings', 'docs/errors.md').map(([code]) => bare(code ?? ''))
    expect(rows.sort()).toEqual(warningCodes.map((code) => `CUSTOMER_SIGN_IN_${code}`).sort())
  })
})

function refusesWithHeader(): never {
  throw new OAuthError('access_denied', 'The customer has left', { headers: { 'Content-Length': '1' } })
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

function check(path: string, value: unknown): void {
  const [name = '', member] = path.split('.')
  const given = { ...required, [name]: member === undefined ? value : { [member]: value } }
  checkedOptions(given as CustomerSignInOptions)
}

function accepts(option: string, value: unknown): boolean {
  try {
    check(option, value)
    return true
  } catch {
    return false
  }
}

function refusalOf(option: string, value: unknown): ConfigurationError {
  try {
    check(option, value)
  } catch (error) {
    if (error instanceof ConfigurationError) return error
  }
  throw new Error(`${option} took ${value}`)
}
