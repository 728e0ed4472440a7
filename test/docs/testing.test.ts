import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describeWith } from '../support/describe-with'
import { root, snippetFolder, snippetsOf, tableUnder, textOf } from './pages'

const page = 'docs/testing.md'
const folder = snippetFolder()
const packages = join(root, 'test/field/vitest/node_modules')
const execute = promisify(execFile)

const refusals = ['expired', 'revoked', 'ofAnotherTenant', 'forged'].map((fault) => `refuses a token that is ${fault}`)
const ofEachRunner = ['shows customers their own bookings', ...refusals]
const ofJest = ['refuses a token without the scope', 'goes on after a refresh, and ends with the grant']

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

/** Runs a test runner in the folder of the snippets. It has to end by itself and well. @returns The names of the tests that passed. */
async function passed(...args: string[]): Promise<string[]> {
  // A runner that is started by another one reports to that one, unless it does not know of it.
  const { NODE_ENV, NODE_TEST_CONTEXT, JEST_WORKER_ID, ...env } = process.env
  const options = { cwd: folder, env: { ...env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') }, maxBuffer: 2 ** 26 }
  const { stdout, stderr } = await execute(process.execPath, args, options)
  const printed = stdout + stderr
  expect(printed).not.toMatch(/CUSTOMER_SIGN_IN|open handle|did not exit|hanging/i)
  const names = /^ *(?:✓|ok \d+ -) (?:\S+\.ts > )?(.+?)(?: \(?\d+ ?ms\)?)?$/gm
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
  return [...printed.replace(/\x1b\[\d+m/g, '').matchAll(names)].map(([, name = '']) => name)
}

/** What the table says a runner's fake timers are moved with, as a test. */
function timersOf(runner: string, imports: string): string {
  const [, cell = ''] = tableUnder('## Time', page).find(([name]) => name === runner) ?? []
  const [start, move, stop] = [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  return `${imports}
import { testSignIn, tokensFor } from 'customer-sign-in/testing'

it('moves the time', async () => {
  ${start}
  const signIn = testSignIn()
  const { accessToken } = await tokensFor(signIn, { tenantKey: 'acme', subject: 'cus_W2kq8ZpX4nTb' })
  await signIn.verifyAccessToken(accessToken, { tenantKey: 'acme' })
  ${move}
  const refusal = await signIn.verifyAccessToken(accessToken, { tenantKey: 'acme' }).catch(String)
  ${stop}
  if (refusal !== 'OAuthError: invalid_token: The access token has expired') throw new Error(String(refusal))
})
`
}

describe('docs/testing.md', () => {
  beforeAll(() => {
    write('package.json', JSON.stringify({ type: 'module' }))
    for (const { code, line } of snippetsOf(page)) {
      const [, name = `line-${line}.test.ts`] = /^\/\/ ([\w.]+\.ts)$/m.exec(code) ?? []
      // What production runs waits for a database.
      if (name === 'app.ts' || code.includes("it('")) write(name, code)
      // For vitest, the page says what to add.
      const [added = ''] = /import .* from 'vitest'/.exec(textOf(page)) ?? []
      if (name === 'app.test.ts') write('app.vitest.ts', `${added}\n${code}`)
    }
    write('timers.test.ts', timersOf('jest', ''))
    write('timers.node.ts', timersOf('node:test', "import { it, mock } from 'node:test'"))
    write('timers.vitest.ts', timersOf('vitest', "import { it, vi } from 'vitest'"))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has tests that pass with jest, and leave nothing open', async () => {
    const base = require(join(root, 'jest.config.js'))
    const moduleNameMapper = { ...base.moduleNameMapper, '^(\\./.*)\\.js$': '$1' }
    const own = { rootDir: root, roots: [folder], modulePathIgnorePatterns: [], moduleNameMapper }
    write('jest.config.json', JSON.stringify({ ...base, ...own }))
    const jestFile = join(root, 'node_modules/jest/bin/jest.js')
    const names = await passed(jestFile, '--config', 'jest.config.json', '--verbose', '--detectOpenHandles')
    const ofOthers = [
      'gives no token to a deactivated customer',
      'leads a client to the token endpoint',
      'knows the people of a company by their email',
      'moves the time',
    ]
    const ofLogin = ['asks customers to log in', 'asks customers who are logged in for their consent']
    const ofBeginning = ['shows customers their own bookings']
    expect(names.sort()).toEqual([...ofBeginning, ...ofEachRunner, ...ofJest, ...ofOthers, ...ofLogin].sort())
  })

  it('has tests that pass with node:test', async () => {
    const names = await passed('--import', 'tsx', '--test', '--test-reporter=tap', 'timers.node.ts')
    expect(names).toContain('moves the time')
  })

  describeWith('test/field/vitest/node_modules', existsSync(packages))('with vitest', () => {
    it('has tests that pass', async () => {
      mkdirSync(join(folder, 'node_modules'))
      symlinkSync(join(packages, 'vitest'), join(folder, 'node_modules/vitest'))
      const alias = {
        'customer-sign-in/testing': join(root, 'src/testing/index.ts'),
        'customer-sign-in': join(root, 'src/index.ts'),
      }
      const config = { resolve: { alias }, test: { include: ['*.vitest.ts'] } }
      write('vitest.config.mjs', `export default ${JSON.stringify(config)}`)
      const names = await passed(join(packages, 'vitest/vitest.mjs'), 'run', '--reporter=verbose')
      expect(names.sort()).toEqual([...ofEachRunner, ...ofJest, 'moves the time'].sort())
    })
  })
})
