import { randomUUID } from 'node:crypto'
import { MemoryTokenStore } from 'customer-sign-in'
import { MovingTokenStore, type PostgresPool, PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { importGrant } from '../../../src/postgres/imports'
import { deletionContract } from '../../../src/store-contract/deletion-contract'
import { grantContract } from '../../../src/store-contract/grant-contract'
import { listContract } from '../../../src/store-contract/list-contract'
import { createGrant, deleteGrants, newGrant, swapOf } from '../../../src/store-contract/records'
import { reversalContract } from '../../../src/store-contract/reversal-contract'
import { swapContract } from '../../../src/store-contract/swap-contract'
import { useOnceContract } from '../../../src/store-contract/token-store-contract'
import { inEveryOrder, type Turn } from '../../support/every-order'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { recordOf, recordsOf } from '../../support/records'
import { redisContents } from '../../support/redis-contents'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { registered } from '../../support/registration'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'
import { wrapStore } from '../../support/wrap-store'

let server: PostgresServer
let pool: Pool

/** Starts PostgreSQL for the suites of this file. */
function withPostgres(): void {
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.query(postgresSchema())
    pool = new Pool({ connectionString: server.url })
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })
}

/** Where a call waits until the test lets it go on. */
class Gate {
  #reach: () => void = () => {}
  #open: () => void = () => {}
  readonly reached = new Promise<void>((resolve) => {
    this.#reach = resolve
  })
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve
  })

  stop(): Promise<void> {
    this.#reach()
    return this.#opened
  }

  open(): void {
    this.#open()
  }
}

async function postgresContents(): Promise<unknown> {
  const tables = ['grants', 'used_ids', 'ended']
  return Promise.all(tables.map((table) => server.query(`select * from customer_sign_in.${table}`)))
}

/** Everything is written by a process that prepares the move, and then found and changed by one that moves. */
function writtenBefore(from: TokenStore): TokenStore {
  const to = new PostgresTokenStore(pool)
  const before = new MovingTokenStore({ from, to, step: 'prepare' })
  const store = new MovingTokenStore({ from, to, step: 'move' })
  return new Proxy<TokenStore>(store, {
    get(_, name) {
      const writer: TokenStore = name === 'createGrant' ? before : store
      return Reflect.get(writer, name).bind(writer)
    },
  })
}

// It redeems a code within 50 ms, which a busy machine may need to move it.
const tooQuick = 'does not revive a code that has expired meanwhile'

// The second store forgets an id a moment later than the first, and a call in between notes it in the first again.
const forgetting = 'is forgotten after its lifetime, and not extended by later calls'

/**
 * The contract without what does not hold for records of two stores: a copy in the old store may live longer than the new lifetimes of a test.
 */
function contractWrittenBefore(createStore: () => TokenStore): void {
  const suite = {
    describe,
    test: (name: string, run: (store: TokenStore, contents: () => Promise<string>) => Promise<void>) => {
      if (name !== tooQuick && name !== forgetting) it(name, () => run(createStore(), async () => ''))
    },
  }
  grantContract(suite)
  listContract(suite)
  swapContract(suite)
  reversalContract(suite)
  useOnceContract(suite)
  deletionContract(suite)
}

function exceptForgetting(name: string, test: () => Promise<void>): void {
  if (name !== forgetting) it(name, test)
}

