import type { Assistant, HostSettings, Quirk } from './assistant'

/** The table of docs/assistants.md: a row for each assistant and each of its variants. */
export function tableOf(assistants: readonly Assistant[]): string {
  const rows = assistants.map((assistant) => `| ${cellsOf(assistant).join(' | ')} |`)
  const head = ['assistant', 'connects', 'you set', 'what is particular about it', 'sources read']
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n')
}

function cellsOf({ name, variant, connects, host, refused, quirks, checked }: Assistant): string[] {
  const title = variant ? `${name}, ${variant}` : `**${name}**`
  const way = {
    document: 'by its metadata document',
    registration: 'by registering',
    'own client': 'with an id of yours',
  }
  const outcome = refused ? `no: it is refused with \`${refused.error}\`` : way[connects]
  return [title, outcome, settingsOf(host), quirks.map(quirkText).join('. '), checked]
}

function settingsOf({ options = {}, client }: HostSettings = {}): string {
  const settings = Object.entries(options).map(([name, value]) => `\`${name}: ${literal(value)}\``)
  return [...settings, ...(client ? ['a record in `clients`'] : [])].join(', ')
}

function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('"', "'").replaceAll("','", "', '")
}

function quirkText({ what, source, isFault }: Quirk): string {
  const text = `${what[0]?.toUpperCase()}${what.slice(1)} ([source](${source}))`
  return isFault ? `Fault: ${text[0]?.toLowerCase()}${text.slice(1)}` : text
}
