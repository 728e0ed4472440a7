/** Makes a call of one of two processes when it is its turn. */
export type Turn = <T>(call: () => Promise<T>) => Promise<T>

type Run = (
  one: Turn,
  other: Turn,
) => Promise<{ works: [Promise<unknown>, Promise<unknown>]; check: () => Promise<void> | void }>

/**
 * Lets two processes work side by side, again and again, until their calls have been made in every order.
 *
 * @param run Starts the work of both with new records. Its `check` asserts what must hold whatever the order was.
 * @returns In how many orders.
 */
export async function inEveryOrder(run: Run): Promise<number> {
  let choices: number[] = []
  for (let orders = 1; ; orders++) {
    const made = await runInOrder(choices, run)
    // The last place at which the other process could have gone first, and has not yet.
    const last = made.findLastIndex(({ choice, isFree }) => isFree && choice === 0)
    if (last < 0) return orders
    choices = [...made.slice(0, last).map(({ choice }) => choice), 1]
  }
}

async function runInOrder(choices: readonly number[], run: Run) {
  const waiting: (() => void)[][] = [[], []]
  const isDone = [false, false]
  let wake = () => {}
  const turnOf =
    (process: number): Turn =>
    async (call) => {
      await new Promise<void>((resolve) => {
        waiting[process]?.push(resolve)
        wake()
      })
      return call()
    }
  const { works, check } = await run(turnOf(0), turnOf(1))
  for (const [process, work] of works.entries()) {
    work
      .catch(() => {})
      .finally(() => {
        isDone[process] = true
        wake()
      })
  }
  const made: { choice: number; isFree: boolean }[] = []
  const isReady = (process: number) => isDone[process] || waiting[process]?.length !== 0
  for (;;) {
    while (!isReady(0) || !isReady(1)) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const able = [0, 1].filter((process) => waiting[process]?.length)
    if (able.length === 0) break
    const isFree = able.length > 1
    const choice = isFree ? (choices[made.length] ?? 0) : (able[0] ?? 0)
    made.push({ choice, isFree })
    waiting[choice]?.shift()?.()
  }
  await Promise.all(works)
  await check()
  return made
}
