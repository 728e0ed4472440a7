import type { Notes } from '../report'
import type { Wire } from '../wire'

// Seconds. The verifiers of access tokens mostly allow for half a minute or a minute.
const tolerance = 30

/** Compares the clocks of the servers with that of this machine, by what they have said so far. */
export async function compareClocks(notes: Notes, { clocks }: Wire): Promise<void> {
  const off = clocks.filter(({ ahead }) => Math.abs(ahead) > tolerance)
  for (const source of new Set(off.map((each) => each.source))) {
    const { ahead } = off.find((each) => each.source === source) ?? { ahead: 0 }
    const direction = ahead > 0 ? 'ahead of' : 'behind'
    notes.find('clock-off', { source, seconds: String(Math.abs(ahead)), direction })
  }
}
