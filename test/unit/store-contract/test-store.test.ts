import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(__dirname, '../../..')
const sources = JSON.stringify(join(root, 'src'))

describe('npm run test:store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'my-store-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  function testStore(code: string) {
    writeFileSync(join(folder, 'my-store.ts'), `import { MemoryTokenStore } from ${sources}\n${code}`)
    // A runner that is started by another one reports to that one, unless it does not know of it.
    const { NODE_TEST_CONTEXT, ...env } = process.env
    const args = ['--import', 'tsx', join(root, 'scripts/test-store.ts'), join(folder, 'my-store')]
    return spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  }

  it('passes a store that keeps the contract', () => {
    const { status, stdout } = testStore(`
      const store = new MemoryTokenStore()
      export const createStore = () => store
      export const contents = () => store.contents()
      export const close = () => console.log('closed')`)
    expect(stdout).toMatch(/^# fail 0$|ℹ fail 0$/m)
    expect(stdout).toContain('what is left in the store')
    expect(stdout).toContain('closed')
    expect(status).toBe(0)
  })

  it('fails a store that breaks it, and says where', () => {
    const { status, stdout } = testStore(`
      export const createStore = async () => Object.assign(new MemoryTokenStore(), { useOnce: async () => true })`)
    expect(stdout).toMatch(/^# fail [1-9]|ℹ fail [1-9]/m)
    expect(stdout).toContain('what may be used once')
    expect(status).toBe(1)
  })

  it('says in one line what a module lacks', () => {
    const { status, stderr } = testStore('export const store = new MemoryTokenStore()')
    expect(stderr).toBe(`${join(folder, 'my-store')} exports no function createStore\n`)
    expect(status).toBe(1)
  })
})
