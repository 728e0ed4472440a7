import { rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { snippetFolder, snippetWith } from '../../../docs/pages'
import { runNode } from '../command'

// Its own process: jest does not know modules that Node has only with the prefix `node:`.
const contract = `
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { sqliteTokenStore } from './sqlite-token-store'

describe('sqliteTokenStore', () => {
  const store = sqliteTokenStore('contract.db')
  const database = new DatabaseSync('contract.db')
  const rowsOf = (table: string): unknown[] => database.prepare(\`select * from \${table}\`).all()
  const tables = ['grants', 'used']
  tokenStoreContract({ describe, it }, () => store, { contents: () => [...tables, 'ended'].map(rowsOf) })

  it('deletes what has expired, and nothing else', async () => {
    const grant = {
      tenantId: 'sweep', clientId: 'app', subject: 'ada', scopes: [], resource: 'urn:api', deadline: Infinity,
      credential: { kind: 'code', hash: '' }, request: { redirectUri: '', codeChallenge: '' },
    } as const
    for (const [id, lifetime] of [['expired', 0], ['live', 60_000]] as const) {
      await store.createGrant({ ...grant, grantId: id, lifetime })
      await store.useOnce('sweep', id, lifetime)
    }
    store.sweep()
    for (const table of tables) {
      const rows = database.prepare(\`select id from \${table} where tenant = '["sweep"]'\`).all()
      assert.deepEqual(rows.map(({ id }) => id), ['["sweep","live"]'])
    }
  })
})
`

const rounds = 20
const racers = ['0', '1', '2', '3']

// Waits for the other racers. Then it tries to redeem the code of each grant, and prints for which grants it did.
const racer = `
import { setTimeout } from 'node:timers/promises'
import { sqliteTokenStore } from './sqlite-token-store'

async function race(self: string) {
  const store = sqliteTokenStore('race.db')
  const code = { kind: 'code', hash: 'code' } as const
  const grant = {
    tenantId: 'race', clientId: 'app', subject: 'ada', scopes: [], resource: 'urn:api', lifetime: 600_000, deadline: Infinity,
    credential: code, request: { redirectUri: '', codeChallenge: '' },
  }
  await store.createGrant({ ...grant, grantId: \`ready \${self}\` })
  for (const other of ${JSON.stringify(racers)}) {
    while (!(await store.findGrant('race', \`ready \${other}\`))) await setTimeout(10)
  }
  const redeemed: number[] = []
  for (let round = 0; round < ${rounds}; round++) {
    const grantId = String(round)
    await store.createGrant({ ...grant, grantId })
    const swap = { from: 'code', to: \`of \${self}\`, attempt: self, redeems: ['code'], remember: 0, rest: 0 }
    const { outcome } = await store.swapCredential({ tenantId: 'race', grantId, lifetime: 600_000, deadline: Infinity, ...swap })
    if (outcome === 'swapped') redeemed.push(round)
    else if (outcome !== 'mismatch') throw new Error(outcome)
  }
  console.log(JSON.stringify(redeemed))
}
race(process.argv[2] ?? '')
`

if (isBuiltin('node:sqlite')) describe('the token store of docs/writing-a-token-store.md', definedTests)
else {
  process.stderr.write('\nSKIPPED: the token store of docs/writing-a-token-store.md: this Node has no node:sqlite\n\n')
  describe.skip('the token store of docs/writing-a-token-store.md', definedTests)
}

function definedTests(): void {
  let folder: string
  beforeAll(() => {
    folder = snippetFolder()
    const { code } = snippetWith('export function sqliteTokenStore')
    expect(code).toContain('busy_timeout = 2000')
    // On a busy machine, who has the lock can wait longer for a core.
    const patient = code.replace('busy_timeout = 2000', 'busy_timeout = 60000')
    writeFileSync(join(folder, 'sqlite-token-store.ts'), patient)
    writeFileSync(join(folder, 'contract.ts'), contract)
    writeFileSync(join(folder, 'racer.ts'), racer)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('passes the contract', async () => {
    const report = await runNode(['--import', 'tsx', '--test', '--test-reporter=tap', 'contract.ts'], folder)
    expect(report).toMatch(/^# fail 0$/m)
    expect(Number(/^# pass (\d+)$/m.exec(report)?.[1])).toBeGreaterThan(25)
  })

  it('lets one of several processes redeem a credential', async () => {
    const racing = racers.map((self) => runNode(['--import', 'tsx', 'racer.ts', self], folder))
    const redeemed = (await Promise.all(racing)).flatMap((printed) => JSON.parse(printed) as number[])
    expect(redeemed.sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round))
  })
}
