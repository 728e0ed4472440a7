import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgres, redis } from '../../support/database'
import type { Outcome } from './dpop/main'

const root = join(__dirname, '..', '..', '..')

async function outcomeOn(store: 'memory' | 'redis' | 'postgres'): Promise<Outcome> {
  const args = ['--import', 'tsx', join(__dirname, 'dpop', 'main.ts'), store]
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') }
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env })
  return JSON.parse(stdout)
}

const right: Outcome = {
  boundToKey: Array(10).fill(true),
  signedOut: false,
  refusals: ['400 invalid_dpop_proof', '400 invalid_grant'],
  ended: 0,
  errors: [],
}

describe('the MCP SDK 2 with DPoP stays signed in, from the 401 over ten refreshes and bursts, and a thief gets nothing', () => {
  it('on a store in memory', async () => {
    expect(await outcomeOn('memory')).toEqual(right)
  })

  redis.describe('in four processes, two of them with other clocks', () => {
    it('on Redis', async () => {
      expect(await outcomeOn('redis')).toEqual(right)
    })
  })

  postgres.describe('in four processes, two of them with other clocks', () => {
    it('on PostgreSQL', async () => {
      expect(await outcomeOn('postgres')).toEqual(right)
    })
  })
})
