import { MemoryTokenStore } from 'customer-sign-in'
import type { CredentialSwap, Grant, SwapReversal } from 'customer-sign-in/store'
import type { Response } from 'supertest'
import { recordsOf } from '../../support/records'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

/** A redemption that the store has been sent and not answered yet. */
interface Sent {
  attempt: string
  /** The store takes it, now. */
  apply(): Promise<unknown>
  /** The store takes it, and answers. */
  answer(): void
  /** The process is told that the connection is lost. */
  lose(): void
}

/** A store whose connection can be lost, in a process whose time stands still until it is told. */
class Outage {
  /** What becomes of redemptions: answered as ever, applied without an answer, neither, or held until the test says. */
  mode: 'healthy' | 'lost' | 'away' | 'held' = 'healthy'
  /** Whether redemptions can be taken back. */
  canReverse: (grantId: string) => boolean = () => true
  /** Whether the process is told that a redemption could not be taken back, and the store takes it back later. */
  isReversalLate = false
  readonly lateReversals: (() => Promise<unknown>)[] = []
  /** What is done just before the next one is taken back. */
  beforeReversal: () => Promise<void> = async () => {}
  readonly sent: Sent[] = []
  reversals = 0
  maxReversalsAtOnce = 0
  #reversing = 0
  readonly #applied = new Set<string>()
  readonly memory = new MemoryTokenStore()

