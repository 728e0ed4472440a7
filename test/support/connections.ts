import { createHook } from 'node:async_hooks'

/** How many TCP connections this process opens during some work. */
export async function connectionsBegunBy(work: () => Promise<unknown>): Promise<number> {
  let begun = 0
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'TCPCONNECTWRAP') begun++
    },
  })
  hook.enable()
  try {
    await work()
  } finally {
    hook.disable()
  }
  return begun
}
