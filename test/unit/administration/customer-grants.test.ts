import { ConfigurationError, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { faultyStore, rejects } from '../../support/faulty-store'
import { recordOf, recordsOf } from '../../support/records'
import { expectError, expectTokens, tenants } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const customer = { tenantKey: 'acme', subject: 'customer-1' }

afterEach(releaseClock)

describe('grants.list', () => {
  it('gives the clients that a customer has connected, with the time and the scopes', async () => {
    const clock = stopClock()
    const host = await started({
      scopes: { profile: 'Know who you are', calendar: { words: { en: 'See your calendar' } } },
    })
    const connectedAt = clock.now()
    const tokens = await host.connected({ scopes: 'calendar' })
    const { grantId } = await recordOf(host.tokenStore)
    clock.advance(60)
    await host.refresh(tokens.refresh_token)
    expect((await host.signIn.grants.list(customer)).grants).toEqual([
      {
        grantId,
        clientId: 'assistant-app',
        clientName: 'assistant-app',
        vouchedFor: true,
        destinations: ['assistant.example'],
        subject: 'customer-1',
        scopes: ['calendar'],
        scopeTexts: [{ scope: 'calendar', text: 'See your calendar' }],
        resource: host.issuer(),
        connectedAt,
        lastUsedAt: clock.now(),
        expiresAt: clock.now() + 30 * 86_400_000,
      },
    ])
  })

  it('leaves out codes that are not redeemed yet, and grants that have ended or expired', async () => {
    const clock = stopClock()
    const host = await started({ lifetimes: { refreshToken: 3600 } })
    await host.connected()
    clock.advance(3600)
    await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    await host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId })
    await host.asCustomer()
    expect((await host.signIn.grants.list(customer)).grants).toEqual([])
  })

  it('gives no grants of another customer or another tenant, even if the names are the same', async () => {
    const host = await started()
    await host.connected({ subject: 'customer-2' })
    await host.connected({ tenantKey: 'globex' })
    expect((await host.signIn.grants.list(customer)).grants).toEqual([])
  })

  it('gives nothing with which a grant could be redeemed', async () => {
    const host = await started()
    await host.connected()
    const { credential, swap } = await recordOf(host.tokenStore)
    const listed = JSON.stringify((await host.signIn.grants.list(customer)).grants)
    expect(listed).not.toContain(credential?.hash)
    expect(listed).not.toContain(swap?.attempt)
  })
})

describe('grants.revoke', () => {
  it('ends one grant and no other, and reports it once', async () => {
    const host = await started()
    const ended = await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    const other = await host.connected()
    const which = { ...customer, grantId }
    expect(await host.signIn.grants.revoke(which)).toBe(true)
    expect(await host.signIn.grants.revoke(which)).toBe(false)
    expectError(await host.refresh(ended.refresh_token), 400, 'invalid_grant')
    expectTokens(await host.refresh(other.refresh_token))
    expect(await host.told('revoked')).toEqual([
      {
        at: expect.any(Number),
        type: 'revoked',
        reason: 'host',
        tenantKey: 'acme',
        tenantId: 'acme',
        grantId,
        clientId: 'assistant-app',
        subject: 'customer-1',
      },
    ])
  })

  it('ends nothing of another customer', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    for (const subject of ['customer-2', 'customer-']) {
      expect(await host.signIn.grants.revoke({ tenantKey: 'acme', subject, grantId })).toBe(false)
    }
    expectTokens(await host.refresh(refresh_token))
  })

  it('ends nothing of another tenant', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    expect(await host.signIn.grants.revoke({ tenantKey: 'globex', subject: 'customer-1', grantId })).toBe(false)
    expectTokens(await host.refresh(refresh_token))
  })

  it('ends a grant that the store does not find, for example because a replica lags', async () => {
    const memory = new MemoryTokenStore()
    const tokenStore = wrapStore(memory, async ({ method, apply }) => (method === 'findGrant' ? undefined : apply()))
    const host = await started({ tokenStore })
    const { refresh_token } = await host.connected()
    const { grantId } = await recordOf(memory)
    expect(await host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId })).toBe(true)
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
  })

  it('makes the access tokens invalid wherever revocation is checked, and nowhere else', async () => {
    const host = await started()
    const { access_token } = await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    const checked = { tenantKey: 'acme', checkRevocation: true }
    expect((await host.signIn.verifyAccessToken(access_token, checked)).grantId).toBe(grantId)
    await host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId })
    await expect(host.signIn.verifyAccessToken(access_token, checked)).rejects.toMatchObject({
      code: 'invalid_token',
      status: 401,
    })
    expect((await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).grantId).toBe(grantId)
  })
})

