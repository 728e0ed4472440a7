import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import type { Checked } from '../../histories/compare'
import { assistants as connectable } from '../../src/assistants/assistants'
import { ConfigurationError, helpFor, helpPages } from '../../src/configuration/configuration-error'
import { findings } from '../../src/doctor/findings'
import { type Step, stepText, stepTitles } from '../../src/doctor/report'
import { checkedOptions } from '../../src/options'
import { answeredCodes, hostCodes } from '../../src/protocol/oauth-error-codes'
import { follow, tell } from '../../test/faults/interleavings/explore'
import { openHouse } from '../../test/faults/interleavings/house'
import { limits } from '../../test/faults/interleavings/limits'
import { prepare } from '../../test/faults/interleavings/prepared'
import { scenarios, smallScenarios } from '../../test/faults/interleavings/scenarios'
import { sentence } from '../../test/faults/interleavings/tell'
import { assistants } from '../../test/field/assistants/assistants'
import { realClients } from '../../test/field/assistants/real-clients'
import { clientsTableOf, registrationsTableOf, tableOf } from '../../test/field/assistants/table'
import { docstringOf, membersOf, parentsOf, wordsOf } from './docstrings'
import { copied, measured } from './measured'
import { table } from './table'

/** The parts whose figures differ a little from one version of Node to the next. */
export const varying = ['registrations']

/** The generated parts of the pages in docs/, by page and by the name in their markers. */
export const sections: Record<string, Record<string, () => string | Promise<string>>> = {
  'README.md': {},
  'AGENTS.md': {},
  'docs/assistants.md': {
    assistants: () => tableOf(assistants),
    clients: () => clientsTableOf(realClients),
    registrations: () => registrationsTableOf(assistants),
  },
  'docs/configuration.md': {
    tenant: () => membersTable('contract/tenant-store', 'Tenant'),
    client: () => membersTable('contract/tenant-store', 'Client', 'ClientMetadata', 'ClientCredentials'),
    request: () => given('endpoints/customer-sessions', 'SignInRequest'),
    customer: () => membersTable('authorization/customer', 'Customer'),
  },
  'docs/administration.md': {
    connected: () => given('administration/connected-grants', 'ConnectedGrant', 'ConnectedClient'),
  },
  'docs/connect-an-assistant.md': {
    guide: () => given('connect/connect', 'ConnectGuide'),
    assistant: () => given('connect/connect', 'AssistantGuide'),
    assistants: assistantsTable,
  },
  'docs/credential-chain.md': { limits: limitsMet },
  'docs/doctor.md': { printed, json, findings: findingsByPlace },
  'docs/errors.md': { codes: () => codesTable(answeredCodes), 'host-codes': () => codesTable(hostCodes), help },
  'docs/events.md': {
    events: eventsTable,
    denials: () => reasonsTable('denialReasons'),
    faults: () => reasonsTable('faultReasons'),
  },
  'docs/identity-providers.md': { 'trusted-issuer': () => membersTable('contract/tenant-store', 'TrustedIssuer') },
  'docs/keys.md': { signer: () => membersTable('tokens/signing-keys', 'ExternalSigningKey') },
  'docs/operations-postgres.md': {
    store: () => given('postgres/postgres-token-store', 'PostgresTokenStoreOptions'),
    hour: copied('postgres-hour.md', '## The table of grants'),
  },
  'docs/operations-redis.md': { store: () => given('redis/redis-token-store', 'RedisTokenStoreOptions') },
  'docs/pages.md': {
    'consent-request': () => given('endpoints/consents', 'ConsentRequest'),
    'shown-error': () => given('endpoints/error-pages', 'ShownError'),
    links: () => given('contract/tenant-store', 'Links'),
    theme: () => given('contract/tenant-store', 'Theme'),
  },
  'docs/testing.md': {
    tokens: () => membersTable('testing/tokens-for', 'TokensRequest'),
    variants: () => given('testing/tokens-for', 'TokensForTests'),
  },
  ...Object.fromEntries(
    [
      'coming-from-mcp-auth-router',
      'kubernetes',
      'hosts',
      'proxies',
      'other-clients',
      'rate-limits',
      'runbook',
      'start-here',
    ].map((name) => [`docs/${name}.md`, {}]),
  ),
  'docs/observability.md': { messages, instrument: () => given('opentelemetry/index', 'InstrumentOptions') },
  'docs/options.md': { options: optionsTable, api },
  'docs/performance.md': measured,
  'docs/reliability.md': {
    redis: () => histories('redis'),
    postgres: () => histories('postgres'),
    windows,
    interleavings: explored,
    servers: checkedServers,
  },
  'docs/writing-a-token-store.md': {
    grant: () => membersTable('contract/token-store', 'Grant'),
    'new-grant': () => membersTable('contract/token-store', 'NewGrant'),
    swap: () => membersTable('contract/token-store', 'CredentialSwap'),
  },
}

