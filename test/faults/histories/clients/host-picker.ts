import type { Scene } from './scene'

const turns = new WeakMap<Scene, number>()

/** How a client picks a host: in turn, at random, or always the same one. */
export function hostPicker(scene: Scene): () => number {
  const { random, hosts } = scene
  const own = random.below(hosts)
  const ways: [() => number, ...(() => number)[]] = [
    () => {
      const turn = turns.get(scene) ?? 0
      turns.set(scene, turn + 1)
      return turn % hosts
    },
    () => random.below(hosts),
    () => own,
  ]
  return random.pick(ways)
}
