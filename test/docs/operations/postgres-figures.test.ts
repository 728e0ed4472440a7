import type { PostgresResults } from '../../../bench/postgres/report'
import { textOf } from '../pages'

const page = textOf('docs/operations-postgres.md').replace(/\s+/g, ' ')
const { server, size, scale, throughput }: PostgresResults = JSON.parse(textOf('bench/results/postgres.json'))
const [smallest, again, largest] = scale

const whole = (number: number) => Math.round(number).toLocaleString('en')
const [off, on] = ['off', 'on'].map((commit) =>
  throughput.find((each) => each.commit === commit && each.connections === 10),
)
const rate = (row = off) => whole(Math.round((row?.perSecond ?? 0) / 100) * 100)
const busy = (row = off) => `${whole((row?.serverBusy ?? 0) * 100)} %`
const bytes = ({ table, indexes }: { table: number; indexes: number }) => table + indexes

describe('the figures of docs/operations-postgres.md', () => {
  it('are those of the latest measurement', () => {
    for (const words of [
      server,
      `| 100,000 | ${whole((bytes(size.refreshed) * 100_000) / 1e6)} MB |`,
      `| 3,000,000 | ${(bytes(size.refreshed) * 0.003).toFixed(1)} GB |`,
      `${whole(bytes(size.redeemed))} bytes for a grant, ${whole(size.redeemed.indexes)} of them in the three indexes`,
      `${whole(bytes(size.refreshed))} after ${size.rotations} refreshes`,
      `${(size.hotShare * 100).toFixed(2)} % of these refreshes were HOT updates`,
      `${whole(smallest?.serverTime ?? 0)} microseconds, and ${whole(smallest?.serverTimeUnderLoad ?? 0)} with ten refreshes in flight`,
      `${rate(off)} over ten connections, and ${rate(on)} with \`synchronous_commit = on\`: the core was ${busy(off)} and ${busy(on)} busy`,
      `the server takes ${largest?.serverRatio.toFixed(2)} times the CPU time, ${largest?.serverRatioUnderLoad.toFixed(2)} times with ten refreshes in flight, and a host waits ${largest?.hostRatio.toFixed(2)} times as long`,
    ]) {
      expect(page).toContain(words)
    }
  })

  it('describe the measured grant, and are within their stated limits', () => {
    expect(bytes(size.refreshed)).toBeLessThanOrEqual(700)
    expect(bytes(size.refreshed) / bytes(size.redeemed)).toBeLessThanOrEqual(1.1)
    expect(size.hotShare).toBeGreaterThanOrEqual(0.95)
    expect([size.grants, smallest?.grants, again?.grants, largest?.grants]).toEqual([100_000, 1000, 1000, 3_000_000])
  })
})
