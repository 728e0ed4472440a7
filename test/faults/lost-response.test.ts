import { MemoryTokenStore } from 'customer-sign-in'
import { releaseClock, stopClock } from '../support/clock'
import { faultyStore, losesItsAnswer, rejects } from '../support/faulty-store'
import { expectError, expectTokens } from '../support/sign-in'
import { started } from '../support/started'

const secrets = ['first secret', 'second secret'].map((secret) => secret.padEnd(32, '.'))
const window = { refreshRetryWindow: 10, replayTolerance: 0, baseUrl: 'https://assistant.example' }

afterEach(releaseClock)

describe('a client whose response was lost on its way', () => {
  it('refreshes again with the token that it still has, and stays signed in', async () => {
    stopClock()
    const host = await started(window)
    const { refresh_token } = await host.connected()
    const lost = expectTokens(await host.refresh(refresh_token))
    const { refresh_token: successor } = expectTokens(await host.refresh(refresh_token))
    expect(successor).toBe(lost.refresh_token)
    expectTokens(await host.refresh(successor))
  })

  it('may reach another process the second time', async () => {
    stopClock()
    const shared = { ...window, tokenStore: new MemoryTokenStore() }
    const [here, there] = [await started(shared), await started(shared)]
    const { refresh_token } = await here.connected()
    const lost = expectTokens(await here.refresh(refresh_token))
    const { access_token, refresh_token: successor } = expectTokens(await there.refresh(refresh_token))
    expect(successor).toBe(lost.refresh_token)
    await here.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', checkRevocation: true })
    expectTokens(await here.refresh(successor))
    expect(await there.told('retried')).toHaveLength(1)
  })

  it('may reach a process that has the secrets in another order', async () => {
    stopClock()
    const tokenStore = new MemoryTokenStore()
    const here = await started(window, { tokenStore, keys: { credentialSecrets: secrets } })
    const there = await started(window, { tokenStore, keys: { credentialSecrets: [...secrets].reverse() } })
    let { refresh_token } = await here.connected()
    for (const [used, repeated] of [
      [here, there],
      [there, here],
      [there, there],
    ] as const) {
      expectTokens(await used.refresh(refresh_token))
      refresh_token = expectTokens(await repeated.refresh(refresh_token)).refresh_token
    }
    expectTokens(await here.refresh(refresh_token))
    expect([...(await here.told('replayed')), ...(await there.told('replayed'))]).toEqual([])
  })

  it('can use either text of the refresh token that two processes gave it', async () => {
    stopClock()
    const tokenStore = new MemoryTokenStore()
    const here = await started(window, { tokenStore, keys: { credentialSecrets: secrets } })
    const there = await started(window, { tokenStore, keys: { credentialSecrets: [...secrets].reverse() } })
    for (const pick of [0, 1]) {
      const { refresh_token } = await here.connected()
      const answers = [
        expectTokens(await here.refresh(refresh_token)),
        expectTokens(await there.refresh(refresh_token)),
      ]
      const [picked, other] = [answers[pick]?.refresh_token ?? '', answers[1 - pick]?.refresh_token ?? '']
      const next = expectTokens(await here.refresh(picked))
      expectTokens(await there.refresh(other))
      expectTokens(await there.refresh(next.refresh_token))
    }
  })

  it('stays signed in even if the store’s answers were lost, and another process gets the retry', async () => {
    stopClock()
    const faulty = faultyStore()
    const here = await started({ ...window, tokenStore: faulty.store })
    const there = await started({ ...window, tokenStore: faulty.healthy })
    const { refresh_token } = await here.connected()
    faulty.next('swapCredential', losesItsAnswer, rejects)
    expectError(await here.refresh(refresh_token), 503, 'temporarily_unavailable')
    const successor = expectTokens(await there.refresh(refresh_token))
    expectTokens(await here.refresh(successor.refresh_token))
  })

  it('is told to retry when the store’s answer to its second refresh is lost', async () => {
    stopClock()
    const faulty = faultyStore()
    const host = await started({ ...window, tokenStore: faulty.store })
    const { refresh_token } = await host.connected()
    const lost = expectTokens(await host.refresh(refresh_token))
    faulty.next('swapCredential', losesItsAnswer)
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    expect(expectTokens(await host.refresh(refresh_token)).refresh_token).toBe(lost.refresh_token)
  })

  it('is refused by a host without refreshRetryWindow, but the grant lives as long as replays are tolerated', async () => {
    const clock = stopClock()
    const host = await started()
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(9)
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_grant')
    expectTokens(await host.refresh(second.refresh_token))
  })
})
