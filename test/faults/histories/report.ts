import type { Verdict } from './checker/check'
import { type Finding, rules } from './checker/finding'

/** The report of a run; `file` has its history if there is a finding. */
export interface ReportedRun extends Verdict {
  nemesis: string
  file?: string
}

/** The table of the campaign, nemesis by nemesis, and the list of findings, as Markdown. */
export function report(results: readonly ReportedRun[]): string {
  const head = ['nemesis', 'histories', 'requests', 'refreshed', 'rotated', '503', ...rules, 'admitted']
  const rows = results.map((result) => [
    result.nemesis,
    ...[result.histories, result.requests, result.refreshed, result.rotated, result.unavailable].map(String),
    ...rules.map((rule) => String(result.violations.filter((one) => one.rule === rule).length || '-')),
    counted(result.admitted) || '-',
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const table = [line(head), line(head.map(() => '---')), ...rows.map(line)]
  return `${[...table, '', ...results.flatMap(details)].join('\n')}\n`
}

function details({ nemesis, violations, file }: ReportedRun): string[] {
  if (violations.length === 0) return []
  const first = violations.slice(0, 5).map(({ rule, why, grant, shownBy }) => {
    return `- (${rule}) ${why} (grant ${grant}, exchanges ${shownBy.join(', ')})`
  })
  return [`### ${nemesis}`, '', ...first, `- ${violations.length} in all, in ${file}`, '']
}

function counted(findings: readonly Finding[]): string {
  const counts = new Map<string, number>()
  for (const { rule, admitted } of findings) {
    const what = `${rule}: ${admitted}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => `${count} ${what}`).join('; ')
}
