import type { Way } from '../hosts/front-proxy'
import type { Nemesis, Stage } from './nemesis'

/** Makes the proxies in front of the hosts treat requests in this way until the time is over. */
export async function onTheWay({ fronts, random, sleep }: Stage, wayOf: (chance: () => number) => Way): Promise<void> {
  const chance = () => random.next()
  for (const front of fronts) front.wayOf = () => wayOf(chance)
  await sleep(Number.POSITIVE_INFINITY)
  for (const front of fronts) front.wayOf = () => ({})
}

/** Delays, cuts and immediate repeats. */
export function roughly(chance: () => number): Way {
  const luck = chance()
  if (luck < 0.1) return { delay: chance() * 1500 }
  if (luck < 0.13) return { cut: 'request' }
  if (luck < 0.16) return { cut: 'answer' }
  if (luck < 0.22) return { repeatAfter: chance() * 40 }
  return {}
}

/** The nemeses of requests between the clients and the hosts. */
export const front: Nemesis[] = [
  {
    name: 'requests-delayed-cut-repeated',
    on: 'any store',
    fronts: true,
    run: (stage) => onTheWay(stage, roughly),
  },
  {
    name: 'requests-repeated-late',
    on: 'any store',
    fronts: true,
    run: (stage) => onTheWay(stage, (chance) => (chance() < 0.05 ? { repeatAfter: 11_000 + chance() * 5000 } : {})),
  },
]
