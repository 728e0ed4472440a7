import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, snippetFolder, snippetWith } from './pages'

// PostgreSQL compiled to WebAssembly. It brings modules that only Node itself can load, so it runs in a process of its own.
const contract = `
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { PostgresTokenStore, schema } from './postgres-token-store'

const database = new PGlite()
before(() => database.exec(schema))
after(() => database.close())

describe('PostgresTokenStore', () => {
  const store = new PostgresTokenStore(database)
  const now = Date.now()
  const grant = {
    tenantId: 'many', clientId: 'app', subject: 'ada', scope: '', resource: 'urn:api',
    createdAt: now, expiresAt: now + 3_600_000, credential: { kind: 'code', hash: 'first' },
  } as const

  tokenStoreContract({ describe, it }, () => store)

  it('scans more grants than one page has', async () => {
    const ids = Array.from({ length: 2001 }, (_, index) => String(index))
    for (const grantId of ids) await store.createGrant({ ...grant, grantId })
    const scanned: string[] = []
    for await (const { grantId } of store.scanGrants('many')) scanned.push(grantId)
    assert.deepEqual(scanned.sort(), ids.sort())
  })

  it('rejects a swap that comes minutes late, and applies nothing of it', async () => {
    await store.createGrant({ ...grant, tenantId: 'late', grantId: 'late' })
    const late = { now: now - 5 * 60_000, expiresAt: grant.expiresAt, attempt: 'a' }
    const swap = { tenantId: 'late', grantId: 'late', from: 'first', to: 'second', ...late }
    await assert.rejects(store.swapCredential(swap), /minutes late/)
    assert.equal((await store.findGrant('late', 'late'))?.credential.hash, 'first')
  })

  it('sweeps what has expired, and nothing else', async () => {
    const client = { tenantId: 't', redirectUris: [], createdAt: 0 }
    await store.saveClient({ ...client, clientId: 'expired', expiresAt: Date.now() - 1 }, 100)
    await store.saveClient({ ...client, clientId: 'live', expiresAt: Date.now() + 60_000 }, 100)
    await store.sweep()
    const { rows } = await database.query("select id from sign_in_clients where id like '%\\"t\\"%'")
    assert.deepEqual(rows, [{ id: '["t","live"]' }])
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
  })
})