describe('grants.revokeAll', () => {
  it('signs a customer out everywhere, and nobody else', async () => {
    const host = await started()
    const mine = [await host.connected(), await host.connected()]
    const others = [await host.connected({ subject: 'customer-2' }), await host.connected({ subject: 'customer-11' })]
    const elsewhere = await host.connected({ tenantKey: 'globex' })
    expect(await host.signIn.grants.revokeAll(customer)).toBe(2)
    expect(await host.signIn.grants.revokeAll(customer)).toBe(0)
    for (const { refresh_token } of mine) expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    for (const { refresh_token } of others) expectTokens(await host.refresh(refresh_token))
    expectTokens(await host.refresh(elsewhere.refresh_token, {}, 'globex'))
    expect(await host.told('revoked')).toHaveLength(2)
  })

  it('also ends codes that are not redeemed yet', async () => {
    const host = await started()
    const signedIn = await host.asCustomer()
    expect(await host.signIn.grants.revokeAll(customer)).toBe(1)
    expectError(await host.exchange(signedIn), 400, 'invalid_grant')
  })

  it('also ends grants that are exchanged or refreshed while it runs', async () => {
    const memory = new MemoryTokenStore()
    const late: string[] = []
    let meanwhile = async () => {}
    const tokenStore = wrapStore(memory, async ({ method, apply }) => {
      if (method === 'deleteGrants') await meanwhile()
      return apply()
    })
    const host = await started({ tokenStore })
    const waiting = await host.asCustomer()
    const connected = await host.connected()
    meanwhile = async () => {
      late.push(expectTokens(await host.exchange(waiting)).refresh_token)
      late.push(expectTokens(await host.refresh(connected.refresh_token)).refresh_token)
    }
    expect(await host.signIn.grants.revokeAll(customer)).toBe(2)
    expect(await recordsOf(memory)).toEqual([])
    expect(late).toHaveLength(2)
    for (const refreshToken of late) expectError(await host.refresh(refreshToken), 400, 'invalid_grant')
  })

  it('ends the grants of all customers to a client, and no grant of another client or tenant', async () => {
    const host = await started()
    const tenantKey = 'globex'
    const mine = [await host.connected({ tenantKey }), await host.connected({ tenantKey, subject: 'customer-2' })]
    const elsewhere = await host.connected()
    const otherCode = await host.asCustomer({ tenantKey, clientId: 'other-app' })
    const other = expectTokens(await host.exchange(otherCode, { client_id: 'other-app' }))
    expect(await host.signIn.grants.revokeAll({ tenantKey, clientId: 'assistant-app' })).toBe(2)
    for (const { refresh_token } of mine) {
      expectError(await host.refresh(refresh_token, {}, tenantKey), 400, 'invalid_grant')
    }
    expectTokens(await host.refresh(other.refresh_token, { client_id: 'other-app' }, tenantKey))
    expectTokens(await host.refresh(elsewhere.refresh_token))
  })

  it('leaves nothing about the customer in the store, not even about expired grants', async () => {
    const clock = stopClock()
    const tokenStore = new MemoryTokenStore()
    const host = await started({ tokenStore, lifetimes: { refreshToken: 30 } })
    await host.connected()
    await host.asCustomer()
    clock.advance(30)
    const [expired, live] = tokenStore.contents().grants
    expect(expired).toMatchObject({ subject: customer.subject, expiresAt: clock.now() })
    expect(live).toMatchObject({ subject: customer.subject, expiresAt: clock.now() + 30_000 })
    await host.signIn.grants.revokeAll(customer)
    expect(JSON.stringify(tokenStore.contents())).not.toContain(customer.subject)
  })

  it('rejects if the store fails, and tells the operator whose grants may be left', async () => {
    const { store, always } = faultyStore()
    const host = await started({ tokenStore: store })
    await host.connected()
    always('deleteGrants', rejects)
    await expect(host.signIn.grants.revokeAll(customer)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    const fault = { where: 'grants.revokeAll', reason: 'token_store_failed', tenantId: 'acme', ...customer }
    expect(await host.told('error')).toMatchObject([fault])
  })

  it('lets the customer sign in again', async () => {
    const host = await started()
    await host.connected()
    await host.signIn.grants.revokeAll(customer)
    const { refresh_token } = await host.connected()
    expectTokens(await host.refresh(refresh_token))
  })
})

describe('the members of grants', () => {
  it('say whose grants revokeAll must be told to end', async () => {
    const { signIn } = await started()
    const call = signIn.grants.revokeAll({ tenantKey: 'acme' } as typeof customer)
    await expect(call).rejects.toThrow('grants.revokeAll must have a subject, a clientId, or both')
  })

  it('reject for an unknown tenant', async () => {
    const { signIn } = await started()
    const tenantKey = 'nowhere'
    const missing = { code: 'not_found', status: 404 }
    await expect(signIn.grants.list({ tenantKey, subject: 'customer-1' })).rejects.toMatchObject(missing)
    await expect(signIn.grants.revoke({ tenantKey, subject: 'customer-1', grantId: 'none' })).rejects.toMatchObject(
      missing,
    )
    await expect(signIn.grants.list({ tenantKey, anyCustomer: true })).rejects.toMatchObject(missing)
    await expect(signIn.grants.revokeAll({ tenantKey, subject: 'customer-1' })).rejects.toMatchObject(missing)
  })

  const tenantKey = 'acme'
  const [subject, clientId, grantId] = ['customer-1', 'assistant-app', 'a-grant']
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['nobody', { tenantKey }],
    ['a customer who is undefined', { tenantKey, subject: undefined }],
    ['an empty customer', { tenantKey, subject: '' }],
    ['a customer who is a number', { tenantKey, subject: 1 }],
    ['half of a character', { tenantKey, subject: '\ud83d' }],
    ['a company by half of a character', { tenantId: '\ud83d', subject }],
    ['an undefined client of a customer', { tenantKey, subject, clientId: undefined }],
    ['an undefined customer of a client', { tenantKey, subject: undefined, clientId }],
    ['an empty client', { tenantKey, clientId: '' }],
    ['an unknown member', { tenantKey, subject, grantId }],
    ['no tenant', { subject }],
  ])('reject revokeAll of %s, and end nothing', async (_, of) => {
    const host = await started()
    const { refresh_token } = await host.connected()
    const call = host.signIn.grants.revokeAll(of as { tenantKey: string; subject: string })
    await expect(call).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('grants.revokeAll'),
    })
    expectTokens(await host.refresh(refresh_token))
  })

  it.each<[string, unknown, unknown]>([
    ['an unknown member', { tenantKey, subject, grantId }, { tenantKey, grantId, subject, clientId }],
    ['a language that is none', { tenantKey, subject, language: 'the German one' }, { tenantKey, subject, grantId: 1 }],
    ['one that is undefined', { tenantKey, subject: undefined }, { tenantKey, subject: undefined, grantId }],
    ['one that is empty', { tenantKey, subject: '' }, { tenantKey, subject: '', grantId }],
    ['everybody and somebody', { tenantKey, subject, anyCustomer: true }, { tenantKey, grantId }],
    ['nobody', { tenantKey }, { tenantKey, subject }],
  ])('reject list and revoke of %s', async (_, of, which) => {
    const { signIn } = await started()
    const list = signIn.grants.list(of as { tenantKey: string; subject: string })
    await expect(list).rejects.toBeInstanceOf(ConfigurationError)
    const revoke = signIn.grants.revoke(which as { tenantKey: string; subject: string; grantId: string })
    await expect(revoke).rejects.toBeInstanceOf(ConfigurationError)
  })

  it('give and end no grants of the company that had the tenant key before', async () => {
    const tokenStore = new MemoryTokenStore()
    const [acme] = tenants
    const former = await started({ tokenStore })
    const { refresh_token } = await former.connected()
    const tenantStore = new MemoryTenantStore([{ key: 'acme', ...acme, id: 'another company' }])
    const latter = await started({ tokenStore, tenantStore })
    expect((await latter.signIn.grants.list(customer)).grants).toEqual([])
    expect(await latter.signIn.grants.revokeAll(customer)).toBe(0)
    expectTokens(await former.refresh(refresh_token))
  })
})
