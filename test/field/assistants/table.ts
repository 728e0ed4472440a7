import type { Assistant, HostSettings, Quirk } from './assistant'
import { type RealClientCode, versionOf } from './real-clients'
import { registrationLengthsOf } from './registration-lengths'

/** The table of docs/assistants.md: a row for each assistant and each of its variants. */
export function tableOf(assistants: readonly Assistant[]): string {
  const rows = assistants.map((assistant) => `| ${cellsOf(assistant).join(' | ')} |`)
  return table(['assistant', 'connects', 'you set', 'what is particular about it', 'sources read'], rows)
}

/** The table of docs/assistants.md: a row for each client whose own code the tests run. */
export function clientsTableOf(clients: readonly RealClientCode[]): string {
  const rows = clients.map(
    (client) =>
      `| ${client.name} | \`${client.package}\` ${versionOf(client)} | ${way[client.connects]} | ${client.particular} |`,
  )
  return table(['client', 'package', 'connects', 'what is particular about it'], rows)
}

/** The table of docs/assistants.md: how long the ids of those are that register themselves. */
export function registrationsTableOf(assistants: readonly Assistant[]): string {
  const rows = registrationLengthsOf(assistants).map(
    ({ name, id, authorizeUrl }) => `| ${name} | ${id} | ${authorizeUrl} |`,
  )
  return table(['assistant', '`client_id`', 'authorization request'], rows)
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n')
}

const way = {
  document: 'by its metadata document',
  registration: 'by registering',
  'own client': 'with an id of yours',
}

function cellsOf({ name, variant, connects, host, refused, quirks, checked }: Assistant): string[] {
  const title = variant ? `${name}, ${variant}` : `**${name}**`
  const outcome = refused ? `no: it is refused with \`${refused.error}\`` : way[connects]
  return [title, outcome, refused ? '' : settingsOf(host), quirks.map(quirkText).join('. '), checked]
}

function settingsOf({ options = {}, client, ownDomain }: HostSettings = {}): string {
  const settings = Object.entries(options).map(([name, value]) => `\`${name}: ${literal(value)}\``)
  const record = client ? ['[a record in `clients`](#an-id-and-a-secret)'] : []
  const domain = ownDomain ? ['[a domain of the company’s own](domains.md)'] : []
  return [...settings, ...record, ...domain].join(', ')
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).replaceAll('"', "'")
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`)
  return `{ ${members.join(', ')} }`
}

function quirkText({ what, source, isFault }: Quirk): string {
  const text = `${what[0]?.toUpperCase()}${what.slice(1)} ([source](${source}))`
  return isFault ? `Fault: ${text[0]?.toLowerCase()}${text.slice(1)}` : text
}