const examined = 'https://assistant.example/v1/acme/mcp'
const code = (text: string) => `\`${text}\``
const textOf = (file: string) => readFileSync(join(__dirname, '../..', file), 'utf8')

function membersTable(file: string, ...names: string[]): string {
  const members = names.flatMap((name) => membersOf(file, name))
  return table(
    ['member', 'what it is'],
    members.map(({ name, isOptional, says }) => [code(name), isOptional ? says : `Required. ${says}`]),
  )
}

/** The members of what the library gives, or takes with a default for each. */
function given(file: string, ...names: string[]): string {
  const members = names.flatMap((name) => membersOf(file, name))
  return table(
    ['member', 'what it is'],
    members.map(({ name, isOptional, says }) => [code(name + (isOptional ? '?' : '')), says]),
  )
}

/** Each word for why a request was denied or has failed. */
function reasonsTable(name: 'denialReasons' | 'faultReasons'): string {
  return table(
    ['`reason`', 'what happened'],
    wordsOf('protocol/reasons', name).map(([word, says]) => [code(word), says]),
  )
}

/** Each option with what it may be, as its own error says it. */
function optionsTable(): string {
  const rows = membersOf('options', 'CustomerSignInOptions').flatMap(({ name, type, says }) => {
    const [, group] = /^(\w+Options) \|/.exec(type) ?? []
    if (group === undefined) return [optionRow(name, says)]
    return membersOf(name === 'keys' ? 'tokens/keyring' : 'options', group).map((member) =>
      optionRow(`${name}.${member.name}`, member.says),
    )
  })
  return table(['option', 'allowed', 'what it does'], rows)
}

function optionRow(path: string, says: string): string[] {
  return [code(path), allowed(path), `${says} [More](${helpFor(path).replace(/^.*\/docs\//, '')})`]
}

function allowed(path: string): string {
  const [name = '', member] = path.split('.')
  const required = { tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }
  try {
    checkedOptions({ ...required, [name]: member === undefined ? 'wrong' : { [member]: 'wrong' } } as Parameters<
      typeof checkedOptions
    >[0])
  } catch (error) {
    if (error instanceof ConfigurationError) return error.allowed
  }
  throw new Error(`${path} can be anything`)
}

/** The members of what `createCustomerSignIn` returns. */
function api(): string {
  const groups = { grants: 'customer-grants', tenants: 'tenant-data' }
  const types = { grants: 'CustomerGrants', tenants: 'TenantData' }
  const rows = new Map<string, string>()
  for (const { name, says } of membersOf('customer-sign-in', 'CustomerSignIn')) {
    // Of an overloaded method, the first docstring says what it does.
    if (!(name in groups) && !rows.has(`signIn.${name}`)) rows.set(`signIn.${name}`, says)
  }
  for (const [group, file] of Object.entries(groups)) {
    for (const { name, says } of membersOf(`administration/${file}`, types[group as keyof typeof types])) {
      rows.set(`signIn.${group}.${name}`, says)
    }
  }
  return table(
    ['call', 'what it does'],
    [...rows].map(([name, says]) => [code(name), says]),
  )
}

