import { fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import { type Explored, explore, testOf } from './explore'
import { openHouse } from './house'
import { limitOf, limits } from './limits'
import { prepare } from './prepared'
import { scenarioNamed, scenarios } from './scenarios'
import { sentence } from './tell'

// No error of the code is looked at but by its code.
Error.stackTraceLimit = 0
// How many scenarios are explored at once, each in a process of its own.
const parallel = 2

const { values } = parseArgs({
  options: { scenario: { type: 'string', multiple: true }, states: { type: 'string' } },
})

interface Found {
  limit: string | undefined
  /** A test that goes there. */
  test: string
  trace: readonly string[]
  path: readonly number[]
}

type Report = Omit<Explored, 'findings' | 'steps'> & { findings: Found[] }

/** Explores one scenario, and reports the shortest way to each limit, and to each broken rule. */
async function exploreOne(name: string): Promise<Report> {
  const known = new Set<string | undefined>()
  const scenario = scenarioNamed(name)
  const explored = await explore(
    await prepare(scenario, openHouse()),
    (world) => {
      const met = limitOf(world)?.name ?? world.violation?.rule
      const isNew = !known.has(met)
      known.add(met)
      return isNew
    },
    { maxStates: Number(values.states ?? scenario.maxStates ?? 250_000) },
  )
  const findings = explored.findings.map((finding) => {
    const { world, trace, path } = finding
    return { limit: limitOf(world)?.name, test: testOf(finding), trace, path }
  })
  return { ...explored, findings }
}

/** Explores the scenarios, prints what was found, and fails if a rule is broken that no limit explains, or if a limit is not as it is stated. */
async function main(): Promise<void> {
  const chosen = scenarios.filter(({ name }) => values.scenario?.includes(name) ?? true)
  const waiting = chosen.map(({ name }) => name)
  const shortest = new Map<string, Found & { scenario: string }>()
  let all = 0
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { states, schedules, depth, isWhole, findings } = await inChild(name)
      all += states
      const atLeast = isWhole ? '' : 'at least '
      print(`${name}: ${atLeast}${states} states, ${atLeast}${schedules} schedules, depth ${depth}`)
      for (const found of findings) {
        const { limit, test, trace } = found
        if (limit === undefined) {
          process.exitCode = 1
          print(`BROKEN:\n${test}`)
        } else if (trace.length < (shortest.get(limit)?.trace.length ?? Number.POSITIVE_INFINITY)) {
          shortest.set(limit, { ...found, scenario: name })
        }
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  print(`${all} states in all`)
  for (const { name, way } of limits) {
    const found = shortest.get(name)
    const isStated = found?.path.length === way[1].length
    if (!isStated && values.scenario === undefined) process.exitCode = 1
    if (!found) print(`${name}: not found`)
    else print(`${name}: ${sentence(found.trace)}`)
    if (found && !isStated) print(`  way: ${JSON.stringify([found.scenario, found.path])},`)
  }
}

function inChild(name: string): Promise<Report> {
  return new Promise((resolve, reject) => {
    const args = ['--scenario', name, ...(values.states ? ['--states', values.states] : [])]
    const child = fork(__filename, args, { execArgv: [...process.execArgv, '--max-old-space-size=6000'] })
    child.once('message', (report) => resolve(report as Report))
    child.once('exit', (code) => reject(new Error(`The exploration of "${name}" ended with ${code}`)))
  })
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const isChild = process.send !== undefined && values.scenario !== undefined
const run = isChild ? exploreOne(values.scenario?.[0] ?? '').then((report) => void process.send?.(report)) : main()
run
  .catch((error) => {
    process.stderr.write(`${error.stack ?? error}\n`)
    process.exitCode = 1
  })
  .finally(() => isChild && process.disconnect())
