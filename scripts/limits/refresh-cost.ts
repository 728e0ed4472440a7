import { promiseHooks } from 'node:v8'
import { loadBuild, sampleRequests } from './sample-requests'

// Prints what customer-sign-in and its dependencies take for a refresh, beyond what a request takes that nobody reads: promises, and kB
// allocated. Needs --expose-gc, and a young generation in which a round has room, so that nothing is collected meanwhile (figures.ts).

type Sample = () => Promise<unknown>

let promises = 0
let isCounting = false

const { refresh, nothing } = sampleRequests(loadBuild(), async (send) => {
  const stop = isCounting ? promiseHooks.onInit(() => promises++) : undefined
  const body = await send()
  stop?.()
  return body
})

/** The third request, which finds everything built. */
async function promisesOf(sample: Sample): Promise<number> {
  await sample()
  await sample()
  isCounting = true
  promises = 0
  await sample()
  isCounting = false
  return promises
}

/** The least of some rounds, once the code is fast: the compiler works beside them, and allocates too. */
async function bytesOf(sample: Sample): Promise<number> {
  for (let sent = 0; sent < 3000; sent++) await sample()
  const costs: number[] = []
  while (costs.length < 15) {
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    for (let sent = 0; sent < 250; sent++) await sample()
    costs.push((process.memoryUsage().heapUsed - before) / 250)
  }
  return Math.min(...costs)
}

async function main(): Promise<void> {
  const cost = {
    promises: (await promisesOf(refresh)) - (await promisesOf(nothing)),
    kB: Math.ceil(((await bytesOf(refresh)) - (await bytesOf(nothing))) / 1000),
  }
  process.stdout.write(JSON.stringify(cost))
}

void main()
