import type { CallsResult } from './measure'

export interface SizeResults {
  servers: { Redis: string; PostgreSQL: string }
  node: string
  Redis: CallsResult[]
  PostgreSQL: CallsResult[]
}

/** The results as Markdown. */
export function sizeReport(results: SizeResults): string {
  const { servers, node } = results
  return `# What calls cost while a store holds many grants

Measured with \`npm run bench -- size\` on ${servers.Redis}, ${servers.PostgreSQL} and ${node}, all on one machine, over loopback. Each row
has its own server. All take turns. The first two rows measure the same, so the difference between them is the noise of all rows.

## What each call takes

${sizeTable(results)}
`
}

/** A row for each store and count. */
function sizeTable(results: Pick<SizeResults, 'Redis' | 'PostgreSQL'>): string {
  const rows = (['Redis', 'PostgreSQL'] as const).flatMap((store) =>
    results[store].map((row) => [
      store,
      whole(row.grants),
      row.grants < 100_000 ? '' : whole(row.bytesPerGrant),
      row.refresh.toFixed(2),
      row.refreshRatio.toFixed(2),
      short(row.page),
      short(row.customer),
      short(row.company),
    ]),
  )
  const head = [
    'Store',
    'Grants',
    'Bytes of each',
    'A refresh, ms',
    'ratio',
    'A page of 100 grants of a company, ms',
    'The end of a customer, ms',
    'The end of a company with 1,000 grants, ms',
  ]
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function short(milliseconds: number): string {
  return milliseconds < 100 ? milliseconds.toFixed(1) : whole(milliseconds)
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}
