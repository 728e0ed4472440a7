import { generateKeyPairSync } from 'node:crypto'
import {
  type Client,
  ConfigurationError,
  type Customer,
  type CustomerSignInEvent,
  type CustomerSignInOptions,
  createCustomerSignIn,
  MemoryTenantStore,
  MemoryTokenStore,
  OAuthError,
  type SignInRequest,
  type Tenant,
} from 'customer-sign-in'
import { warningCodes } from '../../src/configuration/warnings'
import { checkedOptions } from '../../src/options'
import { answeredCodes, hostCodes } from '../../src/protocol/oauth-error-codes'
import { denialReasons, faultReasons } from '../../src/protocol/reasons'
import { redirectUriFaults } from '../../src/protocol/redirect-uri'
import { Authorization, asTheySay } from '../support/authorization'
import { clientId as ownClientId } from '../support/sign-in'
import { started } from '../support/started'
import { allTablesUnder, tableUnder, textOf } from './pages'

const required = { tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }
const noTenants = new MemoryTenantStore([])
const defaults: Record<string, unknown> = checkedOptions(required)

/** The members of a type. It compiles only with every one of them, and with no other. */
function membersOf<Type extends object>(members: { [Member in keyof Type]-?: true }): string[] {
  return Object.keys(members)
}

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
    // What is required has no default, `scopes` and `knownAssistants` are long, and `externalEndpoints` is by default an empty record.
    expect(silent.filter((option) => defaults[option] !== undefined)).toEqual([
      'tenantStore',
      'tokenStore',
      'scopes',
      'knownAssistants',
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
    const { grants, customers, tenants, ...members } = createCustomerSignIn({
      ...required,
      baseUrl: 'https://host.example',
      signingKeys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    })
    const groups = Object.entries({ grants, customers, tenants })
    const names = [
      ...Object.keys(members),
      ...groups.flatMap(([group, methods]) => Object.keys(methods).map((name) => `${group}.${name}`)),
    ]
    const [, ...rows] = tableUnder('## API', 'README.md')
    expect(rows.map(([member]) => /^`signIn\.([\w.]+)/.exec(member ?? '')?.[1]).sort()).toEqual(names.sort())
  })
})

describe('the tables of docs/configuration.md', () => {
  const namesIn = (table: string[][]) =>
    table.flatMap(([names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const tablesUnder = (heading: string) => allTablesUnder(heading, 'docs/configuration.md').map(namesIn)

  it('have every member of a tenant and of a client', () => {
    const [tenant = [], client = []] = tablesUnder('## Tenants')
    const ofTenant = membersOf<Tenant>({
      key: true,
      id: true,
      baseUrl: true,
      formerBaseUrls: true,
      name: true,
      logoUri: true,
      locale: true,
      theme: true,
      links: true,
      clients: true,
      scopes: true,
      resources: true,
      accessTokenLifetime: true,
      refreshTokenLifetime: true,
      registration: true,
      metadataDocuments: true,
      allowedClients: true,
      blockedClients: true,
      askConsent: true,
    })
    const ofClient = membersOf<Client>({
      clientId: true,
      clientName: true,
      clientUri: true,
      redirectUris: true,
      grantTypes: true,
      scopes: true,
      firstParty: true,
      askConsent: true,
      secretHashes: true,
      jwks: true,
      jwksUri: true,
    })
    expect(tenant.sort()).toEqual(ofTenant.sort())
    expect(client.sort()).toEqual(ofClient.sort())
  })

  it('have everything that authenticate receives and returns', () => {
    const [request = [], customer = []] = tablesUnder('## Login: `authenticate`')
    const ofRequest = membersOf<SignInRequest>({
      url: true,
      tenant: true,
      client: true,
      scopes: true,
      resource: true,
      prompt: true,
      loginHint: true,
      language: true,
    })
    expect(request.sort()).toEqual(ofRequest.sort())
    expect(customer.sort()).toEqual(membersOf<Customer>({ subject: true, name: true, claims: true }).sort())
  })
})

/** The members of every event, besides `type` and `at`. It compiles only with every event and every member. */
type EventMembers = {
  [Event in CustomerSignInEvent as Event['type']]: { [Member in Exclude<keyof Event, 'type' | 'at'>]-?: true }
}

const ofCustomer = { tenantKey: true, tenantId: true, clientId: true, subject: true } as const
const ofGrant = { ...ofCustomer, grantId: true } as const
const granted = { scopes: true, resource: true } as const
const ofRepeat = { credential: true, age: true, successorUsed: true } as const

const eventMembers: EventMembers = {
  allowed: { ...ofCustomer, ...granted, remembered: true },
  declined: { ...ofCustomer, ...granted },
  issued: { ...ofGrant, ...granted },
  refreshed: { ...ofGrant, ...granted, recovered: true, rotated: true },
  retried: { ...ofGrant, ...granted, ...ofRepeat },
  replayed: { ...ofGrant, ...ofRepeat, ended: true },
  revoked: { ...ofGrant, reason: true, actor: true },
  expired: {
    ...{ tenantKey: true, tenantId: true, clientId: true, grantId: true },
    ...{ credential: true, limit: true, expiredAt: true },
  },
  registered: { tenantKey: true, tenantId: true, clientId: true, leftOut: true },
  stale: { tenantKey: true, tenantId: true, clientId: true, copy: true, age: true, detail: true },
  denied: {
    ...ofGrant,
    ...{ where: true, reason: true, error: true, description: true, status: true, detail: true },
  },
  error: { ...ofGrant, where: true, reason: true, error: true },
}

describe('docs/events.md', () => {
  const page = 'docs/events.md'
  const events = Object.entries(eventMembers).map(([type, members]) => ({ type, members: Object.keys(members) }))
  const rows = tableUnder('## Event types', page)

  it('has every event', () => {
    expect(rows.map(([type = '']) => bare(type))).toEqual(events.map(({ type }) => type))
  })

  it.each(events)('has every member of $type', ({ type, members }) => {
    const [, , cell = ''] = rows.find(([name = '']) => bare(name) === type) ?? []
    expect(members.filter((member) => !cell.includes(`\`${member}\``))).toEqual([])
    const known = [...new Set(events.flatMap((event) => event.members))]
    const named = known.filter((member) => new RegExp(`\`${member}\`(?! follows)`).test(cell))
    expect(named.sort()).toEqual(members.toSorted())
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

  it.each<[string, object]>([
    ['authenticate, that returns something else', { authenticate: () => 'customer-1' }],
    ['authenticate, that does nothing', { authenticate: () => undefined, hostTimeout: 0.1 }],
    ['authenticate, that returns a wrong customer', { authenticate: () => ({ subject: '' }) }],
    ['consent, that returns something else', { consent: () => 'yes' }],
    ['consent, that does nothing', { consent: () => undefined, hostTimeout: 0.1 }],
    ['errorPage, that does nothing', { errorPage: () => undefined, tenantStore: noTenants, hostTimeout: 0.1 }],
    ['fetchMetadataDocument, that returns something else', { fetchMetadataDocument: () => 'a document' }],
    ['accessTokenClaims, that returns something else', { accessTokenClaims: () => 'gold' }],
    ['accessTokenClaims, whose error has no such code', { accessTokenClaims: () => new OAuthError('no' as never, '') }],
    ['accessTokenClaims, whose error has a header that cannot be sent', { accessTokenClaims: refusesWithHeader }],
  ])('has what an error event says about %s', async (_, options) => {
    const host = await started({ authenticate: asTheySay, ...options })
    const client_id = 'fetchMetadataDocument' in options ? 'https://assistant.example/client.json' : ownClientId
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

  it.each(Object.keys(defaults))('says what the option %s may be', (option) => {
    const [, allowed = ''] =
      tableUnder('## Configuration errors', 'docs/errors.md').find(([name]) => bare(name ?? '') === option) ?? []
    expect(allowed).toContain(refusalOf(option, 'wrong').allowed)
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
