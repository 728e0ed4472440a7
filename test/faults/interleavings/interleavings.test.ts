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

  it('knows a repeat that is late by what it has read, although the redemption was reversed and came again meanwhile', async () => {
    const prepared = await prepare(scenarioNamed('a client that begins to prove a key'), openHouse())
    const world = await follow(prepared, [0, 2, 6, 7, 0, 0, 4, 0, 1, 3])
    expect(limitOf(world)?.name).toBe('a client that comes later than the window')
  })

  // What a broken rule prints, here or by `npx tsx test/faults/interleavings/main.ts`, calls this.
  it('goes the same way again', async () => expectKept('two requests', [0, 0, 0]))
})

async function expectKept(name: string, path: readonly number[]): Promise<void> {
  const { violation } = await follow(await prepare(scenarioNamed(name), openHouse()), path)
  expect(violation).toBeUndefined()
}
