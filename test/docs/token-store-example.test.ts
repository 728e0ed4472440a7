import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, snippetFolder, snippetWith } from './pages'

// PostgreSQL compiled to WebAssembly. It brings modules that only Node itself can load, so it runs in a process of its own.
const contract = `
import { PGlite } from '@electric-sql/pglite'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { after, before, describe, it } from 'node:test'
import { PostgresTokenStore, schema } from './postgres-token-store'

const database = new PGlite()
before(() => database.exec(schema))
after(() => database.close())

describe('PostgresTokenStore', () => {
  tokenStoreContract({ describe, it }, () => new PostgresTokenStore(database))

  it('sweeps what has expired, and nothing else', async () => {
    const store = new PostgresTokenStore(database)
    const client = { tenantId: 't', redirectUris: [], createdAt: 0 }
    await store.saveClient({ ...client, clientId: 'expired', expiresAt: Date.now() - 1 })
    await store.saveClient({ ...client, clientId: 'live', expiresAt: Date.now() + 60_000 })
    await store.sweep()
    const { rows } = await database.query("select id from sign_in_clients where id like '%\\"t\\"%'")
    if (JSON.stringify(rows) !== JSON.stringify([{ id: '["t","live"]' }])) throw new Error(JSON.stringify(rows))
  })
})
`

describe('the token store of docs/writing-a-token-store.md', () => {
  it('passes the contract on PostgreSQL', () => {
    const folder = snippetFolder()
    const file = join(folder, 'contract.ts')
    writeFileSync(join(folder, 'postgres-token-store.ts'), snippetWith('export class PostgresTokenStore').code)
    writeFileSync(file, contract)

    const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', '--test', '--test-reporter=tap', file], {
      cwd: root,
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })

    expect(stdout.match(/^ *not ok .*$/gm)).toBeNull()
    expect(status).toBe(0)
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(25)
  }, 60_000)
})
