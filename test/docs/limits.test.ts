import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { circlesAndFloors } from '../../scripts/limits/circles'
import { figuresOfSources } from '../../scripts/limits/figures'

const root = join(__dirname, '../..')
const { read, trends } = JSON.parse(readFileSync(join(root, 'limits.json'), 'utf8'))

/** Runs a script of `scripts/limits`, as `npm run` does after the build. */
function run(script: string, ...args: string[]) {
  const tsx = ['--import', 'tsx', join(root, 'scripts/limits', script)]
  const { stderr, ...ran } = spawnSync(process.execPath, [...tsx, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, LIMITS_SRC: src },
  })
  return { ...ran, failures: stderr.split('\n').filter((line) => line.startsWith('limits.json')) }
}

const folder = mkdtempSync(join(tmpdir(), 'limits-'))
const src = join(folder, 'src')
beforeEach(() => cpSync(join(root, 'src'), src, { recursive: true }))
afterEach(() => rmSync(src, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true }))

describe('npm run limits', () => {
  const made = join(folder, 'limits.json')
  const today = figuresOfSources()
  const pairs = 'pairs of folders in a circle'

  /** Runs it without what is measured on the build, with ample limits except for some. A limit of undefined is left out. */
  function limits(except: { promises?: object; trends?: object }, ...args: string[]) {
    const isTrend = (name: string) => name in trends
    const promises = Object.fromEntries(Object.keys(today).map((name) => [name, isTrend(name) ? undefined : 1e6]))
    const last = Object.fromEntries(Object.entries(today).filter(([name]) => isTrend(name)))
    const all = { read, promises: { ...promises, ...except.promises }, trends: { ...last, ...except.trends } }
    writeFileSync(made, JSON.stringify(all, null, 2))
    return run('main.ts', '--sources', '--limits', made, ...args)
  }

  it('fails for a promise above its limit, for a figure without a limit, and for a limit without a figure, and for no other', () => {
    const { status, stdout, failures } = limits({
      promises: { 'options at the top level': undefined, 'levels of options': 1, [pairs]: today[pairs], rooms: 9 },
      trends: { storeys: 3 },
    })

    expect(failures).toEqual([
      'limits.json: levels of options: today 2, limit 1',
      'limits.json: rooms: today none, limit 9',
      'limits.json: storeys: today none, limit 3',
      `limits.json: options at the top level: today ${today['options at the top level']}, limit none`,
    ])
    expect(stdout).toMatch(new RegExp(`^${pairs} +${today[pairs]} +${today[pairs]}$`, 'm'))
    expect(stdout).toMatch(/^arrows up +0 +1000000 +below$/m)
    expect(status).toBe(1)
  })

  it('fails for a circle of folders that are in one layer, and names it', () => {
    appendFileSync(join(src, 'host/guarded-store.ts'), "import type {} from '../http/body'\n")
    const { status, stdout, failures } = limits({ promises: { [pairs]: today[pairs] } })
    expect(failures).toEqual([`limits.json: ${pairs}: today ${Number(today[pairs]) + 1}, limit ${today[pairs]}`])
    expect(stdout).toMatch(/^ {2}host, http$/m)
    expect(status).toBe(1)
  })

  it('does not fail for a trend that grows, and prints it beside the last one', () => {
    appendFileSync(join(src, 'store.ts'), '// One more line.\n')
    const report = join(folder, 'report.json')
    const testResults = [{ endTime: 9_000 }, { endTime: 12_500 }, { endTime: 12_000 }]
    writeFileSync(report, JSON.stringify({ startTime: 1_000, testResults }))

    const { status, stdout, failures } = limits({ trends: { 'seconds of npm test': 11 } }, '--report', report)

    const lines = Number(today['lines of src'])
    expect(stdout).toMatch(new RegExp(`^lines of src +${lines + 1} +${lines} +\\+1$`, 'm'))
    expect(stdout).toMatch(/^seconds of npm test +12 +11 +\+1$/m)
    expect(failures).toEqual([])
    expect(status).toBe(0)
  })

  it('records the trends of today, keeps those that were not measured, and leaves all else', () => {
    const { status } = limits({ trends: { 'files of src': 1, 'seconds of npm test': 11 } }, '--record')
    const { trends: recorded, ...others } = JSON.parse(readFileSync(made, 'utf8'))
    expect(recorded).toMatchObject({ 'files of src': today['files of src'], 'seconds of npm test': 11 })
    expect(others).toEqual({ read, promises: expect.objectContaining({ [pairs]: 1e6 }) })
    expect(status).toBe(0)
  })
})

describe('circles and floors', () => {
  it('are those of the imports, and a circle is on one floor', () => {
    const imports = { top: ['left', 'right'], left: ['right'], right: ['deep'], deep: ['left', 'ground'], ground: [] }
    expect(circlesAndFloors(new Map(Object.entries(imports)))).toEqual({
      circles: ['deep, left, right'],
      pairs: 3,
      floors: 3,
    })
  })
})

describe('npx tsx scripts/limits/walk.ts', () => {
  it('lists the files whose functions a request enters, in the order of their first entry', () => {
    const { stdout } = run('walk.ts', 'refresh')
    const files = [...stdout.matchAll(/src\/(.+)\.ts$/gm)].map(([, file]) => file)
    const known = ['router', 'tenants/tenants', 'endpoints/token', 'grants/redemptions', 'grants/swaps', 'host/emitter']
    expect(files.filter((file = '') => known.includes(file))).toEqual(known)
    expect(files).not.toContain('endpoints/authorize')
    expect(files).not.toContain('index')
  })

  it('marks those to read, which CONTRIBUTING.md lists', () => {
    const { stdout } = run('walk.ts', 'refresh')
    const marked = [...stdout.matchAll(/^\* .*src\/(.+)\.ts$/gm)].map(([, file]) => file)
    const page = readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8')
    const listed = [...page.matchAll(/^\d+\. \[`[^`]+`\]\(\.\.\/src\/(.+)\.ts\)/gm)].map(([, file]) => file)
    expect(listed.sort()).toEqual([...read.refresh].sort())
    expect(marked.sort()).toEqual(listed)
  })
})
