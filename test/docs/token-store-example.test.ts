import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, snippetFolder, snippetWith } from './pages'

// PostgreSQL compiled to WebAssembly. It has modules that only Node itself can load, so it runs in a separate process.
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

  const rowsOf = async (table: string) => (await database.query(\`select * from \${table}\`)).rows
  tokenStoreContract({ describe, it }, () => store, {
    contents: async () => [await rowsOf('sign_in_grants'), await rowsOf('sign_in_clients'), await rowsOf('sign_in_used')],
  })

  it('ends no grant if it is not told whose grants to end', async () => {
    const grants = store.deleteGrants({ tenantId: 't' })[Symbol.asyncIterator]()
    await assert.rejects(grants.next(), /whose grants/)
  })

  it('deletes what has expired, and nothing else', async () => {
    const grant = {
      tenantId: 't', clientId: 'app', subject: 'ada', scopes: [], resource: 'urn:api', deadline: Infinity,
      credential: { kind: 'code', hash: '' }, request: { redirectUri: '', codeChallenge: '' },
    } as const
    await store.createGrant({ ...grant, grantId: 'expired', lifetime: 0 })
    await store.createGrant({ ...grant, grantId: 'live', lifetime: 60_000 })
    const client = { tenantId: 't', redirectUris: [] }
    const limits = { perTenant: 100, total: 100 }
    await store.saveClient({ ...client, clientId: 'expired', lifetime: 0 }, limits)
    await store.saveClient({ ...client, clientId: 'live', lifetime: 60_000 }, limits)
    await store.useOnce('t', 'expired', 0)
    await store.useOnce('t', 'live', 60_000)
    await store.sweep()
    for (const table of ['sign_in_grants', 'sign_in_clients', 'sign_in_used']) {
      const { rows } = await database.query(\`select id from \${table} where id like '%"t"%'\`)
      assert.deepEqual(rows, [{ id: '["t","live"]' }])
    }
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
