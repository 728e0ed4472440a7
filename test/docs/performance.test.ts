import { allTablesUnder, tableUnder, textOf } from './pages'

/** A row of bench/results/node-26.json. */
interface Row {
  server: string
  workload: string
  cpu_us: number
  rps: number
  p50_ms: number
  p99_ms: number
  /** Null where the floor does not serve such a request. */
  ratio_to_floor: number | null
  ratio_low: number
  ratio_high: number
  floor: string
  server_busy: number
  load_busy: number
}

const page = 'docs/performance.md'
// The newest version of Node that is supported for long.
const results = 'bench/results/node-26'
const rows: Row[] = JSON.parse(textOf(`${results}.json`))
const versions = ['22', '24', '26']
const rowsOn = new Map<string, Row[]>(
  versions.map((version) => [version, JSON.parse(textOf(`bench/results/node-${version}.json`))]),
)
const { memory, scale } = JSON.parse(textOf('bench/results/redis.json'))

function row(server: string, workload = 'refresh', among = rows): Row {
  const found = among.find((each) => each.server === server && each.workload === workload)
  if (!found) throw new Error(`There is no row of ${server}, ${workload}`)
  return found
}

const ratio = ({ server, floor, ratio_to_floor }: Row) =>
  server === floor || ratio_to_floor === null ? '' : `${ratio_to_floor.toFixed(2)} × ${floor}`

const half = ({ server, floor, ratio_low, ratio_high }: Row) =>
  server === floor ? '' : `${ratio_low.toFixed(2)} to ${ratio_high.toFixed(2)}`

describe('the figures of docs/performance.md', () => {
  it('are those of the latest measurement', () => {
    expect(tableUnder('## CPU time of a refresh', page)).toEqual(
      rows
        .filter(({ workload }) => workload === 'refresh')
        .map((each) => [each.server, each.cpu_us.toFixed(0), each.rps.toFixed(0), ratio(each), half(each)]),
    )
    for (const [request, server = '', cpu, ratioToFloor] of tableUnder('## Other requests', page)) {
      const measured = rows.filter((each) => each.server === server && each.workload !== 'refresh')
      const cells = measured.map((each) => [each.cpu_us.toFixed(0), ratio(each)])
      expect([request, cells]).toEqual([request, expect.arrayContaining([[cpu, ratioToFloor]])])
    }
  })

  it('compare the versions of Node', () => {
    const table = tableUnder('## Versions of Node', page)
    expect(table.length).toBeGreaterThan(10)
    for (const [request = '', server = '', other = '', ...ratios] of table) {
      const measured = [...rowsOn.values()].map((among) =>
        (row(server, request, among).cpu_us / row(other, request, among).cpu_us).toFixed(2),
      )
      expect([request, server, ratios]).toEqual([request, server, measured])
    }
  })

  it('are those of the longest run under full load', () => {
    expect(tableUnder('## One process under full load', page)).toEqual(
      tableUnder('# One process of customer-sign-in under full load', 'bench/results/endurance.md'),
    )
  })

  it('are those of the latest run with listeners', () => {
    expect(tableUnder('## Channels, metrics and traces', page)).toEqual(
      tableUnder('## CPU time of a refresh by who listens', 'bench/results/telemetry.md'),
    )
  })

  it('show what more processes and masters add, as it was measured', () => {
    expect(tableUnder('## Added processes and masters', page)).toEqual(
      tableUnder('## What each process and master adds', 'bench/results/growth.md'),
    )
  })

  it('include the shares compared with the peers, and the profiles', () => {
    const latest = (heading: string) => tableUnder(heading, `${results}.md`)
    expect(tableUnder('## Compared with other servers', page)).toEqual(
      latest('## CPU time of a refresh, divided by that of another server'),
    )
    expect(tableUnder('## PostgreSQL compared with Redis', page)).toEqual(latest('## PostgreSQL compared with Redis'))
    expect(allTablesUnder('## Where the time goes', page)).toEqual([
      latest('## Where the time of a refresh goes'),
      latest('## Where the time of the metadata goes'),
    ])
  })

  it('extrapolate only by multiplying what was measured', () => {
    const { rps } = row('customer-sign-in in Express 5')
    const script = Math.max(...scale.map((each: { serverCpuUnderLoad: number }) => each.serverCpuUnderLoad))
    const expected = [1e6, 1e7, 1e8].map((grants) => {
      const [refreshes, shards] = [grants / 3600, Math.ceil(grants / 2e7)]
      return [
        grants.toLocaleString('en'),
        Math.round(refreshes).toLocaleString('en'),
        `${Math.ceil(refreshes / (rps / 2))}`,
        `${shards}`,
        `${(((grants / shards) * memory.bytesPerGrantAfterRotations) / 1e9).toFixed(1)} GB`,
        `${(((refreshes / shards) * script) / 1e4).toFixed(1)} %`,
      ]
    })
    expect(tableUnder('## Scaling', page)).toEqual(expected)
  })

  it('have a row for each server and workload, and the load generator was never the limit', () => {
    const names = rows.map(({ server, workload }) => `${server}, ${workload}`)
    expect(new Set(names).size).toBe(rows.length)
    // PostgreSQL is on the core of the load.
    const full = rows.filter((each) => each.workload !== 'lone refresh' && !/PostgreSQL/.test(each.server))
    for (const { server_busy, load_busy } of full) {
      expect(load_busy).toBeLessThan(server_busy)
    }
  })

  it('count one round trip for a refresh, also with resource, and one winner', () => {
    const keeping = JSON.parse(textOf(`${results}-databases.json`))
    const ofServer = (name: string) => keeping.find(({ server }: { server: string }) => server === name)
    const kept = {
      round_trips: 1,
      round_trips_with_resource: 1,
      refresh_winners: 1,
      code_winners: 1,
      replay_ends_grant: true,
      code_replay_ends_grant: true,
    }
    expect(ofServer('customer-sign-in')).toMatchObject({ commands: { evalsha: 1 }, ...kept })
    expect(ofServer('customer-sign-in, PostgreSQL')).toMatchObject({
      commands: { 'select swap_credential': 1 },
      ...kept,
    })
  })
})
