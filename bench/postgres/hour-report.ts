import type { HourResult } from './hour'

export interface HourResults {
  server: string
  node: string
  hour: HourResult
}

const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
const whole = (number: number) => Math.round(number).toLocaleString('en')

/** The results as Markdown. */
export function hourReport({ server, node, hour }: HourResults): string {
  return `# A PostgreSQL server under constant refreshing

Measured with \`npm run bench -- postgres --hour\` on ${server} and ${node}, with PostgreSQL's own settings, autovacuum among them.
${whole(hour.grants)} grants, of which up to ${whole(hour.perSecond)} were refreshed each second, at random. In the rows that say so, another
session had a transaction open, which holds back the removal of old versions. ${(hour.hotShare * 100).toFixed(2)} % of the refreshes were heap-only (HOT) updates.

## The table of grants

${hourTable(hour)}
`
}

/** A row for each part of the hour. */
function hourTable({ rows, secondsOfPart }: HourResult): string {
  const cells = rows.map((row, index) => [
    `${Math.round(((index + 1) * secondsOfPart) / 60)}${row.held ? ', a transaction open' : ''}`,
    whole(row.refreshes),
    megabytes(row.tableBytes),
    megabytes(row.indexBytes),
    whole(row.deadRows),
    whole(row.vacuums),
  ])
  const head = ['Minute', 'Refreshes', 'Table, MB', 'Indexes, MB', 'Old versions', 'Autovacuums so far']
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
