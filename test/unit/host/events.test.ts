import { AsyncLocalStorage } from 'node:async_hooks'
import { type CustomerSignInEvent, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { faultyStore, rejects } from '../../support/faulty-store'
import { recordOf } from '../../support/records'
import { clientId, expectError, expectTokens, type SignedIn, tenants } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const at = expect.any(Number)
const grant = { at, tenantKey: 'acme', tenantId: 'acme', clientId, subject: 'customer-1' }

describe('onEvent', () => {
  it('is told of the life of a grant: issued, refreshed, replayed, revoked', async () => {
    const host = await started()
    const first = await host.connected({ scopes: 'calendar' })
    const second = expectTokens(await host.refresh(first.refresh_token))
    await host.refresh(first.refresh_token)
    const { grantId } = await recordOf(host.tokenStore)
    await host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId })
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
    await host.told('revoked')
    const about = { ...grant, grantId }
    const granted = { scopes: ['calendar'], resource: host.issuer() }
    expect(host.events.filter(({ type }) => type !== 'denied')).toEqual([
      { type: 'issued', grantType: 'authorization_code', ...about, ...granted },
      { type: 'refreshed', recovered: false, rotated: true, ...about, ...granted },
      {
        type: 'replayed',
        credential: 'refresh_token',
        ended: false,
        age: expect.any(Number),
        successorUsed: false,
        ...about,
      },
      { type: 'revoked', reason: 'host', ...about },
    ])
  })

  it('is told the scopes of the access token, not those of the whole grant', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    await host.refresh(refresh_token, { scope: 'profile' })
    expect(await host.told('refreshed')).toMatchObject([{ scopes: ['profile'] }])
  })

  it('is told both names of a tenant whose id is not its key', async () => {
    const [acme] = tenants
    const tenantStore = new MemoryTenantStore([{ key: 'acme', ...acme, id: 'company-7' }])
    const host = await started({ tenantStore })
    await host.connected()
    expect(await host.told('issued')).toMatchObject([{ tenantKey: 'acme', tenantId: 'company-7' }])
  })

  it('is told why a request was refused, with more detail than the client', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    const response = await host.refresh(refresh_token, { resource: 'https://elsewhere.example' })
    const description = expectError(response, 400, 'invalid_target')
    expect(await host.told('denied')).toEqual([
      {
        type: 'denied',
        where: 'token',
        reason: 'wrong_resource',
        ...grant,
        grantId,
        error: 'invalid_target',
        description,
        status: 400,
        detail: { asked: 'https://elsewhere.example', accepted: [host.issuer()] },
      },
    ])
    expect(response.text).not.toContain(grantId)
  })

  it('is told of a fault with its cause, and not as a refusal', async () => {
    const faulty = faultyStore()
    const host = await started({ tokenStore: faulty.store })
    const { refresh_token } = await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    faulty.always('swapCredential', rejects)
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    const { subject: _, ...about } = grant
    const fault = { reason: 'token_store_failed', error: new Error('The store is out of reach') }
    expect(await host.told('error')).toEqual([{ type: 'error', where: 'token', ...fault, ...about, grantId }])
    expect(await host.told('denied')).toEqual([])
  })

  it('is told the time of each event, in milliseconds since 1970', async () => {
    const clock = stopClock()
    const host = await started()
    await host.connected()
    clock.advance(60)
    await host.refresh('unknown')
    await host.told('denied')
    const [first, second] = host.events
    expect([second?.at, (second?.at ?? 0) - (first?.at ?? 0)]).toEqual([clock.now(), 60_000])
    releaseClock()
  })

  it('runs in the context of the request that caused the event, with many under way', async () => {
    const context = new AsyncLocalStorage<string>()
    const seen: string[] = []
    // The store answers out of order, in the context of a connection that all requests share.
    const store = wrapStore(new MemoryTokenStore(), async ({ apply }) => {
      await new Promise((resolve) => context.exit(() => setTimeout(resolve, Math.random() * 20)))
      return apply()
    })
    const host = await started({
      tokenStore: store,
      onEvent: (event) => seen.push(`${event.type} ${'subject' in event && event.subject} ${context.getStore()}`),
    })
    const subjects = Array.from({ length: 20 }, (_, number) => `customer-${number}`)
    const signedIn = await Promise.all(subjects.map((subject) => host.asCustomer({ subject })))
    host.inContext = (req, handle) => context.run(String(req.headers['x-request']), handle)
    const send = async (subject: string, index: number) =>
      host.exchange(signedIn[index] as SignedIn).set('X-Request', subject)
    await Promise.all(subjects.map(send))
    await Promise.all(subjects.map(send))
    await host.told('denied')
    expect(seen.sort()).toEqual(
      ['denied', 'issued', 'replayed']
        .flatMap((type) => subjects.map((subject) => `${type} ${subject} ${subject}`))
        .sort(),
    )
  })

  it.each<[string, (event: CustomerSignInEvent) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('The log is full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('The log is full'))],
  ])('that %s warns the operator and never reaches a client', async (_, onEvent) => {
    const warning = jest.spyOn(process, 'emitWarning').mockImplementation()
    const host = await started({ onEvent })
    const { refresh_token } = await host.connected()
    expectTokens(await host.refresh(refresh_token))
    expectError(await host.refresh('unknown'), 400, 'invalid_grant')
    await host.told('denied')
    expect(warning).toHaveBeenCalledTimes(3)
    expect(warning).toHaveBeenCalledWith(
      expect.stringContaining('The log is full'),
      expect.objectContaining({ type: 'CustomerSignInWarning', code: 'CUSTOMER_SIGN_IN_EVENT' }),
    )
    warning.mockRestore()
  })

  it('that never finishes keeps no client waiting', async () => {
    const host = await started({ onEvent: () => new Promise(() => {}) })
    const { refresh_token } = await host.connected()
    expectTokens(await host.refresh(refresh_token))
  })

  it('emits process warnings for errors by default, and nothing for other events', async () => {
    const warning = jest.spyOn(process, 'emitWarning').mockImplementation()
    const faulty = faultyStore()
    const host = await started({ tokenStore: faulty.store, onEvent: undefined })
    const { refresh_token } = await host.connected()
    expectError(await host.refresh('unknown'), 400, 'invalid_grant')
    await host.told('denied')
    expect(warning).not.toHaveBeenCalled()
    faulty.always('swapCredential', rejects)
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await host.told('error')
    expect(warning.mock.calls).toEqual([
      [
        'token: The store is out of reach',
        expect.objectContaining({ type: 'CustomerSignInWarning', code: 'CUSTOMER_SIGN_IN_ERROR' }),
      ],
    ])
    warning.mockRestore()
  })
})
