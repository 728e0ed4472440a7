// Runs `npm test`, or the lanes of `npm run test:field`: all of them, or the one that its first argument names. Jest gets all other arguments.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import lanes from './lanes.js'

const root = join(import.meta.dirname, '..')
const [, , command, ...rest] = process.argv
const [first = '-'] = rest
const lane = lanes.names.find((name) => name === first)

if (command === 'field' && !lane && !first.startsWith('-')) fail(`There is no lane ${first}: ${lanes.names.join(', ')}`)
const missing = await whatIsMissing()
if (missing.length > 0) fail(`${missing.join(', ')}: not installed. Run "npm run setup" first.`)

const chosen = command === 'field' ? (lane ? [lane] : lanes.names) : [undefined]
const testMatch = chosen.flatMap(lanes.testMatchOf).map((glob) => `--testMatch=${glob}`)
if (process.env.BUILT !== 'true') run('npm', ['run', 'build', '--silent'])
run(join(root, 'node_modules/.bin/jest'), [...testMatch, ...(lane ? rest.slice(1) : rest)])

/** What `npm test` cannot do without. The suites of the lanes say themselves what they need. */
async function whatIsMissing() {
  if (!existsSync(join(root, 'node_modules/.bin/jest'))) return ['The packages']
  if (command === 'field') return []
  const { tsImport } = await import('tsx/esm/api')
  const load = (file) => tsImport(`./${file}.ts`, import.meta.url)
  const { redisServerPath } = await load('redis-process')
  const { postgresVersions } = await load('postgres-process')
  const { findChromium } = await load('chromium')
  const found = { Redis: redisServerPath, PostgreSQL: postgresVersions[0], Chromium: findChromium() }
  return Object.keys(found).filter((name) => !found[name])
}

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