function codesTable(codes: Record<string, { status: number; meaning: string; source: string }>): string {
  return table(
    ['`error`', 'status', 'meaning', 'defined in'],
    Object.entries(codes).map(([name, { status, meaning, source }]) => [code(name), `${status}`, meaning, source]),
  )
}

/** The page that explains each name that a ConfigurationError can begin with. */
function help(): string {
  const pages = [...new Set(Object.values(helpPages))]
  const namesOf = (page: string) => Object.keys(helpPages).filter((name) => helpPages[name] === page)
  return table(
    ['the message begins with', 'see'],
    pages.map((page) => {
      const link = page.startsWith('docs/') ? page.replace('docs/', '') : `../${page}`
      const title = link.replace('.md', '').replace('#', ': ').replaceAll('-', ' ')
      return [namesOf(page).map(code).join(', '), `[${title}](${link})`]
    }),
  )
}

const places: Record<string, string> = {
  'not-https': 'No answer',
  'redirect-https': "An answer that is not the app's",
  'company-unknown': 'The API',
  'wrong-scheme': 'Metadata',
  'preflight-refused': 'Clients in a browser',
  'no-keys': 'Endpoints',
  'sign-in-abandoned': 'With `--login`',
}

const [firstStep, ...goodSteps] = (['api', 'bearer', 'resource'] as const).map((step): Step => {
  const { level, says, remedy } = findings['no-challenge']
  const found = { code: 'no-challenge' as const, level, remedy, says: says.replace('{request}', `POST ${examined}`) }
  const isWrong = step === 'api'
  return {
    step,
    title: stepTitles[step],
    status: isWrong ? 'wrong' : 'good',
    findings: isWrong ? [found] : [],
    notes: [],
  }
})

/** The beginning of what the doctor prints. */
function printed(): string {
  const steps = [firstStep, ...goodSteps].map((step) => step && stepText(step)).join('')
  return `\`\`\`\n${examined}\n\n${steps.trim()}\n\`\`\``
}

/** The beginning of what it prints for a script. */
function json(): string {
  const report = { version: 1, address: examined, good: false, steps: [firstStep] }
  return `\`\`\`json\n${JSON.stringify(report, null, 2)}\n\`\`\``
}

function findingsByPlace(): string {
  const marks = { wrong: '✗', warning: '!' }
  const parts: { heading: string; rows: string[][] }[] = []
  for (const [name, { level, says, remedy }] of Object.entries(findings)) {
    const { [name]: heading } = places
    if (heading !== undefined) parts.push({ heading, rows: [] })
    parts.at(-1)?.rows.push([code(name), marks[level], says, remedy])
  }
  const missing = Object.keys(places).filter((name) => !(name in findings))
  if (missing.length > 0 || parts.length < 7) throw new Error(`There is no finding ${missing}`)
  return parts
    .map(({ heading, rows }) => `### ${heading}\n\n${table(['code', '', 'what it says', 'what to change'], rows)}`)
    .join('\n\n')
}

/** Each limit of the credential chain with the shortest way to it, which the explorer goes again. */
async function limitsMet(): Promise<string> {
  const known = [...smallScenarios, ...scenarios]
  const lines: string[] = []
  for (const { name, why, way } of limits) {
    const scenario = known.find((each) => each.name === way[0])
    if (!scenario) throw new Error(`There is no scenario "${way[0]}"`)
    const prepared = await prepare(scenario, openHouse())
    await follow(prepared, way[1])
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    lines.push(`- **${title}**. ${why} *${sentence(await tell(prepared, way[1]))}*`)
  }
  return lines.join('\n')
}

