import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nightlyParts } from '../../scripts/parts/nightly-parts'
import { mostLandings, NightlyRecord } from '../../scripts/parts/nightly-record'
import { onNode } from '../../scripts/parts/other-node'
import { type Command, run } from '../../scripts/parts/part'
import { eventually } from '../support/redis-server'
import { root, textOf } from './pages'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const node = (code: string): Command => [process.execPath, '-e', code]

describe('a part', () => {
  const runs = (commands: Command[], minutes = 10) => run({ name: 'part', commands, minutes }, join(folder, 'log'))

  it('passes if all of its commands do, and keeps what they printed', async () => {
    const { passed, output } = await runs([node('console.log("one")'), node('console.error("two")')])
    expect(passed).toBe(true)
    expect(output.replace(/^\$.*$/gm, '').match(/\w+/g)).toEqual(['one', 'two'])
  })

  it('fails with its first command that fails, and runs none after it', async () => {
    const { passed, output } = await runs([node('process.exit(3)'), node('console.log("never")')])
    expect(passed).toBe(false)
    expect(output).toMatch(/ended with status 3\.\n$/)
  })

  it('ends a command that hangs, with all that it has started', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])`
    const { passed, output } = await runs([node(`console.log(${child}.pid); setInterval(() => {}, 1e6)`)], 2 / 60)
    expect(passed).toBe(false)
    const [, pid] = /^(\d+)$/m.exec(output) ?? []
    await eventually(async () => !isRunning(pid))
  })

  it('gives its commands another Node first on their PATH', () => {
    const { commands, env } = onNode('22', { name: 'part', commands: [['npm', 'test']], minutes: 1 })
    expect(commands.at(-1)).toEqual(['npm', 'test'])
    expect(env?.PATH).toMatch(/^[^:]+node-22[^:]+:/)
    expect(env?.PATH?.endsWith(`:${process.env.PATH}`)).toBe(true)
  })
})

describe('nightly.json', () => {
  const parts = ['grants', 'pages'].map((name) => ({ name, commands: [], minutes: 1, reach: [`src/${name}`] }))
  const lastRun = { day: '2026-11-29', seconds: 60, failures: 0 }
  let record: NightlyRecord

  beforeEach(() => {
    git('init', '--quiet')
    commit('nightly.json', '{}')
    record = new NightlyRecord(folder, parts)
  })

  function git(...args: string[]): string {
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@customer.example', '-c', 'commit.gpgsign=false']
    return execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' }).trim()
  }

  /** @returns The commit. */
  function commit(file: string, text: string): string {
    const path = join(folder, file)
    execFileSync('mkdir', ['-p', join(path, '..')])
    writeFileSync(path, text)
    git('add', file)
    git('commit', '--quiet', '--message', file)
    return git('rev-parse', 'HEAD')
  }

  const textOfRecord = () => readFileSync(join(folder, 'nightly.json'), 'utf8')

  /** Every part passes, and that lands. */
  function land(): void {
    const head = git('rev-parse', 'HEAD')
    for (const { name } of parts) record.write(name, { ...lastRun, commit: head })
    commit('nightly.json', textOfRecord())
  }

  const due = () => record.partsToRun([], { resume: true }).map(({ name }) => name)

  it('has a part that never ran as due', () => {
    expect(due()).toEqual(['grants', 'pages'])
    expect(record.states().map(({ landings }) => landings)).toEqual([1, 1])
  })

  it('has no part as due that passed, until something changes that it may notice', () => {
    land()
    commit('docs.md', 'Words')
    expect(due()).toEqual([])
    commit('src/pages/page.ts', 'changed')
    expect(due()).toEqual(['pages'])
    expect(record.partsToRun([], { resume: false }).map(({ name }) => name)).toEqual(['pages', 'grants'])
  })

  it('has a part that failed as due', () => {
    land()
    record.write('grants', { ...lastRun, failures: 2, commit: git('rev-parse', 'HEAD') })
    expect(due()).toEqual(['grants'])
  })

  it('has a part as due whose commit is gone', () => {
    land()
    record.write('pages', { ...lastRun, commit: 'f'.repeat(40) })
    expect(due()).toEqual(['pages'])
  })

  it('has a part as due before it is older than the gate allows', () => {
    land()
    for (let day = 0; day < mostLandings; day++) commit('nightly.json', '\n'.repeat(day + 1) + textOfRecord())
    expect(record.states().map(({ landings }) => landings)).toEqual([mostLandings + 1, mostLandings + 1])
    expect(due()).toEqual(['grants', 'pages'])
  })

  it('says how many changes have landed since each part ran, and the oldest runs first', () => {
    land()
    commit('docs.md', 'One change')
    record.write('grants', { ...lastRun, commit: git('rev-parse', 'HEAD') })
    commit('nightly.json', textOfRecord())
    expect(record.states().map(({ landings }) => landings)).toEqual([1, 2])
    expect(record.partsToRun([], { resume: false }).map(({ name }) => name)).toEqual(['pages', 'grants'])
  })

  it('names the parts, if another one is asked for', () => {
    expect(() => record.partsToRun(['games'], { resume: false })).toThrow(
      'There is no part "games". The parts are: grants, pages',
    )
  })
})

describe('the nightly', () => {
  it('has no part that takes longer than a run, and none that may notice what does not exist', () => {
    for (const { name, minutes, reach } of nightlyParts) {
      expect([name, minutes < 60]).toEqual([name, true])
      for (const path of reach.filter((each) => !each.startsWith(':')))
        expect(() => execFileSync('ls', [path], { cwd: root, stdio: 'pipe' })).not.toThrow()
    }
  })

  it('has a record of no part that there is not', () => {
    const names = nightlyParts.map(({ name }) => name)
    expect(Object.keys(JSON.parse(textOf('nightly.json'))).filter((name) => !names.includes(name))).toEqual([])
  })
})

/** Whether it is more than an entry in the table of processes. */
function isRunning(pid = ''): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' })
  return stdout !== '' && !stdout.startsWith('Z')
}
