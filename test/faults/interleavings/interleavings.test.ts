import { explore, follow, testOf } from './explore'
import { openHouse } from './house'
import { limitOf } from './limits'
import { prepare } from './prepared'
import { scenarioNamed, smallScenarios } from './scenarios'
import type { World } from './world'

const isBroken = (world: World) => limitOf(world) === undefined

// A look at what is near. further.test.ts goes on.
describe('every interleaving', () => {
  it.each(smallScenarios)('keeps every rule nearby: $name', async (scenario) => {
    const prepared = await prepare(scenario, openHouse())
    const { findings } = await explore(prepared, isBroken, { maxStates: 200, maxFindings: 1 })
    expect(findings.map(testOf)).toEqual([])
  })

  // What a broken rule prints, here or by `npx tsx test/faults/interleavings/main.ts`, calls this.
  it('goes the same way again', async () => expectKept('two requests', [0, 0, 0]))
})

async function expectKept(name: string, path: readonly number[]): Promise<void> {
  const { violation } = await follow(await prepare(scenarioNamed(name), openHouse()), path)
  expect(violation).toBeUndefined()
}
