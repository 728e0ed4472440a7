import { explore, follow, testOf } from './explore'
import { openHouse } from './house'
import { limitOf, limits } from './limits'
import { mutants } from './mutants'
import { prepare } from './prepared'
import { scenarioNamed, smallScenarios } from './scenarios'
import type { World } from './world'

const isBroken = (world: World) => limitOf(world) === undefined

describe('every interleaving', () => {
  it.each(smallScenarios)('keeps every rule: $name', async (scenario) => {
    const prepared = await prepare(scenario, openHouse())
    const { findings } = await explore(prepared, isBroken, { maxStates: 2000, maxFindings: 1 })
    expect(findings.map(testOf)).toEqual([])
  })

  it.each(mutants)('finds a defect: $name', async ({ rule, scenario, patch, changed }) => {
    const prepared = await prepare(scenarioNamed(scenario), openHouse(patch && [patch]), changed)
    const { findings } = await explore(prepared, isBroken, { maxFindings: 1 })
    expect(findings.map(({ path, world }) => [path.length > 0, world.violation?.rule])).toEqual([[true, rule]])
  })

  it('keeps a credential live whose signer failed, while the first sending of its swap is still on its way', async () => {
    const prepared = await prepare(scenarioNamed('strict, at one process'), openHouse())
    const { findings } = await explore(prepared, isBroken, { maxFindings: 1 })
    expect(findings.map(testOf)).toEqual([])
  })

  it('finds the same states with the store in memory as with the contract', async () => {
    const [one, other] = await Promise.all(
      ['two requests', 'two requests in memory'].map(async (name) => {
        const { states, schedules } = await explore(await prepare(scenarioNamed(name), openHouse()), isBroken)
        return { states, schedules }
      }),
    )
    expect(one).toEqual(other)
  })
})

// docs/credential-chain.md states them, each with its way: test/docs/generated.test.ts.
describe('the limits of the credential chain', () => {
  it.each(limits)('are met in the shortest way: $name', async ({ name, way: [scenario, path] }) => {
    const prepared = await prepare(scenarioNamed(scenario), openHouse())
    expect(limitOf(await follow(prepared, path))?.name).toBe(name)
  })
})
