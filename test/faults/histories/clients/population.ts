import { Owner, type Temperament } from './owner'
import { between, type Scene } from './scene'

/** The kinds of clients, and their number. */
export interface Population {
  clients: number
  /** The length of the run. */
  seconds: number
  retry?: Temperament['retry'] | undefined
}

/**
 * Keeps the number of clients constant: a client that is signed out is replaced by another one of its kind.
 *
 * @param owners The list to which each new client is added.
 */
export async function keepPopulated(
  scene: Scene,
  owners: Owner[],
  { clients, seconds, retry }: Population,
): Promise<void> {
  const kinds = temperaments(seconds)
  await Promise.all(
    Array.from({ length: clients }, async (_, number) => {
      const kind = kinds[number % kinds.length] as Temperament
      await scene.sleep(scene.random.next() * Math.min(kind.pace[1], seconds * 500))
      while (!scene.isFinale()) await live(scene, owners, { ...kind, ...(retry && number % 2 === 0 && { retry }) })
    }),
  )
}

async function live(scene: Scene, owners: Owner[], temperament: Temperament): Promise<void> {
  const owner = new Owner(scene, temperament)
  owners.push(owner)
  await owner.run()
  if (scene.isFinale()) await owner.finish()
  else await scene.sleep(between(scene.random, [100, 1000]))
}

/** Seven in ten are slow. At their pace, every refresh gives a new token, because the last one is older than ten seconds by then. */
function temperaments(seconds: number): Temperament[] {
  const impatient = [100, 600] as const
  const slow = seconds < 20 ? ([3200, 4500] as const) : ([11_000, 16_000] as const)
  const burst = { pace: [1000, 3000], retry: impatient } as const
  const kinds: Temperament[] = [
    { pace: [50, 400], retry: impatient, burst: 1, firstWins: false },
    { ...burst, burst: 2, firstWins: true },
    { ...burst, burst: 3, firstWins: false },
  ]
  for (let place = 0; place < 7; place++) {
    const retry = place < 2 ? ([5000, seconds * 1000] as const) : impatient
    kinds.push({ pace: slow, retry, burst: 1, firstWins: false })
  }
  return kinds
}