  readonly tokenStore = wrapStore(this.memory, async ({ method, args, apply }) => {
    if (method === 'reverseSwap') return this.#reverse((args[0] as SwapReversal).grantId, apply)
    if (method !== 'swapCredential' || this.mode === 'healthy') return apply()
    const { attempt } = args[0] as CredentialSwap
    if (this.mode === 'held') {
      return new Promise((resolve, reject) => {
        const lose = () => reject(new Error('The connection was lost'))
        this.sent.push({ attempt, apply, answer: () => resolve(apply()), lose })
      })
    }
    if (this.mode === 'lost' && !this.#applied.has(attempt)) await apply()
    this.#applied.add(attempt)
    throw new Error('The connection was lost')
  })

  async #reverse(grantId: string, apply: () => Promise<unknown>): Promise<unknown> {
    this.reversals++
    this.maxReversalsAtOnce = Math.max(this.maxReversalsAtOnce, ++this.#reversing)
    try {
      const { beforeReversal } = this
      this.beforeReversal = async () => {}
      await beforeReversal()
      if (this.isReversalLate) this.lateReversals.push(apply)
      if (this.isReversalLate || !this.canReverse(grantId)) throw new Error('The store is out of reach')
      return await apply()
    } finally {
      this.#reversing--
    }
  }

  /** Lets time pass, with all that is to be done meanwhile. */
  async pass(seconds: number): Promise<void> {
    await jest.advanceTimersByTimeAsync(seconds * 1000)
  }

  /** Resolves once the store has been sent so many redemptions that are held. */
  async holds(count: number): Promise<void> {
    for (let looks = 0; this.sent.length < count; looks++) {
      if (looks === 10_000) throw new Error(`The store has been sent ${this.sent.length} redemptions, not ${count}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async hashes(): Promise<string[]> {
    return (await recordsOf(this.memory)).map(({ credential }: Grant) => credential?.hash ?? '')
  }
}

async function prepared(options = {}) {
  jest.useFakeTimers({
    now: Date.now(),
    doNotFake: [
      'hrtime',
      'nextTick',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
    ],
  })
  const outage = new Outage()
  const host = await started({ tokenStore: outage.tokenStore, replayTolerance: 0, ...options })
  return { outage, host }
}

/** A request that is on its way. */
function begun(request: PromiseLike<Response>): Promise<Response> {
  return Promise.resolve(request.then((response) => response))
}

/** Nothing is left that this process would do by itself. */
function expectIdle(): void {
  expect(jest.getTimerCount()).toBe(0)
}

afterEach(() => jest.useRealTimers())

describe('redemptions whose result the store did not tell', () => {
  it('are all taken back when the store can no longer apply them: each once, a hundred at a time, and nothing is left to do', async () => {
    const { outage, host } = await prepared()
    const tokens = []
    for (let grant = 0; grant < 150; grant++) tokens.push(await host.connected())
    const before = await outage.hashes()
    outage.mode = 'lost'
    for (const { refresh_token } of tokens) {
      expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    }
    outage.mode = 'healthy'
    expect(await outage.hashes()).not.toEqual(before)
    await outage.pass(4.9)
    expect(outage.reversals).toBe(0)
    await outage.pass(0.2)
    expect(await outage.hashes()).toEqual(before)
    expect(outage.reversals).toBe(150)
    expect(outage.maxReversalsAtOnce).toBe(100)
    await outage.pass(10)
    expect(outage.reversals).toBe(150)
    expectIdle()
  })

  it('are retried less and less often while the store is unreachable, and taken back when it answers again', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    const before = await outage.hashes()
    Object.assign(outage, { mode: 'lost', canReverse: () => false })
    const timers = jest.spyOn(globalThis, 'setTimeout')
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await outage.pass(5)
    expect(timers.mock.calls.length).toBeLessThan(50)
    outage.reversals = 0
    await outage.pass(60)
    expect(outage.reversals).toBeGreaterThan(10)
    expect(outage.reversals).toBeLessThan(20)
    Object.assign(outage, { mode: 'healthy', canReverse: () => true })
    await outage.pass(5)
    expect(await outage.hashes()).toEqual(before)
    expectIdle()
  })

  it('are taken back at the same pace even if one of them cannot be', async () => {
    const { outage, host } = await prepared()
    const tokens = []
    for (let grant = 0; grant < 110; grant++) tokens.push(await host.connected())
    const before = await outage.hashes()
    const [stuck] = await recordsOf(outage.memory)
    outage.canReverse = (grantId) => grantId !== stuck?.grantId
    outage.mode = 'lost'
    for (const { refresh_token } of tokens) await host.refresh(refresh_token)
    await outage.pass(5.1)
    const after = await outage.hashes()
    expect(after.filter((hash) => !before.includes(hash))).toHaveLength(1)
  })

  it('are taken back even if the store applies one after two more requests have come', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    const before = await outage.hashes()
    outage.mode = 'held'
    const requests = [begun(host.refresh(refresh_token)), begun(host.refresh(refresh_token))]
    await outage.holds(2)
    const [, late] = outage.sent
    for (const { lose } of outage.sent.slice(0, 2)) lose()
    await outage.holds(4)
    for (const { lose } of outage.sent.slice(2)) lose()
    for (const response of await Promise.all(requests)) expectError(response, 503, 'temporarily_unavailable')
    outage.mode = 'away'
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await late?.apply()
    expect(await outage.hashes()).not.toEqual(before)
    await outage.pass(6)
    expect(await outage.hashes()).toEqual(before)
    expectIdle()
  })

  it('are taken back even if a second one is given up while the first is being taken back', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    const before = await outage.hashes()
    outage.mode = 'held'
    const first = begun(host.refresh(refresh_token))
    await outage.holds(1)
    await outage.pass(1)
    const second = begun(host.refresh(refresh_token))
    await outage.holds(2)
    const [one, other] = outage.sent
    one?.lose()
    await outage.holds(3)
    outage.sent[2]?.lose()
    expectError(await first, 503, 'temporarily_unavailable')
    await outage.pass(2.5)
    await outage.holds(4)
    const isGivenUp = new Promise<void>((resolve) => {
      outage.beforeReversal = async () => {
        outage.sent[3]?.lose()
        expectError(await second, 503, 'temporarily_unavailable')
        resolve()
      }
    })
    await outage.pass(1.5)
    await isGivenUp
    await other?.apply()
    expect(await outage.hashes()).not.toEqual(before)
    await outage.pass(2)
    expect(await outage.hashes()).toEqual(before)
    expectIdle()
  })

  it.each([0, 1])('are taken back, whichever of two parallel requests the store applied: %d', async (which) => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    const before = await outage.hashes()
    outage.mode = 'held'
    const requests = [begun(host.refresh(refresh_token)), begun(host.refresh(refresh_token))]
    await outage.holds(2)
    await outage.sent[which]?.apply()
    for (const { lose } of outage.sent.slice(0, 2)) lose()
    await outage.holds(4)
    for (const { lose } of outage.sent.slice(2)) lose()
    for (const response of await Promise.all(requests)) expectError(response, 503, 'temporarily_unavailable')
    expect(await outage.hashes()).not.toEqual(before)
    await outage.pass(6)
    expect(await outage.hashes()).toEqual(before)
    expectIdle()
  })

  it('are taken back even if the store applies the last of two requests after the deadline of the first', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    const before = await outage.hashes()
    outage.mode = 'held'
    const first = begun(host.refresh(refresh_token))
    await outage.holds(1)
    await outage.pass(2)
    const second = begun(host.refresh(refresh_token))
    await outage.holds(2)
    const [one, other] = outage.sent
    one?.lose()
    await outage.holds(3)
    outage.sent[2]?.lose()
    expectError(await first, 503, 'temporarily_unavailable')
    other?.lose()
    await outage.holds(4)
    outage.sent[3]?.lose()
    expectError(await second, 503, 'temporarily_unavailable')
    await outage.pass(4)
    await other?.apply()
    expect(await outage.hashes()).not.toEqual(before)
    await outage.pass(2)
    expect(await outage.hashes()).toEqual(before)
    expectIdle()
  })

  it('get a response after hostTimeout, and the store is asked twice', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    outage.mode = 'held'
    const request = begun(host.refresh(refresh_token))
    await outage.holds(1)
    await outage.pass(2.5)
    await outage.pass(2.5)
    expectError(await request, 503, 'temporarily_unavailable')
    expect(outage.sent).toHaveLength(2)
  })

  it('are not taken back once their client has tokens, even if the store is late to take one back', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    outage.mode = 'lost'
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    outage.isReversalLate = true
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    Object.assign(outage, { mode: 'healthy', isReversalLate: false })
    expectTokens(await host.refresh(refresh_token))
    expect(outage.lateReversals).toHaveLength(1)
    for (const apply of outage.lateReversals) await apply()
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
  })

  it('are taken back also if the store applies one just before the next request', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    outage.mode = 'held'
    const first = begun(host.refresh(refresh_token))
    for (const place of [0, 1]) {
      await outage.holds(place + 1)
      outage.sent[place]?.lose()
    }
    expectError(await first, 503, 'temporarily_unavailable')
    const second = begun(host.refresh(refresh_token))
    await outage.holds(3)
    await outage.sent[0]?.apply()
    outage.sent[2]?.answer()
    await outage.holds(4)
    outage.sent[3]?.answer()
    expectTokens(await second)
    expect(await host.told('replayed')).toEqual([])
  })

  it('leave nothing to do, after one more look, when the client has tried again and got tokens', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    outage.mode = 'lost'
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    outage.mode = 'healthy'
    const next = expectTokens(await host.refresh(refresh_token))
    outage.reversals = 0
    await outage.pass(10)
    expect(outage.reversals).toBe(1)
    expectIdle()
    expectTokens(await host.refresh(next.refresh_token))
  })

  it('leave nothing to do, after one more look, if the grant has ended', async () => {
    const { outage, host } = await prepared()
    const { refresh_token } = await host.connected()
    outage.mode = 'lost'
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    outage.mode = 'healthy'
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    outage.reversals = 0
    await outage.pass(10)
    expect(outage.reversals).toBe(1)
    expectIdle()
  })
})

describe('a redemption whose result the store tells', () => {
  it.each<[what: string, options: object, refused: (host: TestSignIn) => Promise<unknown>]>([
    [
      'is a replay',
      { replayTolerance: 60 },
      async (host) => {
        const { refresh_token } = await host.connected()
        expectTokens(await host.refresh(refresh_token))
        expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
      },
    ],
    [
      'names another resource',
      {},
      async (host) => {
        const { refresh_token } = await host.connected()
        const resource = 'https://elsewhere.example'
        expectError(await host.refresh(refresh_token, { resource }), 400, 'invalid_target')
      },
    ],
    [
      'finds the refresh token too new to be replaced',
      { refreshRetryWindow: 60 },
      async (host) => {
        const first = await host.connected()
        const { refresh_token } = expectTokens(await host.refresh(first.refresh_token))
        expect(expectTokens(await host.refresh(refresh_token)).refresh_token).toBe(refresh_token)
      },
    ],
  ])('leaves nothing to do if it %s', async (_, options, refused) => {
    const { outage, host } = await prepared(options)
    await refused(host)
    expectIdle()
    await outage.pass(10)
    expect(outage.reversals).toBe(0)
  })
})
