import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { globsToMatcher } from 'jest-util'
import { nightlyParts } from '../../scripts/parts/nightly-parts'
import { root, textOf } from './pages'

const lanes: {
  names: string[]
  waiting: string[]
  computing: string[]
  ofNightly: string[]
  testMatchOf(lane: string | undefined): string[]
} = require('../../scripts/lanes')
const sensitive: { nodeSensitiveTests(): string[]; isSensitive(source: string): boolean } =
  require('../../scripts/node-sensitive-tests')

const files = ['test', 'examples'].flatMap(testsUnder)

/** The files of tests under a folder, without folders like `.snippets`, in which other tests make and remove files meanwhile. */
function testsUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /^(\.|node_modules$)/.test(entry.name) ? [] : testsUnder(path)
    return entry.name.endsWith('.test.ts') ? [path] : []
  })
}

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

  it('are each run by the gate or by the nightly', () => {
    expect([...lanes.waiting, ...lanes.computing, ...lanes.ofNightly].sort()).toEqual([...lanes.names].sort())
    const commands = nightlyParts.flatMap(({ commands }) => commands.map((command) => command.join(' ')))
    for (const lane of lanes.ofNightly) expect(commands).toContain(`npm run test:field -- ${lane}`)
    const gate = textOf('scripts/parts/gate.ts')
    expect(gate).toContain('lanes.computing.map((lane) => ofLane(lane))')
    expect(gate).toContain('lanes.waiting.map((lane) => ofLane(lane, ')
  })
})

describe('the tests for the other versions of Node', () => {
  const chosen = sensitive.nodeSensitiveTests()

  it.each([
    'test/unit/tokens/signing-keys.test.ts',
    'test/unit/host/call-host.test.ts',
    'test/unit/http/responses.test.ts',
    'test/unit/protocol/digest-mac.test.ts',
  ])('have %s, whose source imports such a module or sets a timer', (file) => {
    expect(chosen).toContain(file)
  })

  it.each([
    ['whose source imports no such module', 'test/unit/collections/bounded-map.test.ts'],
    ['whose source imports types alone', 'test/unit/http/request-address.test.ts'],
    ['that mirrors no source', 'test/unit/http/cors.test.ts'],
    ['of the lane `stores`', 'test/unit/store-contract/token-store-contract.test.ts'],
  ])('leave out one %s', (_, file) => {
    expect(files).toContain(file)
    expect(chosen).not.toContain(file)
  })

  it('are files of test/unit, each once', () => {
    const unit = files.filter((file) => file.startsWith('test/unit/'))
    expect(chosen.filter((file) => !unit.includes(file))).toEqual([])
    expect(new Set(chosen).size).toBe(chosen.length)
  })

  it.each([
    ["import { hash, type KeyObject } from 'node:crypto'", true],
    ["import {\n  createServer,\n  type Server,\n} from 'node:http'", true],
    ["import timers from 'node:timers'", true],
    ["import { buffer } from 'node:stream/consumers'", true],
    ["import 'node:tls'", true],
    ['const timer = setTimeout(late, limit)', true],
    ["import type { KeyObject } from 'node:crypto'", false],
    ["import { type Server, type IncomingMessage } from 'node:http'", false],
    ["import { inspect } from 'node:util'\nimport type { Socket } from 'node:net'", false],
    ['clearTimeout(timer)', false],
  ])('are chosen for %j: %s', (source, isChosen) => {
    expect(sensitive.isSensitive(source)).toBe(isChosen)
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