describeWithPostgres('MovingTokenStore from memory', () => {
  withPostgres()
  let from: MemoryTokenStore
  const contents = async () => [from.contents(), await postgresContents()]
  const createFrom = () => {
    from = new MemoryTokenStore()
    return from
  }

  for (const step of ['prepare', 'move'] as const) {
    describe(`with the step ${step}`, () => {
      const create = () => new MovingTokenStore({ from: createFrom(), to: new PostgresTokenStore(pool), step })
      tokenStoreContract({ describe, it: exceptForgetting }, create, { contents })
    })
  }

  it('creates no grant whose customer was ended in the other store since it was asserted', async () => {
    const store = new MovingTokenStore({ from: createFrom(), to: new PostgresTokenStore(pool), step: 'move' })
    const grant = newGrant({ assertedAt: Date.now() - 60_000, deadline: Date.now() + 60_000 })
    await deleteGrants(from, { tenantId: grant.tenantId, subject: grant.subject })
    expect(await store.createGrant(grant)).toMatchObject({ outcome: 'ended' })
    expect(await store.findGrant(grant.tenantId, grant.grantId)).toBeUndefined()
  })

  it.each(['prepare', 'move'] as const)('with the step %s creates no grant that the other store has', async (step) => {
    const [old, to] = [createFrom(), new PostgresTokenStore(pool)]
    const [here, there] = step === 'move' ? [to, old] : [old, to]
    const grant = newGrant({ deadline: Date.now() + 60_000 })
    expect(await there.createGrant(grant)).toMatchObject({ outcome: 'created' })
    const store = new MovingTokenStore({ from: old, to, step })
    expect(await store.createGrant(grant)).toMatchObject({ outcome: 'taken', grant: { grantId: grant.grantId } })
    expect(await here.findGrant(grant.tenantId, grant.grantId)).toEqual(
      step === 'move' ? expect.objectContaining({ grantId: grant.grantId }) : undefined,
    )
  })

  it('moves a grant without a credential into a row like that of a new one', async () => {
    const tenantId = randomUUID()
    const [old, to] = [createFrom(), new PostgresTokenStore(pool)]
    const { grantId } = await createGrant(old, { tenantId, credential: undefined, request: undefined })
    await createGrant(to, { tenantId, credential: undefined, request: undefined })
    await new MovingTokenStore({ from: old, to, step: 'move' }).findGrant(tenantId, grantId)
    const columns = 'kind, hash, attempt, swapped_at, redeemed, request'
    const { rows } = await pool.query(`select ${columns} from customer_sign_in.grants where tenant_id = $1`, [tenantId])
    expect(rows).toHaveLength(2)
    expect(rows[0]).toEqual(rows[1])
  })

  it('gives no more grants of a customer than were asked for', async () => {
    const owner = { tenantId: randomUUID(), subject: 'ada' }
    const [old, to] = [createFrom(), new PostgresTokenStore(pool)]
    await createGrant(old, owner)
    for (let count = 0; count < 3; count++) await createGrant(to, owner)
    const store = new MovingTokenStore({ from: old, to, step: 'move' })
    const first = await store.listGrants({ ...owner, limit: 2 })
    const second = await store.listGrants({ ...owner, limit: 2, after: first.next })
    expect([first.grants.length, second.grants.length, second.next]).toEqual([2, 2, undefined])
    expect(new Set([...first.grants, ...second.grants].map(({ grantId }) => grantId)).size).toBe(4)
  })

  it('moves nothing if the other store does not refuse the swap of another credential', async () => {
    const grant = await createGrant(createFrom(), {})
    const late = wrapStore(from, async ({ method, apply }) =>
      method === 'swapCredential' ? { outcome: 'late', now: Date.now() } : apply(),
    )
    const to = new PostgresTokenStore(pool)
    const store = new MovingTokenStore({ from: late, to, step: 'move' })
    await expect(store.findGrant(grant.tenantId, grant.grantId)).rejects.toThrow(
      'MovingTokenStore: the store `from` answers a swap of another credential with late',
    )
    expect(await to.findGrant(grant.tenantId, grant.grantId)).toBeUndefined()
  })

  it('moves no grant that is found before the step move', async () => {
    const to = new PostgresTokenStore(pool)
    const { tenantId, grantId } = await createGrant(createFrom(), {})
    const find = (step: 'prepare' | 'move') => new MovingTokenStore({ from, to, step }).findGrant(tenantId, grantId)
    expect(await find('prepare')).toMatchObject({ grantId })
    expect(await to.findGrant(tenantId, grantId)).toBeUndefined()
    expect(await find('move')).toMatchObject({ grantId })
    expect(await to.findGrant(tenantId, grantId)).toMatchObject({ grantId })
  })
})

