import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Seen from bench/dist/bench, where this runs compiled. */
export const resultsFolder = join(__dirname, '..', '..', 'results')

/** Writes what a benchmark has measured, and its report, to `results/`. */
export function writeResults(name: string, results: unknown, report: string): void {
  writeFileSync(join(resultsFolder, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(resultsFolder, `${name}.md`), report)
}
