import { readFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Memory, Times } from './order'

let observing = false
let pauses = 0

export async function timesSoFar(): Promise<Times> {
  const { user, system } = process.cpuUsage()
  const helpers = user + system - ofMainThread()
  if (!observing) observePauses()
  // Node reports a pause a moment after it.
  await setTimeout(100)
  return { cpu: user + system, helpers, pauses }
}

/** Collects all garbage. The process must have been started with `--expose-gc`. */
export async function collectGarbage(): Promise<Memory> {
  const { gc } = globalThis
  if (!gc) throw new Error('The process was started without --expose-gc')
  const { rss } = process.memoryUsage()
  // What the callbacks after a collection let go of is garbage of the next one.
  for (let times = 0; times < 3; times++) {
    gc()
    await setImmediate()
  }
  return { rss, heapUsed: process.memoryUsage().heapUsed }
}

function observePauses(): void {
  observing = true
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pauses += duration * 1000
  })
  observer.observe({ entryTypes: ['gc'] })
}

/** The CPU time of the main thread, in microseconds. NaN where the system does not say. */
function ofMainThread(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1000
  } catch {
    return Number.NaN
  }
}
