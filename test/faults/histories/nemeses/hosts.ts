import { byTurns, type Nemesis, type Stage } from './nemesis'

type Times = Parameters<typeof byTurns>[1]

/** One host process after the other dies in the middle of its requests. */
export async function killHosts(
  stage: Stage,
  times: Times = { well: [500, 2500], broken: [200, 1500] },
): Promise<void> {
  const { hosts, random, tell } = stage
  let number = 0
  await byTurns(stage, times, {
    start: async () => {
      number = random.below(hosts.length)
      await hosts[number]?.kill()
      tell(`host ${number} is killed`)
    },
    heal: async () => {
      await hosts[number]?.start()
      tell(`host ${number} is back`)
    },
  })
}

export async function pauseHosts(stage: Stage, times: Times): Promise<void> {
  const { hosts, random, tell } = stage
  let number = 0
  await byTurns(stage, times, {
    start: () => {
      number = random.below(hosts.length)
      hosts[number]?.pause()
      tell(`host ${number} pauses`)
    },
    heal: () => {
      hosts[number]?.resume()
      tell(`host ${number} goes on`)
    },
  })
}

/** Rolls out new keys as docs/operations.md says, process by process, so that the processes have them in different orders. */
async function rotate({ hosts, keys, random, isOver, sleep, tell }: Stage): Promise<void> {
  const steps = [
    [keys.old, keys.new],
    [keys.new, keys.old],
    [keys.old, keys.new],
  ]
  for (const step of steps) {
    for (const [number, host] of hosts.entries()) {
      await sleep(500 + random.next() * 1500)
      if (isOver()) return
      await host.kill()
      await host.start({
        signingKeys: step.map(({ signingKey }) => signingKey),
        credentialSecrets: step.map(({ credentialSecret }) => credentialSecret),
      })
      tell(`host ${number} has its keys in another order`)
    }
  }
  await sleep(Number.POSITIVE_INFINITY)
}

const nothing = ({ sleep }: Stage) => sleep(Number.POSITIVE_INFINITY)
const minute = 60_000

/** The nemeses of the host's processes and their clocks. */
export const hostFaults: Nemesis[] = [
  { name: 'hosts-killed', on: 'any store', run: (stage) => killHosts(stage) },
  {
    name: 'hosts-paused',
    on: 'any store',
    run: (stage) => pauseHosts(stage, { well: [1000, 3000], broken: [500, 4500] }),
  },
  {
    name: 'a-host-paused-for-long',
    on: 'any store',
    run: (stage) => pauseHosts(stage, { well: [1000, 1000], broken: [17_000, 17_000] }),
  },
  { name: 'keys-rotated', on: 'any store', run: rotate },
  { name: 'clocks-off-by-2-s', on: 'any store', clocks: [0, 20, -2000, 2000], run: nothing },
  { name: 'clocks-off-by-a-minute', on: 'any store', clocks: [-20, 0, -61_000, 61_000], run: nothing },
  { name: 'clocks-off-by-5-min', on: 'any store', clocks: [0, 20, -5 * minute, 5 * minute], run: nothing },
  { name: 'clocks-off-by-a-day', on: 'any store', clocks: [0, -20, -1440 * minute, 1440 * minute], run: nothing },
]
