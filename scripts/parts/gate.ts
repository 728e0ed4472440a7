import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mostLandings, NightlyRecord } from './nightly-record'
import { onNode } from './other-node'
import { type Command, type Outcome, type Part, run } from './part'

// The gate: all that must pass before a change is accepted. Two parts run at a time: one that computes, and one that mostly waits.

const { version }: { version: string } = require('../../package.json')
const lanes: Record<'waiting' | 'computing', string[]> = require('../lanes')
const { nodeSensitiveTests }: { nodeSensitiveTests(): string[] } = require('../node-sensitive-tests')

/** What is read of the results that Jest writes. */
interface TestResults {
  numPassedTests: number
  numFailedTests: number
  numRuntimeErrorTestSuites: number
  testResults: { assertionResults: { status: string; fullName: string }[] }[]
}

/** The names of the results that Jest writes. */
const testsOf: string[] = []
const folder = mkdtempSync(join(tmpdir(), 'gate-'))
// What the lane `package` packs and installs is used again by the other versions of Node.
const env = { BUILT: 'true', PACKED_PACKAGE: join(folder, 'packed') }
const tarball = join(env.PACKED_PACKAGE, `customer-sign-in-${version}.tgz`)

const build = partOf('build', ['npm', 'run', 'build'])
// In their order: some need what those before them leave behind.
const computing = [
  partOf('test', jest('test', 'npm', 'test', '--')),
  ...lanes.computing.map((lane) => ofLane(lane)),
  partOf('limits', ['npx', 'tsx', 'scripts/limits/main.ts', '--report', resultsOf('test'), '--package', tarball]),
  ...['20.19.0', '22', '26'].map(ofNode),
]
// More files at once than there are cores, except where a slow picture makes a game void.
const waiting = lanes.waiting.map((lane) => ofLane(lane, `--maxWorkers=${lane === 'games' ? 2 : 4}`))
const others = [
  partOf('lint and types', ['npm', 'run', 'lint'], ['npm', 'run', 'types']),
  partOf('docs', ['npm', 'run', 'docs', '--', '--check']),
  // It never fails because the time is up.
  partOf('mutants', ['npm', 'run', 'mutation', '--', '--changed', '--minutes', '4']),
  partOf(
    'bench',
    ['npm', 'ci', '--prefix', 'bench', '--no-audit', '--no-fund', '--silent'],
    ['npx', 'tsc', '-p', 'bench'],
    ['node', 'bench/dist/bench/run.js', '--quick'],
  ),
]

async function main(): Promise<void> {
  const begin = performance.now()
  const outcomes = [await runAndTell(build)]
  const runAll = async (...queues: Part[][]) => {
    for (let part = nextOf(queues); part; part = nextOf(queues)) outcomes.push(await runAndTell(part))
  }
  if (outcomes[0]?.passed) await Promise.all([runAll(computing, others, waiting), runAll(waiting, others)])
  if (outcomes.some(({ passed }) => !passed)) process.exitCode = 1
  printAges()
  for (const { name, passed, seconds } of outcomes) print(`${name.padEnd(24)}${seconds} s${passed ? '' : '  FAILED'}`)
  print(`In all ${Math.round((performance.now() - begin) / 1000)} s`)
  printTests()
}

/** Takes the first part of the first queue that has one. */
function nextOf(queues: readonly Part[][]): Part | undefined {
  return queues.find((queue) => queue.length > 0)?.shift()
}

async function runAndTell(part: Part): Promise<Outcome> {
  const outcome = await run(part, join(folder, `${part.name.replaceAll(' ', '-')}.log`))
  print(`\n== ${part.name}: ${outcome.passed ? 'passed' : 'FAILED'} in ${outcome.seconds} s\n${outcome.output}`)
  return outcome
}

/** Says how old each part of the nightly is. Fails if one is too old. */
function printAges(): void {
  print('The nightly (scripts/README.md):')
  for (const { part, last, isDue, landings } of new NightlyRecord().states()) {
    const age = last ? `${last.day}, ${last.seconds} s, ${last.failures} failures, ${landings} landings ago` : 'never'
    const isTooOld = landings > mostLandings
    print(`${part.name.padEnd(24)}${age}${isDue ? ', due' : ''}${isTooOld ? '  TOO OLD' : ''}`)
    if (isTooOld) process.exitCode = 1
  }
}

/** The last line says how many tests passed and failed. Fails if a part has no test that passed. */
function printTests(): void {
  const results = testsOf.flatMap((name): TestResults[] => {
    const file = resultsOf(name)
    const result: TestResults | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
    if (result && result.numPassedTests > 0) return [result]
    print(`No test has passed: ${name}`)
    process.exitCode = 1
    return result ? [result] : []
  })
  const tests = results.flatMap(({ testResults }) => testResults.flatMap(({ assertionResults }) => assertionResults))
  for (const { status, fullName } of tests) if (status === 'pending') print(`skipped: ${fullName}`)
  const sum = (count: (each: TestResults) => number) => results.reduce((total, each) => total + count(each), 0)
  const failed = sum(({ numFailedTests, numRuntimeErrorTestSuites }) => numFailedTests + numRuntimeErrorTestSuites)
  print(`${sum(({ numPassedTests }) => numPassedTests)} passed, ${failed} failed`)
}

function partOf(name: string, ...commands: Command[]): Part {
  return { name, commands, minutes: 40, env }
}

function ofLane(lane: string, ...options: string[]): Part {
  return partOf(`lane ${lane}`, jest(lane, 'npm', 'run', 'test:field', '--', lane, ...options))
}

function ofNode(version: string): Part {
  const name = `node ${version}`
  const tests = ['npx', 'jest', 'test/field/package/each-node', ...nodeSensitiveTests()] as const
  return onNode(version, partOf(name, jest(name, ...tests)))
}

/** A command that runs Jest, which writes its results to a file of this name. */
function jest(name: string, ...command: Command): Command {
  testsOf.push(name)
  return [...command, '--json', `--outputFile=${resultsOf(name)}`]
}

function resultsOf(name: string): string {
  return join(folder, `tests-${name}.json`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

main()
  .catch((error: Error) => {
    print(`${error.stack}`)
    process.exitCode = 1
  })
  .finally(() => rmSync(folder, { recursive: true, force: true }))
