import { textOf } from './pages'

/** A row of bench/results/node-24.json. */
interface Row {
  server: string
  workload: string
  server_busy: number
  load_busy: number
}

describe.each([24, 26])('the figures of Node %i that docs/performance.md is made from', (version) => {
  const results = `bench/results/node-${version}`

  it('have a row for each server and workload, and the load generator was never the limit', () => {
    const rows: Row[] = JSON.parse(textOf(`${results}.json`))
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
