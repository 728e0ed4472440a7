import { describeWithPostgres } from '../../support/postgres-server'
import { describeWithRedis } from '../../support/redis-server'
import { runNemesis } from './campaign'
import type { Finding } from './checker/finding'
import type { DefectName } from './hosts/defects'
import { nemesisNamed } from './nemeses'
import type { CampaignOptions } from './options'

const options: CampaignOptions = {
  seconds: 6,
  seed: 1,
  clients: 40,
  window: 300,
  tolerance: 10,
  hostTimeout: 2,
  store: 'redis',
}

describeWithRedis('many clients at four host processes', () => {
  it.each(['calm', 'redis-killed', 'scripts-flushed-clients-killed'])('keep what was promised to them: %s', (name) =>
    expectPromisesKept(name, 'redis'),
  )
})

describeWithPostgres('many clients at four host processes on PostgreSQL', () => {
  it.each(['calm', 'postgres-killed', 'connections-to-postgres-cut'])('keep what was promised to them: %s', (name) =>
    expectPromisesKept(name, 'postgres'),
  )
})

describeWithRedis('the checker is awake', () => {
  const seen: [DefectName, Finding['rule'][], Partial<CampaignOptions>][] = [
    ['torn swap', ['a'], { window: 0 }],
    ['deletes nothing', ['c', 'd'], { window: 0, tolerance: 0 }],
    ['random missing', ['b', 'c'], {}],
    ['wrong subject', ['e'], {}],
    ['forgetful mismatch', ['b'], { window: 0 }],
  ]

  it.each(seen)('for a store with a defect: %s', async (defect, rules, terms) => {
    const { violations } = await runNemesis(nemesisNamed('calm'), { ...options, seconds: 5, ...terms, defect })
    expect([...new Set(violations.map(({ rule }) => rule))]).toEqual(expect.arrayContaining(rules))
  })
})

async function expectPromisesKept(name: string, store: CampaignOptions['store']): Promise<void> {
  const { histories, refreshed, violations, history } = await runNemesis(nemesisNamed(name), { ...options, store })
  const file = violations.length > 0 ? history.save(name) : undefined
  expect({ violations, file }).toEqual({ violations: [] })
  expect(histories).toBeGreaterThanOrEqual(options.clients)
  expect(refreshed).toBeGreaterThan(histories)
}
