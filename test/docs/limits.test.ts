import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Everything is measured and packed.
jest.setTimeout(180_000)

const root = join(__dirname, '../..')
const { limits, read } = JSON.parse(readFileSync(join(root, 'limits.json'), 'utf8'))

/** Runs a script of `scripts/limits`, as `npm run` does after the build. */
function run(script: string, ...args: string[]) {
  const tsx = ['--import', 'tsx', join(root, 'scripts/limits', script)]
  return spawnSync(process.execPath, [...tsx, ...args], { cwd: root, encoding: 'utf8' })
}

describe('npm run limits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('fails for a figure above its limit, for one without a limit, and for a limit without a figure, and for no other', () => {
    const report = join(folder, 'report.json')
    const testResults = [{ endTime: 9_000 }, { endTime: 12_500 }, { endTime: 12_000 }]
    writeFileSync(report, JSON.stringify({ startTime: 1_000, testResults }))
    const ample = Object.fromEntries(Object.keys(limits).map((name) => [name, 1e9]))
    const { 'options at the top level': _, ...others } = ample
    const made = join(folder, 'limits.json')
    const changed = {
      ...others,
      'seconds of npm test': 11,
      'files to read for a refresh': read.refresh.length,
      rooms: 1e9,
    }
    writeFileSync(made, JSON.stringify({ limits: changed }))

    const { status, stdout, stderr } = run('main.ts', '--limits', made, '--report', report)

    expect(stderr.split('\n').filter((line) => line.startsWith('limits.json'))).toEqual([
      expect.stringMatching(/^limits.json: options at the top level: today \d+, limit none$/),
      'limits.json: seconds of npm test: today 12, limit 11',
      'limits.json: rooms: today none, limit 1000000000',
    ])
    expect(stdout).toMatch(
      new RegExp(`^files to read for a refresh +${read.refresh.length} +${read.refresh.length}$`, 'm'),
    )
    expect(status).toBe(1)
  })
})

describe('npm run walk', () => {
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
