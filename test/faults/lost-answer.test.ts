import { releaseClock, stopClock } from '../support/clock'
import { type Fault, faultyStore, hangs, hangsOnceApplied, losesItsAnswer, rejects } from '../support/faulty-store'
import { recordOf } from '../support/records'
import { kinds, liveCredential } from '../support/redemptions'
import { expectError, expectTokens } from '../support/sign-in'
import { started } from '../support/started'

// Short, because some stores here never answer.
const hostTimeout = 0.2

const oneFault: [string, Fault[]][] = [
  ['applies it and loses the answer', [losesItsAnswer]],
  ['applies it and never answers', [hangsOnceApplied]],
  ['rejects it', [rejects]],
  ['never takes it', [hangs]],
]

const twoFaults: [string, Fault[]][] = [
  ['applies it and loses the answer, then cannot be reached', [losesItsAnswer, rejects]],
  ['applies it and loses the answer to both sendings', [losesItsAnswer, losesItsAnswer]],
  ['applies it and never answers', [hangsOnceApplied, hangs]],
  ['takes only the second sending, and loses the answer', [rejects, losesItsAnswer]],
  ['takes neither sending', [rejects, rejects]],
]

afterEach(releaseClock)

describe.each(kinds)('redeeming a %s', (kind) => {
  async function prepared(options = {}) {
    const clock = stopClock()
    const faulty = faultyStore()
    const host = await started({
      tokenStore: faulty.store,
      hostTimeout,
      replayTolerance: 0,
      lifetimes: { authorizationCode: 600 },
      ...options,
    })
    const redeem = await liveCredential[kind](host)
    return { clock, faulty, host, redeem }
  }

  it.each(oneFault)('succeeds when the store %s, and the tokens work', async (_, faults) => {
    const { faulty, host, redeem } = await prepared()
    faulty.next('swapCredential', ...faults)
    const tokens = expectTokens(await redeem())
    await host.signIn.verifyAccessToken(tokens.access_token, { tenantKey: 'acme', checkRevocation: true })
    expectTokens(await host.refresh(tokens.refresh_token))
    expect(await host.told('replayed')).toEqual([])
  })

  describe.each(twoFaults)('when the store %s', (_, faults) => {
    it('tells the client to retry, and then succeeds', async () => {
      const { clock, faulty, host, redeem } = await prepared()
      faulty.next('swapCredential', ...faults)
      const response = await redeem()
      expectError(response, 503, 'temporarily_unavailable')
      expect(response.headers['retry-after']).toMatch(/^\d+$/)
      clock.advance(60)
      const tokens = expectTokens(await redeem())
      expectTokens(await host.refresh(tokens.refresh_token))
      expect(await host.told('replayed')).toEqual([])
    })

    it('succeeds after any number of such failures', async () => {
      const { clock, faulty, host, redeem } = await prepared()
      for (let failure = 0; failure < 3; failure++) {
        faulty.next('swapCredential', ...faults)
        expectError(await redeem(), 503, 'temporarily_unavailable')
        clock.advance(60)
      }
      const tokens = expectTokens(await redeem())
      expectTokens(await host.refresh(tokens.refresh_token))
    })

    it('still refuses another resource, and does not use the credential up', async () => {
      const { faulty, host, redeem } = await prepared()
      faulty.next('swapCredential', ...faults)
      expectError(await redeem(), 503, 'temporarily_unavailable')
      expectError(await redeem(host, { resource: 'https://elsewhere.example' }), 400, 'invalid_target')
      const tokens = expectTokens(await redeem())
      expectTokens(await host.refresh(tokens.refresh_token))
    })

    it.each([0, 60])(
      'has exactly one success when the client retries with several requests at once, %d s later',
      async (wait) => {
        const { clock, faulty, host, redeem } = await prepared({ replayTolerance: 10 })
        faulty.next('swapCredential', ...faults)
        expectError(await redeem(), 503, 'temporarily_unavailable')
        clock.advance(wait)
        const answers = await Promise.all(Array.from({ length: 10 }, () => redeem()))
        const [won, ...lost] = answers.sort((a, b) => a.status - b.status)
        for (const answer of lost) expectError(answer, 400, 'invalid_grant')
        expectTokens(await host.refresh(won ? expectTokens(won).refresh_token : ''))
      },
    )
  })

  it('succeeds however often the store fails', async () => {
    const { faulty, host, redeem } = await prepared()
    faulty.next('swapCredential', losesItsAnswer)
    faulty.always('swapCredential', rejects)
    for (let failure = 0; failure < 30; failure++) expectError(await redeem(), 503, 'temporarily_unavailable')
    faulty.recover()
    const tokens = expectTokens(await redeem())
    expectTokens(await host.refresh(tokens.refresh_token))
  })

  it('has exactly one success when the client sends it twice at once and the store loses an answer', async () => {
    const { faulty, host, redeem } = await prepared({ replayTolerance: 10 })
    faulty.next('swapCredential', losesItsAnswer)
    const [won, lost] = (await Promise.all([redeem(), redeem()])).sort((a, b) => a.status - b.status)
    if (!won || !lost) throw new Error('Something was not answered')
    expectError(lost, 400, 'invalid_grant')
    expectTokens(await host.refresh(expectTokens(won).refresh_token))
  })

  it('succeeds when the client retries and the store has applied the swap late', async () => {
    const { faulty, host, redeem } = await prepared()
    let applyLate: () => Promise<unknown> = async () => undefined
    const takesLate: Fault = (apply) => {
      applyLate = apply
      return hangs(apply)
    }
    faulty.next('swapCredential', takesLate, hangs)
    expectError(await redeem(), 503, 'temporarily_unavailable')
    await applyLate()
    const tokens = expectTokens(await redeem())
    expectTokens(await host.refresh(tokens.refresh_token))
  })

  it.each<[resource: string, isRefused: boolean]>([
    ['the one that was granted', false],
    ['another', true],
  ])(
    'recognises its own swap when the store applies the first call during the retry, and the client names %s as its API',
    async (_, isRefused) => {
      const { faulty, host, redeem } = await prepared()
      let applyLate: () => Promise<unknown> = async () => undefined
      const takesLate: Fault = (apply) => {
        applyLate = apply
        return rejects(apply)
      }
      faulty.next('swapCredential', takesLate, rejects)
      expectError(await redeem(), 503, 'temporarily_unavailable')
      faulty.next('swapCredential', async (apply) => {
        await applyLate()
        return apply()
      })
      const response = await redeem(host, { resource: isRefused ? 'https://elsewhere.example' : host.issuer() })
      if (isRefused) expectError(response, 400, 'invalid_target')
      const tokens = expectTokens(isRefused ? await redeem() : response)
      expectTokens(await host.refresh(tokens.refresh_token))
      expect(await host.told('replayed')).toEqual([])
    },
  )

  it('keeps the new tokens valid when the store applies the first calls after that', async () => {
    const { faulty, host, redeem } = await prepared()
    const late: (() => Promise<unknown>)[] = []
    const takesLate: Fault = (apply) => {
      late.push(apply)
      return hangs(apply)
    }
    faulty.next('swapCredential', takesLate, takesLate)
    expectError(await redeem(), 503, 'temporarily_unavailable')
    const tokens = expectTokens(await redeem())
    const before = await recordOf(faulty.healthy)
    for (const apply of late) await apply()
    expect(await recordOf(faulty.healthy)).toEqual(before)
    expectTokens(await host.refresh(tokens.refresh_token))
  })

  it('responds with 503, and not as to a replay, when the second call finds another live credential', async () => {
    const { faulty, host, redeem } = await prepared()
    const elsewhere = await started({ tokenStore: faulty.healthy, baseUrl: host.url })
    const redeemedElsewhere: Fault = async (apply) => {
      expectTokens(await redeem(elsewhere))
      return rejects(apply)
    }
    faulty.next('swapCredential', redeemedElsewhere)
    expectError(await redeem(), 503, 'temporarily_unavailable')
    expect(await host.told('replayed')).toEqual([])
    expect(await recordOf(faulty.healthy)).toBeDefined()
  })

  it('responds with 503, and not as to a replay, when the store shows a losing request the grant of before', async () => {
    const { faulty, host, redeem } = await prepared()
    const elsewhere = await started({ tokenStore: faulty.healthy, baseUrl: host.url })
    let won = ''
    faulty.next('swapCredential', async () => {
      const grant = await recordOf(faulty.healthy)
      won = expectTokens(await redeem(elsewhere)).refresh_token
      return { outcome: 'mismatch', grant, now: Date.now() }
    })
    expectError(await redeem(), 503, 'temporarily_unavailable')
    expectTokens(await host.refresh(won))
  })

  it('says that the grant is gone if the second sending finds that, and does not ask the client to try again', async () => {
    const { faulty, host, redeem } = await prepared()
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    faulty.next('swapCredential', rejects)
    expectError(await redeem(), 400, 'invalid_grant')
    expect(await host.told('error')).toEqual([])
  })

  it('reports the error of the store to the host, and not to the client', async () => {
    const { faulty, host, redeem } = await prepared()
    faulty.next('swapCredential', rejects, rejects)
    expect(expectError(await redeem(), 503, 'temporarily_unavailable')).not.toMatch(/store/)
    expect(await host.told('error')).toMatchObject([
      {
        type: 'error',
        where: 'token',
        reason: 'token_store_failed',
        tenantKey: 'acme',
        error: new Error('The store is out of reach'),
      },
    ])
  })
})
