// How a host moves to PostgreSQL.
import { MemoryTokenStore } from 'customer-sign-in'
import { MovingTokenStore, type MovingTokenStoreOptions, PostgresTokenStore } from 'customer-sign-in/postgres'
import type { TokenStore } from 'customer-sign-in/store'
import { Pool } from 'pg'

const to = new PostgresTokenStore(new Pool())
const options: MovingTokenStoreOptions = { from: new MemoryTokenStore(), to, step: 'prepare' }
const moving: TokenStore = new MovingTokenStore({ ...options, step: 'move' })
const count: Promise<number> = new MovingTokenStore({ from: moving, to, step: 'move' }).moveCustomer('acme', 'ada')

// @ts-expect-error: without a step.
new MovingTokenStore({ from: moving, to })
// @ts-expect-error: the records can only move to PostgreSQL.
new MovingTokenStore({ from: moving, to: moving, step: 'move' })

export { count }
