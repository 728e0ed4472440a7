import type { Prepared } from './prepared'
import { sentence, tellChoice } from './tell'
import { World } from './world'

/** A way to a violation: none is shorter. */
export interface Finding {
  scenario: string
  path: readonly number[]
  trace: readonly string[]
  world: World
}

export interface Explored {
  states: number
  /** How many steps were taken from one state to another. */
  steps: number
  /** How many ways lead to an end, or to a state from which nothing was visited. */
  schedules: number
  /** The steps of the longest of the shortest ways to each state. */
  depth: number
  isWhole: boolean
  findings: readonly Finding[]
}

/**
 * Goes to every state that a scenario can reach, the nearest first, so that no way to a violation is shorter than the one found. A way that
 * leads to a known state is not followed any further.
 *
 * @param isNew Whether to keep the violation of this world. Nothing follows a violation.
 */
export async function explore(
  prepared: Prepared,
  isNew: (world: World) => boolean,
  { maxStates = Number.POSITIVE_INFINITY, maxFindings = Number.POSITIVE_INFINITY } = {},
): Promise<Explored> {
  const known = new Map<string, number>()
  const from: number[] = []
  const by: number[] = []
  const depths: number[] = []
  const children: Uint32Array[] = []
  const findings: Finding[] = []
  let steps = 0

  const pathTo = (state: number): number[] => {
    const path: number[] = []
    for (let at = state; at > 0; at = from[at] as number) path.push(by[at] as number)
    return path.reverse()
  }

  const found = (isWhole: boolean): Explored => ({
    states: from.length,
    steps,
    schedules: countWays(children, from.length),
    depth: depths.at(-1) ?? 0,
    isWhole,
    findings,
  })

  const begun = await World.begin(prepared)
  known.set(begun.key(), 0)
  from.push(0)
  by.push(0)
  depths.push(0)
  let frontier: World[] = [begun]
  let isWhole = true
  while (frontier.length > 0 && isWhole) {
    const next: World[] = []
    for (const world of frontier) {
      const state = children.length
      const choices = world.choices()
      const reached = new Uint32Array(choices.length)
      for (const [number, choice] of choices.entries()) {
        const after = await world.after(choice)
        steps++
        const key = after.key()
        let there = known.get(key)
        if (there === undefined) {
          there = from.length
          known.set(key, there)
          from.push(state)
          by.push(number)
          depths.push((depths[state] as number) + 1)
          if (!after.violation && after.isQuiet) await after.judgeEnd()
          if (after.violation && isNew(after)) {
            const path = pathTo(there)
            findings.push({ scenario: prepared.scenario.name, path, trace: await tell(prepared, path), world: after })
          }
          if (findings.length >= maxFindings) return found(false)
          next.push(after)
        }
        reached[number] = there
      }
      children.push(reached)
      if (from.length >= maxStates) {
        isWhole = false
        break
      }
    }
    frontier = next
  }
  return found(isWhole)
}

/** Goes a way from the beginning. */
export async function follow(prepared: Prepared, path: readonly number[]): Promise<World> {
  let world = await World.begin(prepared)
  for (const number of path) {
    const choice = world.choices()[number]
    if (!choice) throw new Error(`There is no choice ${number}`)
    world = await world.after(choice)
  }
  if (!world.violation && world.isQuiet) await world.judgeEnd()
  return world
}

/** Tells a way in words. */
export async function tell(prepared: Prepared, path: readonly number[]): Promise<string[]> {
  let world = await World.begin(prepared)
  const told: string[] = []
  for (const number of path) {
    const choice = world.choices()[number]
    if (!choice) throw new Error(`There is no choice ${number} after: ${told.join('; ')}`)
    const next = await world.after(choice)
    told.push(tellChoice(choice, world, next))
    world = next
  }
  return told
}

/** The shortest way to a broken rule as a test that fails, to paste into interleavings.test.ts. */
export function testOf({ scenario, path, trace, world: { violation } }: Finding): string {
  const way = `expectKept('${scenario}', ${JSON.stringify(path)})`
  return `// ${violation?.told}: ${sentence(trace)}\nit('${violation?.rule}', async () => ${way})`
}

/** How many ways lead from the first state to one without a next. No state comes twice on a way, because each step uses something up. */
function countWays(children: readonly Uint32Array[], states: number): number {
  const ways = new Float64Array(states)
  const entering = new Uint32Array(states)
  for (const next of children) for (const child of next) entering[child] = (entering[child] ?? 0) + 1
  ways[0] = 1
  let ended = 0
  const ready = [0]
  for (let state = ready.pop(); state !== undefined; state = ready.pop()) {
    const next = children[state] ?? []
    if (next.length === 0) ended += ways[state] ?? 0
    for (const child of next) {
      ways[child] = (ways[child] ?? 0) + (ways[state] ?? 0)
      entering[child] = (entering[child] ?? 0) - 1
      if (entering[child] === 0) ready.push(child)
    }
  }
  return ended
}