function eventsTable(): string {
  const file = 'contract/customer-sign-in-event'
  const inherited: Record<string, string> = {
    CustomerEvent: 'of a customer',
    GrantEvent: 'of a grant',
    RepeatEvent: 'of a repeat',
    ErrorContext: 'what is certain of a grant',
  }
  const declared = [...textOf(`src/${file}.ts`).matchAll(/^export interface (\w+) [^{]*\{\n {2}type: '(\w+)'/gm)]
  const rows = declared.map(([, name = '', type = '']) => {
    const own = membersOf(file, name).map((member) => `${code(member.name)}: ${member.says.replace(/\.$/, '')}`)
    const others = parentsOf(file, name).flatMap((parent) => inherited[parent] ?? [])
    const when = docstringOf(file, `export interface ${name} `).replaceAll(
      'A `DeniedEvent` follows',
      '`denied` follows',
    )
    return [code(type), when, [...others, ...own].join('; ')]
  })
  return table(['`type`', 'when', 'members'], rows)
}

function messages(): string {
  const file = 'telemetry/messages'
  const types = ['RequestMessage', 'GuardMessage', 'StoreMessage', 'FetchMessage', 'DocumentsMessage']
  const withParents = (name: string) => [...parentsOf(file, name), name].flatMap((each) => membersOf(file, each))
  return types
    .map((type) => {
      const rows = withParents(type).map(({ name, says }) => [code(name), says])
      return `**\`${type}\`**\n\n${table(['member', 'what it is'], rows)}`
    })
    .join('\n\n')
}

/** What each assistant of the "Connect an assistant" page has. */
function assistantsTable(): string {
  const mark = (is: boolean) => (is ? 'yes' : '')
  const head = ['`id`', 'name', 'link', 'command', 'configuration', 'how it connects', 'from the internet', 'read on']
  const rows = connectable.map(
    ({ id, name, link, command, config, document, prefersToRegister, isHosted, source, checkedOn }) => [
      code(id),
      name,
      mark(link !== undefined),
      mark(command !== undefined),
      mark(config !== undefined),
      howItConnects(document !== undefined, prefersToRegister === true),
      mark(isHosted === true),
      `[${checkedOn}](${source})`,
    ],
  )
  return table(head, rows)
}

function howItConnects(hasDocument: boolean, prefersToRegister: boolean): string {
  if (!hasDocument) return 'registers'
  return prefersToRegister ? 'registers, or metadata document' : 'metadata document, or registers'
}

type Run = { fault: string } & Record<string, string | number>

function recordedRuns(): Record<'redis' | 'postgres' | 'windows', Run[]> {
  return JSON.parse(textOf('test/faults/histories/results.json'))
}

/** What `npx tsx test/faults/histories/main.ts` has shown, one row for each fault. */
function histories(store: 'redis' | 'postgres'): string {
  const head = ['fault', 'what happens', 'histories', 'requests', 'refreshed', 'new', '503', 'violations', 'admitted']
  return table(
    head,
    recordedRuns()[store].map(({ fault, ...others }) => [code(fault), ...Object.values(others).map(String)]),
  )
}

function windows(): string {
  const head = ['fault', 'window 10: violations', 'sign-ins', 'window 0: violations', 'sign-ins']
  return table(
    head,
    recordedRuns().windows.map(({ fault, ...others }) => [code(fault), ...Object.values(others).map(String)]),
  )
}

/** What `npx tsx histories/compare.ts` has found: how often each server kept each promise. */
function checkedServers(): string {
  const { checked }: { checked: Checked[] } = JSON.parse(textOf('histories/results.json'))
  const [{ verdict } = { verdict: { rows: [] } }] = checked
  return table(
    ['promise', ...checked.map(({ name }) => name)],
    verdict.rows.map(({ promise }) => [
      promise,
      ...checked.map((server) => {
        const row = server.verdict.rows.find((one) => one.promise === promise)
        return row ? `${row.kept} of ${row.of}` : '-'
      }),
    ]),
  )
}

/** What `npx tsx test/faults/interleavings/main.ts` has explored. */
function explored(): string {
  const rows: Record<string, string>[] = JSON.parse(textOf('test/faults/interleavings/results.json'))
  return table(
    ['scenario', 'states', 'schedules', 'depth'],
    rows.map((row) => Object.values(row)),
  )
}
