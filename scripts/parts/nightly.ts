import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { NightlyPart } from './nightly-parts'
import { NightlyRecord } from './nightly-record'
import { root, run } from './part'

// Runs what takes too long for the gate, one part after the other, and writes how each ended to nightly.json. See scripts/README.md.

const mostMinutes = 60
const logs = join(root, 'reports/nightly')
const record = new NightlyRecord()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { resume: { type: 'boolean', default: false } },
})

// What is not installed fails, as it does in the gate.
process.env.CI = 'true'

async function main(): Promise<void> {
  const end = performance.now() + mostMinutes * 60_000
  const left: string[] = []
  mkdirSync(logs, { recursive: true })
  for (const part of record.partsToRun(positionals, values)) {
    const hasTime = performance.now() + part.minutes * 60_000 <= end
    if (!hasTime || !(await runAndRecord(part))) left.push(part.name)
  }
  if (left.length === 0) return
  print(`Left for another run, with --resume: ${left.join(', ')}`)
  process.exitCode = 1
}

/** @returns Whether it ran to its end. */
async function runAndRecord(part: NightlyPart): Promise<boolean> {
  const commit = committed()
  print(`${new Date().toTimeString().slice(0, 8)} ${part.name}`)
  const { passed, seconds, output } = await run(part, join(logs, `${part.name.replaceAll(' ', '-')}.log`))
  if (passed && part.unfinished?.test(output)) return false
  if (committed() !== commit) throw new Error(`${part.name}: another commit was checked out meanwhile`)
  const failures = passed ? 0 : Number(/^Tests: +(\d+) failed/m.exec(output)?.[1] ?? 1)
  record.write(part.name, { commit, day: new Date().toISOString().slice(0, 10), seconds, failures })
  print(`${part.name}: ${passed ? 'passed' : 'FAILED'} in ${seconds} s`)
  if (!passed) {
    process.exitCode = 1
    print(output.split('\n').slice(-80).join('\n'))
  }
  return true
}

/** The commit that is tested. Only what the nightly itself writes may differ from it. */
function committed(): string {
  const written = ['nightly.json', 'test/mutation/results.json', 'test/mutation/README.md']
  const changed = record.git('status', '--porcelain', '--', '.', ...written.map((path) => `:!${path}`))
  if (changed !== '') throw new Error(`Commit first, so that nightly.json can say what was tested:\n${changed}`)
  return record.git('rev-parse', 'HEAD')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