describeWithRedis('MovingTokenStore from Redis', () => {
  describeWithPostgres('to PostgreSQL', () => {
    withPostgres()
    let redisServer: RedisServer
    let redis: Redis
    beforeAll(async () => {
      redisServer = await RedisServer.start()
      redis = new Redis(redisServer.url)
    })
    afterAll(async () => {
      redis.disconnect()
      await redisServer.stop()
    })
    beforeEach(async () => {
      await redisServer.command('FLUSHALL')
      await server.query('truncate customer_sign_in.grants')
    })

    describe('of records that were written before', () => {
      contractWrittenBefore(() => writtenBefore(new RedisTokenStore(redis)))
    })

    type Stage = 'redis' | 'prepare' | 'move' | 'postgres'

    /** A process of the host at one stage of the move. */
    function processAt(
      stage: Stage,
      { from = new RedisTokenStore(redis), via = pool, ...options }: ProcessOptions = {},
    ): Promise<TestSignIn> {
      const to = new PostgresTokenStore(via)
      const tokenStore =
        stage === 'redis' ? from : stage === 'postgres' ? to : new MovingTokenStore({ from, to, step: stage })
      return started({ baseUrl: 'https://assistants.example', ...options, tokenStore })
    }
    interface ProcessOptions extends TestOptions {
      from?: TokenStore
      via?: PostgresPool
    }

    async function connectedAs(process: TestSignIn, clientId: string) {
      return expectTokens(await process.exchange(await process.asCustomer({ clientId }), { client_id: clientId }))
    }

    /** Refreshes at each of these processes in turn. @returns The newest refresh token. */
    async function refreshedAt(refreshToken: string, ...processes: TestSignIn[]): Promise<string> {
      let newest = refreshToken
      for (const process of processes) newest = expectTokens(await process.refresh(newest)).refresh_token
      return newest
    }

    describe('while processes are switched one by one', () => {
      const stages: [Stage, Stage][] = [
        ['redis', 'redis'],
        ['prepare', 'redis'],
        ['prepare', 'prepare'],
        ['move', 'prepare'],
        ['move', 'move'],
        ['postgres', 'move'],
        ['postgres', 'postgres'],
      ]

      it('signs no customer out, whichever process answers, and needs no recovery', async () => {
        const live = new Map<string, string>()
        for (const [index, stage] of stages.entries()) {
          const [one, other] = await Promise.all([processAt(stage[0]), processAt(stage[1])])
          for (const subject of [`first-${index}`, `second-${index}`]) {
            const [at, then] = subject.startsWith('first') ? [one, other] : [other, one]
            live.set(subject, expectTokens(await then.exchange(await at.asCustomer({ subject }))).refresh_token)
          }
          for (const [subject, token] of live) live.set(subject, await refreshedAt(token, other, one, one, other))
          for (const process of [one, other]) {
            expect(await process.told('denied')).toEqual([])
            expect(await process.told('error')).toEqual([])
            for (const refreshed of await process.told('refreshed'))
              expect(refreshed).not.toMatchObject({ recovered: true })
          }
        }
        expect(live.size).toBe(14)
      })

      it('redeems a code at PostgreSQL that a process over Redis has issued', async () => {
        const signedIn = await (await processAt('redis')).asCustomer()
        const tokens = expectTokens(await (await processAt('move')).exchange(signedIn))
        await refreshedAt(tokens.refresh_token, await processAt('postgres'))
      })

      it('keeps a client that registered itself, and knows it at every process', async () => {
        const [plain, prepare, move] = [await processAt('redis'), await processAt('prepare'), await processAt('move')]
        const clientId = await registered(plain)
        const early = await connectedAs(plain, clientId)
        const then = await prepare.refresh(early.refresh_token, { client_id: clientId })
        const moved = await move.refresh(expectTokens(then).refresh_token, { client_id: clientId })
        const alone = await processAt('postgres')
        expectTokens(await alone.refresh(expectTokens(moved).refresh_token, { client_id: clientId }))

        const late = await registered(move)
        expectTokens(await move.exchange(await prepare.asCustomer({ clientId: late }), { client_id: late }))
        await registered(prepare)
        expect(await move.told('denied')).toEqual([])
      })

      it('lists a customer’s grants of both stores, each once', async () => {
        const [prepare, move] = [await processAt('prepare'), await processAt('move')]
        const { refresh_token } = await prepare.connected()
        await prepare.connected()
        await refreshedAt(refresh_token, move)
        await move.connected()
        for (const process of [prepare, move]) {
          const listed = (await process.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants
          expect(listed).toHaveLength(3)
        }
      })

      it('pages through the grants of both stores, each once, also if they are moved between two pages', async () => {
        const [prepare, move] = [await processAt('prepare'), await processAt('move')]
        const tokens = [await prepare.connected(), await prepare.connected(), await prepare.connected()]
        await move.connected()
        await refreshedAt(tokens[0]?.refresh_token ?? '', move)
        const seen: string[] = []
        let after: string | undefined
        do {
          const page = await move.signIn.grants.list({ tenantKey: 'acme', anyCustomer: true, after, limit: 1 })
          seen.push(...page.grants.map(({ grantId }) => grantId))
          if (after === undefined)
            for (const { refresh_token } of tokens.slice(1)) await refreshedAt(refresh_token, move)
          after = page.next
        } while (after !== undefined)
        expect(seen).toHaveLength(4)
        expect(new Set(seen).size).toBe(4)
      })

      it('pages through grants as they are now, not as they were before they were moved', async () => {
        const [prepare, move] = [await processAt('prepare'), await processAt('move')]
        const { refresh_token } = await prepare.connected()
        await refreshedAt(refresh_token, move)
        const now = await recordOf(move.tokenStore)
        const { grants } = await move.tokenStore.listGrants({ tenantId: 'acme', limit: 10 })
        expect(grants).toMatchObject([{ credential: now.credential }])
      })
    })

    describe('a credential that two processes redeem while one of them moves its grant', () => {
      it.each([
        ['code', 'comes'],
        ['code', 'is lost'],
        ['refresh token', 'comes'],
        ['refresh token', 'is lost'],
      ])('has one winner: a %s, and the answer of Redis to the other %s', async (kind, answer) => {
        const [seen, swapped] = [new Gate(), new Gate()]
        let reads = Number.NaN
        const forMove = wrapStore(new RedisTokenStore(redis), async ({ method, apply }) => {
          const result = await apply()
          // Its second look at Redis is over, and the copy not live yet.
          if (method === 'swapCredential' && ++reads === 2) await seen.stop()
          return result
        })
        let isApplied = false
        const forPrepare = wrapStore(new RedisTokenStore(redis), async ({ method, apply }) => {
          const result = (await apply()) as { outcome: string }
          if (method !== 'swapCredential') return result
          const isFirst = result.outcome === 'swapped'
          isApplied ||= isFirst
          if (isFirst && answer === 'is lost') throw new Error('The answer was lost')
          if (isApplied) await swapped.stop()
          return result
        })
        const move = await processAt('move', { from: forMove })
        const prepare = await processAt('prepare', { from: forPrepare })
        const plain = await processAt('redis')
        const signedIn = await plain.asCustomer()
        const token = kind === 'code' ? '' : expectTokens(await plain.exchange(signedIn)).refresh_token
        const redeem = async (at: TestSignIn) => (token === '' ? at.exchange(signedIn) : at.refresh(token))
        // A process learns the time of its store from the first answer.
        await Promise.all([move, prepare].map((process) => process.signIn.health()))

        reads = 0
        const atMove = redeem(move)
        await seen.reached
        const atPrepare = redeem(prepare)
        await swapped.reached
        seen.open()
        const won = expectTokens(await atMove)
        swapped.open()
        expect((await atPrepare).status).not.toBe(200)
        await refreshedAt(won.refresh_token, await processAt('postgres'), move)
      })
    })

    describe('a refresh token that comes again', () => {
      it('is answered with the live one inside refreshRetryWindow, also if it was redeemed before the move', async () => {
        const window = { refreshRetryWindow: 300 }
        const plain = await processAt('redis', window)
        const { refresh_token: used } = await plain.connected()
        const live = await refreshedAt(used, plain)
        const move = await processAt('move', window)
        expect(await refreshedAt(used, move)).toBe(live)
        await refreshedAt(live, move, await processAt('postgres', window))
      })

      it('ends the grant in both stores otherwise', async () => {
        const strict = { replayTolerance: 0 }
        const plain = await processAt('redis', strict)
        const { refresh_token: used } = await plain.connected()
        const [prepare, move] = [await processAt('prepare', strict), await processAt('move', strict)]
        const live = await refreshedAt(used, plain, move, prepare)
        expectError(await move.refresh(used), 400, 'invalid_grant')
        expect(await move.told('replayed')).toMatchObject([{ ended: true }])
        for (const process of [prepare, move, plain, await processAt('postgres', strict)]) {
          expectError(await process.refresh(live), 400, 'invalid_grant')
          expect(await recordsOf(process.tokenStore)).toEqual([])
        }
      })
    })

    describe('a grant that was ended', () => {
      it.each(['prepare', 'move'] as const)('at a process with the step %s is gone everywhere', async (step) => {
        const plain = await processAt('redis')
        const [early, late] = [await plain.connected(), await plain.connected()]
        const live = await refreshedAt(early.refresh_token, await processAt('move'))
        await (await processAt(step)).signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
        for (const stage of ['redis', 'prepare', 'move', 'postgres'] as const) {
          const process = await processAt(stage)
          for (const token of [live, late.refresh_token])
            expectError(await process.refresh(token), 400, 'invalid_grant')
        }
      })

      it('leaves nothing of its customer in either store', async () => {
        const plain = await processAt('redis')
        const [early] = [await plain.connected(), await plain.connected()]
        const move = await processAt('move')
        await refreshedAt(early.refresh_token, move)
        const grants = await recordsOf(move.tokenStore)
        const contents = async () => JSON.stringify([await redisContents([redisServer]), await postgresContents()])
        for (const { grantId } of grants) expect(await contents()).toContain(grantId.slice(12))
        await move.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
        for (const { grantId, subject } of grants) {
          expect(await contents()).not.toContain(grantId.slice(12))
          expect(await contents()).not.toContain(subject)
        }
      })

      it('does not come back, whenever it is ended while another process moves it', async () => {
        const [plain, other] = [await processAt('redis'), await processAt('move')]
        let wasMoved = 0
        for (let moment = 0; ; moment++) {
          let calls = 0
          const { refresh_token } = await plain.connected()
          const endAtItsTime = async () => {
            if (calls++ === moment) await other.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
          }
          const from = wrapStore(new RedisTokenStore(redis), async ({ apply }) => {
            await endAtItsTime()
            return apply()
          })
          const via: PostgresPool = {
            query: async (text, values) => {
              await endAtItsTime()
              return pool.query(text, values)
            },
          }
          const response = await (await processAt('move', { from, via })).refresh(refresh_token)
          if (calls <= moment) {
            expectTokens(response)
            break
          }
          if (response.status === 200) wasMoved++
          expect(await recordsOf(other.tokenStore)).toEqual([])
          const token = response.status === 200 ? expectTokens(response).refresh_token : refresh_token
          expectError(await other.refresh(token), 400, 'invalid_grant')
          expect(moment).toBeLessThan(20)
        }
        expect(wasMoved).toBe(0)
      })

      it('does not come back when two processes move it while it is ended', async () => {
        const plain = await processAt('redis')
        const to = new PostgresTokenStore(pool)
        await plain.connected()
        const there = await recordOf(plain.tokenStore)
        const found = { grant: there, now: Date.now() }
        let readsOfSecond = 0
        const second = () => importGrant(to.calls, async () => (readsOfSecond++ === 0 ? found : undefined))
        let reads = 0
        const first = await importGrant(to.calls, async () => {
          reads++
          // The first one has seen the grant twice. Now it is ended in both stores, and the second one, which has seen it too, inserts its row.
          if (reads === 2) {
            await to.deleteGrant(there.tenantId, there.grantId)
            await second()
          }
          return reads > 2 ? undefined : found
        })
        expect(first).toBe(false)
        expect(await to.findGrant(there.tenantId, there.grantId)).toBeUndefined()
      })

      it('is still there if only Redis has deleted it, and is not moved again', async () => {
        const plain = await processAt('redis')
        const { refresh_token } = await plain.connected()
        const moved = await refreshedAt(refresh_token, await processAt('move'))
        const broken: PostgresPool = { query: () => Promise.reject(new Error('The server is gone')) }
        const halfway = await processAt('move', { via: broken })
        const ending = { tenantKey: 'acme', subject: 'customer-1' }
        await expect(halfway.signIn.grants.revokeAll(ending)).rejects.toThrow()
        expect(await recordsOf(plain.tokenStore)).toEqual([])

        const move = await processAt('move')
        const live = await refreshedAt(moved, move)
        expect(await move.signIn.grants.revokeAll(ending)).toBe(1)
        expectError(await move.refresh(live), 400, 'invalid_grant')
      })
    })

    describe('a call that is lost', () => {
      it.each([
        ['is not applied', false],
        ['is applied', true],
      ])('and %s signs nobody out, whichever call of the move it is', async (_, isApplied) => {
        const window = { refreshRetryWindow: 300 }
        const plain = await processAt('redis', window)
        for (let lost = 0; ; lost++) {
          let calls = 0
          const { refresh_token } = await plain.connected({ subject: `customer-${lost}` })
          const fail = async <T>(apply: () => Promise<T>): Promise<T> => {
            if (calls++ !== lost) return apply()
            if (isApplied) await apply()
            throw new Error('The connection was lost')
          }
          const from = wrapStore(new RedisTokenStore(redis), ({ apply }) => fail(apply))
          const via: PostgresPool = { query: (text, values) => fail(() => pool.query(text, values)) }
          const faulty = await processAt('move', { ...window, from, via })
          const response = await faulty.refresh(refresh_token)
          const token = response.status === 200 ? expectTokens(response).refresh_token : refresh_token
          if (response.status !== 200) expectError(response, 503, 'temporarily_unavailable')
          await refreshedAt(token, await processAt('prepare', window), faulty, await processAt('postgres', window))
          if (calls <= lost) break
          expect(lost).toBeLessThan(40)
        }
      })
    })

    it('moves a grant once, and does not put an older state over a newer one', async () => {
      const plain = await processAt('redis')
      const { refresh_token } = await plain.connected()
      const move = await processAt('move')
      const live = await refreshedAt(refresh_token, move)
      const moved = await recordOf(new PostgresTokenStore(pool))
      await importGrant(new PostgresTokenStore(pool).calls, async () => ({
        grant: await recordOf(plain.tokenStore),
        now: Date.now(),
      }))
      expect(await recordOf(new PostgresTokenStore(pool))).toEqual(moved)
      await refreshedAt(live, move)
    })

    it.each([
      ['first', 1],
      ['second', 2],
    ])('moves a grant as it is, also if it is refreshed just after it was read for the %s time', async (_, time) => {
      const plain = await processAt('redis')
      const { refresh_token } = await plain.connected()
      const prepare = await processAt('prepare')
      const to = new PostgresTokenStore(pool)
      let live = ''
      let reads = 0
      const read = async () => {
        const grant = await recordOf(plain.tokenStore)
        if (++reads === time) live = await refreshedAt(refresh_token, prepare)
        return { grant, now: Date.now() }
      }
      expect(await importGrant(to.calls, read)).toBe(true)
      expect((await recordOf(to)).credential).toEqual((await recordOf(plain.tokenStore)).credential)
      await refreshedAt(live, await processAt('move'), await processAt('postgres'))
    })

    it('ends nothing in PostgreSQL that Redis would bring back', async () => {
      const plain = await processAt('redis')
      const { refresh_token } = await plain.connected()
      const live = await refreshedAt(refresh_token, await processAt('move'))
      const from = wrapStore(new RedisTokenStore(redis), () => Promise.reject(new Error('Redis is gone')))
      const halfway = await processAt('move', { from })
      await expect(halfway.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })).rejects.toThrow()
      await refreshedAt(live, await processAt('move'))
    })

    it('moves a customer at once', async () => {
      const plain = await processAt('redis')
      const clientId = await registered(plain)
      const tokens = await connectedAs(plain, clientId)
      const move = await processAt('move')
      expect(await (move.tokenStore as MovingTokenStore).moveCustomer('acme', 'customer-1')).toBe(1)
      expect(await (move.tokenStore as MovingTokenStore).moveCustomer('acme', 'customer-2')).toBe(0)
      const prepare = await processAt('prepare')
      const moving = (prepare.tokenStore as MovingTokenStore).moveCustomer('acme', 'customer-1')
      await expect(moving).rejects.toThrow('needs a MovingTokenStore with the step move')
      await redisServer.command('FLUSHALL')
      expectTokens(await move.refresh(tokens.refresh_token, { client_id: clientId }))
    })
  })
})

