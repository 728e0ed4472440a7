import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathOf } from '../../../scripts/redis-process'
import { describeWith } from '../../support/describe-with'

// `npx tsx examples/observability/main.ts`
const command = ['--import', 'tsx', join('examples', 'observability', 'main.ts')]
const folder = join('examples', 'observability')
const describeWithPrometheus = describeWith('prometheus', pathOf('prometheus') && pathOf('promtool'))

interface Dashboard {
  panels: { id: number; title: string; gridPos: { x: number; w: number }; targets: { refId: string }[] }[]
}

describeWithPrometheus('the observability example', () => {
  it('shows data for each panel of the dashboard and each alert on a real Prometheus, and ends by itself', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...command, '--once'], {
      encoding: 'utf8',
      timeout: 300_000,
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.match(/^\d+\. .+$/gm)).toEqual([
      '1. The spans of a refresh',
      '2. The dashboard',
      '3. The alerts, in a bad hour',
    ])
    const dashboard: Dashboard = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8'))
    for (const { title } of dashboard.panels) expect(stdout).toMatch(new RegExp(`^   ${title}: [1-9]\\d* series$`, 'm'))
    const alerts = [...readFileSync(join(folder, 'alerts.yml'), 'utf8').matchAll(/- alert: (\w+)/g)]
    expect(alerts.length).toBeGreaterThan(5)
    for (const [, alert] of alerts) expect(stdout).toMatch(new RegExp(`^   ${alert}: (pending|firing)$`, 'm'))
    expect(stdout).toMatch(/Every step went as it should\.\s*$/)
  })

  it('has alerts that promtool accepts, and that fire when they should and only then', () => {
    for (const args of [
      ['check', 'rules', join(folder, 'alerts.yml')],
      ['test', 'rules', join(folder, 'alerts.test.yml')],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
      expect({ args, status, output: status === 0 ? '' : stdout + stderr }).toEqual({ args, status: 0, output: '' })
    }
  })
})

describe('the dashboard', () => {
  it('has panels with ids of their own, inside of the width of a dashboard', () => {
    const { panels }: Dashboard = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8'))
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { gridPos, targets } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    }
  })
})
