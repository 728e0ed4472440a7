import { MemoryTokenStore } from 'customer-sign-in'
import type { NewGrant } from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { releaseClock, stopClock } from '../../support/clock'
import { recordsOf } from '../../support/records'
import { expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

describe('MemoryTokenStore', () => {
  tokenStoreContract({ describe, it }, () => new MemoryTokenStore(), { contents: (store) => store.contents() })
})

it('names the end of a customer or a company in one way for ever, because processes of two versions share a store', async () => {
  const store = new MemoryTokenStore()
  for (const owner of [{ subject: 'ada' }, { all: 'grants' }] as const) {
    for await (const _ of store.deleteGrants({ tenantId: 'acme', ...owner })) break
  }
  expect(store.contents().ended.map(({ mark }) => mark)).toEqual([
    'yP3mtWFK_cgvkhDElssperqFR_WUTmQHNRYztVFMOU0',
    'EoOMjpDReorAWumZRvMPCVC6fNY2OYgJ2irL3OSMxyY',
  ])
})

const full = { code: 'temporarily_unavailable', status: 503 }

afterEach(releaseClock)

describe('a full MemoryTokenStore', () => {
  it('refuses new sign-ins, and harms no live grant', async () => {
    const host = await started({ tokenStore: new MemoryTokenStore({ maxGrants: 3 }) })
    const waiting = await host.asCustomer({ subject: 'waiting' })
    const connected = [await host.connected(), await host.connected()]
    await expect(host.asCustomer()).rejects.toMatchObject(full)
    expectTokens(await host.exchange(waiting))
    for (const { refresh_token } of connected) {
      const next = expectTokens(await host.refresh(refresh_token))
      expectTokens(await host.refresh(next.refresh_token))
    }
    await expect(host.asCustomer()).rejects.toMatchObject(full)
  })

  it('tells the operator that it is full', async () => {
    const host = await started({ tokenStore: new MemoryTokenStore({ maxGrants: 1 }) })
    await host.asCustomer()
    await expect(host.asCustomer()).rejects.toMatchObject({
      cause: new Error('MemoryTokenStore is full: it holds 1 grants'),
    })
  })

  it('accepts new sign-ins as soon as a grant has ended', async () => {
    const host = await started({ tokenStore: new MemoryTokenStore({ maxGrants: 1 }) })
    await host.connected()
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    await host.connected()
  })

  it('accepts new sign-ins as soon as a grant has expired', async () => {
    const clock = stopClock()
    const host = await started({
      tokenStore: new MemoryTokenStore({ maxGrants: 2 }),
      lifetimes: { authorizationCode: 60 },
    })
    await host.connected({ subject: 'stays' })
    await host.asCustomer()
    clock.advance(59.999)
    await expect(host.asCustomer()).rejects.toMatchObject(full)
    clock.advance(0.001)
    await host.connected()
    expect(await recordsOf(host.tokenStore, 'acme', 'stays')).toHaveLength(1)
  })
})

describe('a MemoryTokenStore', () => {
  it('is empty again when everything has expired', async () => {
    const clock = stopClock()
    const store = new MemoryTokenStore({ maxGrants: 1000 })
    for (let number = 0; number < 1000; number++) await store.createGrant(grant(`early-${number}`, 1))
    clock.advance(1)
    for (let number = 0; number < 1000; number++) await store.createGrant(grant(`later-${number}`, 3600))
    expect(await recordsOf(store, 'acme', 'customer-1')).toHaveLength(1000)
  })

  it('drops expired entries at the first call a minute later', async () => {
    const clock = stopClock()
    const store = new MemoryTokenStore()
    await store.createGrant(grant('one', 1))
    await store.useOnce('acme', 'an id', 1000)
    clock.advance(60)
    expect(store.contents()).toMatchObject({ grants: [{}], used: [{}] })
    await store.findGrant('acme', 'another')
    await store.useOnce('acme', 'another id', 0)
    expect(store.contents()).toMatchObject({ grants: [], used: [{ id: 'another id' }] })
  })

  it('notes at most 100,000 used consent pages and assertions, and makes no room for others', async () => {
    const store = new MemoryTokenStore()
    for (let number = 0; number < 100_000; number++) await store.useOnce('acme', `id-${number}`, 60_000)
    const full = 'MemoryTokenStore is full: it holds 100000 ids of used consent pages and assertions'
    await expect(store.useOnce('acme', 'one more', 60_000)).rejects.toThrow(full)
    expect(await store.useOnce('acme', 'id-0', 60_000)).toBe(false)
  })

  it('remembers for an hour and a minute whose grants were deleted', async () => {
    const clock = stopClock()
    const store = new MemoryTokenStore()
    const asserted = { ...grant('one', 3600), assertedAt: Date.now() }
    for await (const _ of store.deleteGrants({ tenantId: 'acme', subject: 'customer-1' }));
    clock.advance(3659)
    expect(await store.createGrant(asserted)).toMatchObject({ outcome: 'ended' })
    clock.advance(60)
    expect(await store.createGrant(asserted)).toMatchObject({ outcome: 'created' })
    expect(store.contents().ended).toEqual([])
  })

  it('keeps no process alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = timers()
    const store = new MemoryTokenStore()
    await store.createGrant(grant('one', 3600))
    expect(timers()).toBe(before)
  })
})

function grant(grantId: string, seconds: number): NewGrant {
  return {
    tenantId: 'acme',
    grantId,
    clientId: 'app',
    subject: 'customer-1',
    scopes: ['profile'],
    resource: 'https://api.example',
    credential: { kind: 'code', hash: 'hash' },
    request: { redirectUri: 'https://app.example/callback', codeChallenge: 'challenge' },
    lifetime: seconds * 1000,
    deadline: Number.POSITIVE_INFINITY,
  }
}
