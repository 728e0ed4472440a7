import { AsyncLocalStorage, createHook } from 'node:async_hooks'

const ofWork = new AsyncLocalStorage<true>()

/** How many TCP connections some work opens. Those that a client of an earlier test opens again do not count. */
export async function connectionsBegunBy(work: () => Promise<unknown>): Promise<number> {
  let begun = 0
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'TCPCONNECTWRAP' && ofWork.getStore()) begun++
    },
  })
  hook.enable()
  try {
    await ofWork.run(true, work)
  } finally {
    hook.disable()
  }
  return begun
}