describeWithPostgres('two processes that use MovingTokenStore, whatever the order of their calls,', () => {
  withPostgres()

  /** A process whose calls of both stores wait for their turns. */
  function processOf(from: TokenStore, step: 'prepare' | 'move', turn: Turn): TokenStore {
    const query: PostgresPool['query'] = (text, values) => {
      // Who asks only for the time changes nothing for the other.
      const call = () => pool.query(text, values)
      return text.endsWith('clock()::text as value') ? call() : turn(call)
    }
    const slowFrom = wrapStore(from, ({ apply }) => turn(apply))
    return new MovingTokenStore({ from: slowFrom, to: new PostgresTokenStore({ query }), step })
  }

  it('redeem a credential once', async () => {
    const orders = await inEveryOrder(async (one, other) => {
      const from = new MemoryTokenStore()
      const swap = swapOf(await createGrant(from, {}))
      const redeem = (store: TokenStore, attempt: string) => store.swapCredential({ ...swap, attempt })
      const prepare = redeem(processOf(from, 'prepare', one), 'at prepare')
      const move = redeem(processOf(from, 'move', other), 'at move')
      const check = async () => {
        const results = [await prepare, await move]
        // Both are shown the attempt of the winner as the live one. The other process must not take its own for it.
        const shown = results.map((result) => 'grant' in result && result.grant.swap?.attempt)
        expect([
          ['at prepare', 'at prepare'],
          ['at move', 'at move'],
        ]).toContainEqual(shown)
        expect(results[shown[0] === 'at prepare' ? 1 : 0]?.outcome).toBe('mismatch')
      }
      return { works: [prepare, move], check }
    })
    expect(orders).toBeGreaterThan(20)
  })

  it.each(['prepare', 'move'] as const)('leave nothing of a grant that one ends with the step %s', async (step) => {
    const to = new PostgresTokenStore(pool)
    const orders = await inEveryOrder(async (one, other) => {
      const from = new MemoryTokenStore()
      const grant = await createGrant(from, {})
      const { tenantId, grantId } = grant
      const ending = processOf(from, step, one).deleteGrant(tenantId, grantId)
      const redeeming = processOf(from, 'move', other).swapCredential(swapOf(grant))
      const check = async () => {
        expect(await ending).toBe(true)
        for (const store of [from, to]) expect(await store.findGrant(tenantId, grantId)).toBeUndefined()
      }
      return { works: [ending, redeeming], check }
    })
    expect(orders).toBeGreaterThan(5)
  })
})

