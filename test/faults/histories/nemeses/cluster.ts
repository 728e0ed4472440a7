import type { Nemesis } from './nemesis'

/** Slots of a Cluster move to other masters, with the grants in them. */
export const cluster: Nemesis = {
  name: 'slots-of-a-cluster-move',
  on: 'cluster',
  async run({ random, isOver, sleep, tell }, store) {
    while (!isOver()) {
      await sleep(100 + random.next() * 300)
      const slot = await store.slotInUse(random.next())
      await store.move(slot, () => sleep(random.next() * 200))
      tell(`slot ${slot} has moved`)
    }
  },
}
