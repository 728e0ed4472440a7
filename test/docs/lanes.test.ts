import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { globsToMatcher } from 'jest-util'
import { root, textOf } from './pages'

const lanes: { names: string[]; testMatchOf(lane: string | undefined): string[] } = require('../../scripts/lanes')

const files = ['test', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`),
)

/** Runs `npm test` or `npm run test:field` on a machine without any programs. */
function run(...args: string[]) {
  const env = { PATH: '/nowhere', CHROMIUM_PATH: '/nowhere/chromium' }
  return spawnSync(process.execPath, [join(root, 'scripts/test.mjs'), ...args], { env, encoding: 'utf8' })
}

describe('the lanes', () => {
  it('have each file of tests in exactly one, or in npm test', () => {
    const matchers = [undefined, ...lanes.names].map((lane) => globsToMatcher(lanes.testMatchOf(lane)))
    const lanesOf = (file: string) => matchers.filter((isIn) => isIn(join(root, file))).length
    expect(files.length).toBeGreaterThan(200)
    expect(files.filter((file) => lanesOf(file) !== 1)).toEqual([])
  })

  it('have no glob that matches nothing', () => {
    const empty = lanes.names.flatMap(lanes.testMatchOf).filter((glob) => {
      const isIn = globsToMatcher([glob])
      return !files.some((file) => isIn(join(root, file)))
    })
    expect(empty).toEqual([])
  })

  it('are all run by .ci/run', () => {
    expect(textOf('.ci/run')).toContain(
      `for lane in $(node -p 'require("./scripts/lanes.js").names.join(" ")'); do\n  tests "$lane" npm run test:field -- "$lane"\n`,
    )
  })

  it.each([
    [1, 0, ['/file-0.test.ts'], 0],
    [3, 0, ['/file-0.test.ts', '/file-1.test.ts', '/file-2.test.ts'], 0],
    [4, 1, [], 4],
    [0, 1, [], 0],
  ])('are run once more by .ci/run where %i files failed: %i', (count, status, printed, left) => {
    const failed = Array.from({ length: count }, (_, index) => ({ name: `/file-${index}.test.ts`, status: 'failed' }))
    const folder = mkdtempSync(join(tmpdir(), 'results-'))
    const path = join(folder, 'results.json')
    const testResults = [...failed, { name: '/passed.test.ts', status: 'passed' }]
    const results = testResults.map((file) => ({ ...file, assertionResults: [{ status: file.status }] }))
    writeFileSync(path, JSON.stringify({ numFailedTests: count, numRuntimeErrorTestSuites: 0, testResults: results }))
    const ended = spawnSync(process.execPath, [join(root, '.ci/failed-files.js'), path], { encoding: 'utf8' })
    const after = JSON.parse(readFileSync(path, 'utf8'))
    rmSync(folder, { recursive: true })
    expect({ status: ended.status, printed: ended.stdout.split('\n').filter(Boolean) }).toEqual({ status, printed })
    expect({ failed: after.numFailedTests, files: after.testResults.length }).toEqual({ failed: left, files: left + 1 })
  })
})

describe('npm test', () => {
  it('says in one line what is not set up, and runs nothing', () => {
    const { status, stdout, stderr } = run('unit')
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Redis, Chromium: not installed. Run "npm run setup" first.\n',
    })
  })
})

describe('npm run test:field', () => {
  it('knows its lanes', () => {
    const { status, stderr } = run('field', 'everything')
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^There is no lane everything: .*\bfaults\b.*\n$/),
    })
  })
})
