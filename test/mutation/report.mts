import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunMutant } from './run-mutants.mjs'

const folder = 'reports/mutation'

interface Report {
  files: Record<string, { source: string; mutants: readonly RunMutant[] }>
}

/** Takes over the mutants that the last run has killed, of those files that have not been edited since. */
export function takeOver(mutants: readonly RunMutant[], texts: ReadonlyMap<string, string>): void {
  const { files }: Report = JSON.parse(readFileSync(`${folder}/mutation.json`, 'utf8'))
  const nameOf = ({ location, replacement }: RunMutant) => JSON.stringify([location, replacement])
  for (const [name, { source, mutants: told }] of Object.entries(files)) {
    if (texts.get(name) !== source) continue
    const isKilled = ({ status }: RunMutant) => status === 'Killed' || status === 'Timeout'
    const killed = new Map(told.filter(isKilled).map((one) => [nameOf(one), one]))
    for (const mutant of mutants.filter(({ fileName }) => fileName === name)) {
      const { status, statusReason } = killed.get(nameOf(mutant)) ?? mutant
      Object.assign(mutant, { status, statusReason })
    }
  }
}

/** Writes what became of each mutant: `mutation.json`, and `mutation.html`, which shows each mutant at its line. */
export function writeReport(mutants: readonly RunMutant[], texts: ReadonlyMap<string, string>): void {
  const files = [...texts].map(([name, source]) => {
    const own = mutants.filter(({ fileName }) => fileName === name)
    const shown = own.map(({ id, mutatorName, replacement, location, status, statusReason }) => ({
      id,
      mutatorName,
      replacement,
      location,
      status,
      statusReason,
    }))
    return [name, { language: 'typescript', source, mutants: shown }] as const
  })
  const report = { schemaVersion: '2', thresholds: { high: 95, low: 90 }, files: Object.fromEntries(files) }
  const json = JSON.stringify(report)
  writeFileSync(`${folder}/mutation.json`, json)
  const require = createRequire(import.meta.url)
  const script = readFileSync(require.resolve('mutation-testing-elements/dist/mutation-test-elements.js'), 'utf8')
  writeFileSync(
    `${folder}/mutation.html`,
    `<!doctype html>
<meta charset="utf-8">
<title>Mutants</title>
<script>${script}</script>
<mutation-test-report-app></mutation-test-report-app>
<script>document.querySelector('mutation-test-report-app').report = ${json.replaceAll('<', '\\u003c')}</script>
`,
  )
}
