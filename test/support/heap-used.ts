import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
// Made once: a context takes 130 kB until it is collected, which takes more than one collection.
const collect: () => void = runInNewContext('gc')

/**
 * By how many bytes this process grows from turn to turn, once it has warmed up: the median of what each two readings say (Theil and Sen),
 * so that one cache that fills or empties meanwhile changes nothing. A turn must keep nothing of its own alive.
 */
export async function growthPerTurn(turn: () => Promise<void>): Promise<number> {
  const readings: number[] = []
  // Optimized code takes memory too, and more and more of it for thousands of requests. Later files of tests in this process need it.
  setFlagsFromString('--no-opt')
  try {
    for (let index = 0; index < 2; index++) await turn()
    for (let index = 0; index < 4; index++) {
      await turn()
      readings.push(heapUsed())
    }
  } finally {
    setFlagsFromString('--opt')
  }
  const slopes = readings.flatMap((later, to) =>
    readings.slice(0, to).map((earlier, from) => (later - earlier) / (to - from)),
  )
  slopes.sort((one, other) => one - other)
  return slopes[slopes.length / 2] ?? 0
}

/** The bytes that this process needs, after what nobody needs has been collected. */
function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}
