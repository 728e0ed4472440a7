import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
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
      `for lane in $(node -p 'require("./scripts/lanes.js").names.join(" ")'); do\n  step timeout 20m npm run test:field -- "$lane" `,
    )
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