describeWithPostgres('MovingTokenStore from a store with another clock', () => {
  withPostgres()

  /** A store whose clock differs from that of PostgreSQL by this many milliseconds. */
  function withClock(store: TokenStore, ahead: number): TokenStore {
    return wrapStore(store, ({ apply }) => {
      const { now } = Date
      Date.now = () => now() + ahead
      try {
        return apply()
      } finally {
        Date.now = now
      }
    })
  }

  const day = 86_400_000

  it.each([
    ['ahead', day],
    ['behind', -day],
  ])('a day %s keeps the age of each credential, and when the grant ends', async (_, ahead) => {
    const options = {
      baseUrl: 'https://assistants.example',
      refreshRetryWindow: 300,
      lifetimes: { grant: 40 * 86_400 },
    }
    const from = withClock(new MemoryTokenStore(), ahead)
    const to = new PostgresTokenStore(pool)
    const plain = await started({ ...options, tokenStore: from })
    const subject = `customer-${ahead}`
    const { refresh_token } = await plain.connected({ subject })
    const live = expectTokens(await plain.refresh(refresh_token)).refresh_token
    const there = await recordOf(from, 'acme', subject)

    const prepare = await started({ ...options, tokenStore: new MovingTokenStore({ from, to, step: 'prepare' }) })
    // The end of the text has the expiry, by the clock of the store.
    const isLive = expect.stringContaining(live.slice(0, 55))
    expect(expectTokens(await prepare.refresh(refresh_token)).refresh_token).toEqual(isLive)
    const move = await started({ ...options, tokenStore: new MovingTokenStore({ from, to, step: 'move' }) })
    expect(expectTokens(await move.refresh(refresh_token)).refresh_token).toEqual(isLive)
    expect(expectTokens(await prepare.refresh(refresh_token)).refresh_token).toEqual(isLive)
    expectTokens(await prepare.refresh(live))

    const here = await recordOf(to, 'acme', subject)
    const shift = here.createdAt - there.createdAt
    expect(Math.abs(shift + ahead)).toBeLessThan(60_000)
    expect(here).toMatchObject({
      expiresAt: there.expiresAt + shift,
      endsAt: (there.endsAt ?? 0) + shift,
      swap: { at: (there.swap?.at ?? 0) + shift },
      redeemed: there.redeemed?.map(({ mark, at }) => ({ mark, at: at + shift })),
    })
  })

  it.each(['prepare', 'move'] as const)('moves nothing that has expired, with the step %s', async (step) => {
    const from = withClock(new MemoryTokenStore(), 0)
    const to = new PostgresTokenStore(pool)
    const store = new MovingTokenStore({ from, to, step })
    expect(await store.findGrant('acme', 'none'.padEnd(28, '-'))).toBeUndefined()
  })

  it('accepts an id once among processes with either store and with both', async () => {
    const [from, to] = [new MemoryTokenStore(), new PostgresTokenStore(pool)]
    const moving = (['prepare', 'move'] as const).map((step) => new MovingTokenStore({ from, to, step }))
    for (const stores of [
      [from, ...moving],
      [...moving, ...moving],
      [...moving, to],
    ]) {
      const id = Math.random().toString(36).padEnd(43, '-')
      const accepted = await Promise.all(stores.map((store) => store.useOnce('acme', id, 60_000)))
      expect(accepted.filter((isFirst) => isFirst)).toHaveLength(1)
    }
  })
})

describe('the options of MovingTokenStore', () => {
  const query = () => Promise.resolve({ rows: [] })
  const right = { from: new MemoryTokenStore(), to: new PostgresTokenStore({ query }), step: 'move' } as const

  it.each([
    [{ step: undefined }, /MovingTokenStore\.step is missing: it must be 'prepare' or 'move'/],
    [{ step: 'moves' }, /MovingTokenStore\.step must be 'prepare' or 'move', but is "moves"/],
    [{ to: new MemoryTokenStore() }, /MovingTokenStore\.to must be a PostgresTokenStore/],
    [{ from: {} }, /MovingTokenStore\.from must be an object with the methods createGrant,/],
    [{ steps: 'move' }, /MovingTokenStore\.steps is not a member/],
  ])('are checked: %j', (wrong, message) => {
    expect(() => new MovingTokenStore({ ...right, ...(wrong as object) })).toThrow(message)
  })
})
