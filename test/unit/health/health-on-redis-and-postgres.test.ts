import type { Health } from 'customer-sign-in'
import { MovingTokenStore, PostgresTokenStore } from 'customer-sign-in/postgres'
import { Pool } from 'pg'
import { type DatabaseServer, postgres, redis } from '../../support/database'
import { faultyStore, rejects } from '../../support/faulty-store'
import { started } from '../../support/started'

describe.each([redis, postgres])('signIn.health, on $name,', (database) => {
  database.describe('that runs', () => {
    let server: DatabaseServer
    beforeAll(async () => {
      server = await database.start()
    })
    afterAll(() => server.stop())

    it('is well, then frozen, then well again', async () => {
      const { signIn } = await database.startedOn(server.port, { client: 'connects at once' })
      expect(await signIn.health({ timeout: 30 })).toMatchObject({ ready: true, ok: true })
      server.signal('SIGSTOP')
      expect(await signIn.health({ timeout: 0.05 })).toMatchObject({ ready: true, ok: false })
      server.signal('SIGCONT')
      await becomesWell(() => signIn.health({ timeout: 1 }))
    })

    it('is well, then killed, then well again', async () => {
      const { signIn } = await database.startedOn(server.port, { client: 'connects at once' })
      expect(await signIn.health({ timeout: 30 })).toMatchObject({ ready: true, ok: true })
      await server.kill('SIGKILL')
      expect(await signIn.health()).toMatchObject({ ready: true, ok: false })
      await server.start()
      await becomesWell(() => signIn.health({ timeout: 1 }))
    })
  })

  database.describeWithClock('with a clock of its own', () => {
    it.each([600, -600])('tells how far it is away: %s s', async (ahead) => {
      const server = await database.start({ clock: true })
      try {
        const { signIn } = await database.startedOn(server.port)
        server.clock.set(ahead)
        const { tokenStore, problems } = await signIn.health({ timeout: 30 })
        expect(Math.abs((tokenStore.clockOffset ?? 0) - ahead)).toBeLessThan(30)
        expect(problems.map(({ part }) => part)).toEqual(['clock'])
      } finally {
        await server.stop()
      }
    })
  })
})

postgres.describe('signIn.health, on a connection to PostgreSQL that can only read,', () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await postgres.start()
  })
  afterAll(() => server.stop())

  it('is not ready, and says that the store fails', async () => {
    const options = '-c default_transaction_read_only=on'
    const pool = new Pool({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres', options })
    try {
      const { signIn } = await started({ tokenStore: new PostgresTokenStore(pool, { sweep: false }) })
      const { ready, problems } = await signIn.health({ timeout: 30 })
      expect(ready).toBe(false)
      expect(problems.map(({ part }) => part)).toEqual(['tokenStore'])
    } finally {
      await pool.end()
    }
  })
})

postgres.describe('signIn.health, while a host moves to PostgreSQL,', () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await postgres.start()
  })
  afterAll(() => server.stop())

  it.each(['prepare', 'move'] as const)('asks both stores: with the step %s', async (step) => {
    const { store: from, always } = faultyStore()
    const pool = new Pool({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres' })
    try {
      const { signIn } = await started({
        tokenStore: new MovingTokenStore({ from, to: new PostgresTokenStore(pool), step }),
      })
      expect(await signIn.health({ timeout: 30 })).toMatchObject({ ok: true })
      always('swapCredential', rejects)
      const { problems } = await signIn.health({ timeout: 30 })
      expect(problems.map(({ part }) => part)).toEqual(['tokenStore'])
    } finally {
      await pool.end()
    }
  })
})

/** Asks until nothing is wrong. */
async function becomesWell(ask: () => Promise<Health>): Promise<void> {
  for (let times = 0; times < 100; times++) {
    if ((await ask()).ok) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(await ask()).toMatchObject({ ok: true })
}
