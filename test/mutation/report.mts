import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { sha256Of } from './results.js'
import type { RunMutant } from './run-mutants.mjs'
import type { TestFile } from './worker.js'

const folder = 'reports/mutation'

interface Report {
  files: Record<string, { source: string; mutants: readonly (RunMutant & { survivedIn: string[] })[] }>
}

/**
 * Takes over what the last run has found out of the mutants of those files that have not been edited since: which ones were killed, and which
 * tests the others survived.
 *
 * @param tests Those that have not been edited either.
 */
export function takeOver(
  mutants: readonly RunMutant[],
  texts: ReadonlyMap<string, string>,
  tests: readonly TestFile[],
): void {
  const { files }: Report = JSON.parse(readFileSync(`${folder}/mutation.json`, 'utf8'))
  const paths = new Set(tests.map(({ path }) => path))
  const nameOf = ({ location, replacement }: RunMutant) => JSON.stringify([location, replacement])
  for (const [name, { source, mutants: told }] of Object.entries(files)) {
    if (texts.get(name) !== source) continue
    const isKilled = ({ status }: RunMutant) => status === 'Killed' || status === 'Timeout'
    const byName = new Map(told.map((one) => [nameOf(one), one]))
    for (const mutant of mutants.filter(({ fileName }) => fileName === name)) {
      const last = byName.get(nameOf(mutant))
      if (!last) continue
      if (isKilled(last)) Object.assign(mutant, { status: last.status, statusReason: last.statusReason })
      for (const path of last.survivedIn.filter((each) => paths.has(each))) mutant.survived.add(path)
    }
  }
}

/** Writes what became of each mutant: `mutation.json`, and `mutation.html`, which shows each mutant at its line. */
export function writeReport(mutants: readonly RunMutant[], texts: ReadonlyMap<string, string>): void {
  const files = [...texts].map(([name, source]) => {
    const own = mutants.filter(({ fileName }) => fileName === name)
    const shown = own.map(({ id, mutatorName, replacement, location, status, statusReason, survived }) => ({
      id,
      mutatorName,
      replacement,
      location,
      status,
      statusReason,
      survivedIn: [...survived],
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

interface Reached {
  /** Of which sources. */
  sources: string
  files: (TestFile & { sha256: string })[]
}

const reachedPath = `${folder}/reached.json`

/** What the tests reach that have not been edited since the last run. Empty if that was about other sources. */
export function readReached(texts: ReadonlyMap<string, string>): TestFile[] {
  if (!existsSync(reachedPath)) return []
  const { sources, files }: Reached = JSON.parse(readFileSync(reachedPath, 'utf8'))
  if (sources !== idOf(texts)) return []
  return files.filter(({ path, sha256 }) => existsSync(path) && sha256Of(readFileSync(path, 'utf8')) === sha256)
}

export function writeReached(texts: ReadonlyMap<string, string>, files: readonly TestFile[]): void {
  const withHash = files.map((file) => ({ ...file, sha256: sha256Of(readFileSync(file.path, 'utf8')) }))
  writeFileSync(reachedPath, JSON.stringify({ sources: idOf(texts), files: withHash } satisfies Reached))
}

/** Mutants are numbered through all sources, in their order. */
function idOf(texts: ReadonlyMap<string, string>): string {
  return sha256Of([...texts].flat().join('\n'))
}
