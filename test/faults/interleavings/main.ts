import { parseArgs } from 'node:util'
import { explore } from './explore'
import { openHouse } from './house'
import { limitOf } from './limits'
import { prepare } from './prepared'
import { scenarios } from './scenarios'

// No error of the code is looked at but by its code.
Error.stackTraceLimit = 0

const { values } = parseArgs({
  options: { scenario: { type: 'string', multiple: true }, states: { type: 'string', default: '250000' } },
})

/** Explores the scenarios, prints what was found, and fails if a rule is broken that no limit explains. */
async function main(): Promise<void> {
  const known = new Set<string>()
  let all = 0
  for (const scenario of scenarios.filter(({ name }) => values.scenario?.includes(name) ?? true)) {
    const prepared = await prepare(scenario, openHouse())
    const explored = await explore(
      prepared,
      (world) => {
        const name = limitOf(world)?.name ?? `${scenario.name}: ${world.violation?.rule}`
        const isNew = !known.has(name)
        known.add(name)
        return isNew
      },
      { maxStates: Number(values.states) },
    )
    const { states, schedules, depth, isWhole, findings } = explored
    all += states
    const ways = schedules === undefined ? '' : `, ${schedules} schedules`
    print(`${scenario.name}: ${states} states${isWhole ? '' : ' (not all)'}${ways}, depth ${depth}`)
    for (const { world, trace, path } of findings) {
      const limit = limitOf(world)
      print(limit ? `  limit: ${limit.name}` : `  BROKEN: ${world.violation?.rule}: ${world.violation?.told}`)
      for (const step of trace) print(`    - ${step}`)
      if (limit) continue
      print(`  it('${world.violation?.rule}', () => expectKept('${scenario.name}', ${JSON.stringify(path)}))`)
      process.exitCode = 1
    }
  }
  print(`${all} states in all`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

main().catch((error) => {
  process.stderr.write(`${error.stack ?? error}\n`)
  process.exitCode = 1
})
