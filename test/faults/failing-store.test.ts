import { MemoryTenantStore, OAuthError } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import type { Response } from 'supertest'
import { releaseClock, stopClock } from '../support/clock'
import { type Fault, faultyStore, hangs, losesItsAnswer, rejects } from '../support/faulty-store'
import { recordOf, recordsOf } from '../support/records'
import { kinds, liveCredential } from '../support/redemptions'
import { clientId, expectError, expectTokens, tenants } from '../support/sign-in'
import { started } from '../support/started'

// Short, because some stores here never answer, and so that the default timeout is not what ends the wait.
const hostTimeout = 0.2
jest.setTimeout(4_000)

const failures: [string, Fault][] = [
  ['rejects', rejects],
  ['never answers', hangs],
  [
    'throws',
    () => {
      throw new Error('The store is broken')
    },
  ],
]

const unavailable = { code: 'temporarily_unavailable', status: 503 }

function expectUnavailable(response: Response): void {
  expectError(response, 503, 'temporarily_unavailable')
  expect(response.headers['retry-after']).toMatch(/^\d+$/)
}

afterEach(releaseClock)

describe.each(failures)('a store that %s', (_, fault) => {
  async function prepared(options = {}) {
    const faulty = faultyStore()
    const host = await started({ tokenStore: faulty.store, hostTimeout, ...options })
    return { faulty, host }
  }

  it.each(kinds)('makes a client that redeems a %s retry, and no credential is used up', async (kind) => {
    const { faulty, host } = await prepared()
    const redeem = await liveCredential[kind](host)
    const before = await recordOf(faulty.healthy)
    faulty.always('swapCredential', fault)
    expectUnavailable(await redeem())
    expect(await recordOf(faulty.healthy)).toEqual(before)
    faulty.recover()
    expectTokens(await redeem())
  })

  it('makes a client that narrows the scope retry, and no credential is used up', async () => {
    const { faulty, host } = await prepared()
    const { refresh_token } = await host.connected()
    faulty.always('findGrant', fault)
    expectUnavailable(await host.refresh(refresh_token, { scope: 'profile' }))
    faulty.recover()
    expectTokens(await host.refresh(refresh_token, { scope: 'profile' }))
  })

  it('does not let a replay count as ended if it could not end the grant', async () => {
    const { faulty, host } = await prepared({ replayTolerance: 0 })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    faulty.always('deleteGrant', fault)
    expectUnavailable(await host.refresh(first.refresh_token))
    expect(await host.told('replayed')).toMatchObject([{ ended: false }])
    faulty.recover()
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_grant')
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
  })

  it('lets no code out that it has not stored', async () => {
    const { faulty, host } = await prepared()
    faulty.always('createGrant', fault)
    await expect(host.asCustomer()).rejects.toMatchObject(unavailable)
  })

  it('keeps no grant for a code that nobody received, even if it stores the grant later', async () => {
    const { faulty, host } = await prepared()
    const clock = stopClock()
    await host.asCustomer({ subject: 'customer-2' })
    const late: (() => Promise<unknown>)[] = []
    faulty.always('createGrant', (apply) => {
      late.push(apply)
      return fault(apply)
    })
    await expect(host.asCustomer()).rejects.toMatchObject(unavailable)
    clock.advance(1)
    for (const apply of late) await apply()
    expect(await recordsOf(faulty.healthy)).toEqual([])
  })

  it('is called a second time for a code, and the code is issued if it then answers', async () => {
    const { faulty, host } = await prepared()
    faulty.next('createGrant', fault)
    expectTokens(await host.exchange(await host.asCustomer()))
  })

  it('lets no access token through if its revocation cannot be checked', async () => {
    const { faulty, host } = await prepared()
    const { access_token } = await host.connected()
    faulty.always('findGrant', fault)
    const check = host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', checkRevocation: true })
    await expect(check).rejects.toMatchObject(unavailable)
    await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
  })

  it.each<['list' | 'revoke', keyof TokenStore]>([
    ['list', 'listGrants'],
    ['revoke', 'findGrant'],
    ['revoke', 'deleteGrant'],
  ])('makes %s reject for the host if %s fails', async (call, method) => {
    const { faulty, host } = await prepared()
    await host.connected()
    const { grantId } = await recordOf(faulty.healthy)
    faulty.always(method, fault)
    const { grants } = host.signIn
    const tenantKey = 'acme'
    const calls = {
      list: () => grants.list({ tenantKey, subject: 'customer-1' }),
      revoke: () => grants.revoke({ tenantKey, subject: 'customer-1', grantId }),
    }
    await expect(calls[call]()).rejects.toMatchObject(unavailable)
  })
})

describe('a store whose answer to the deletion of a grant is lost', () => {
  it('has ended the grant nevertheless, and the host is told of the replay', async () => {
    const clock = stopClock()
    const faulty = faultyStore()
    const host = await started({ tokenStore: faulty.store })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(60)
    faulty.next('deleteGrant', losesItsAnswer)
    expectUnavailable(await host.refresh(first.refresh_token))
    expect(await host.told('replayed')).toMatchObject([{ ended: false, age: 60 }])
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_grant')
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
    expect(await recordsOf(faulty.healthy)).toEqual([])
  })
})

describe('a tenant store', () => {
  it.each<[string, () => Promise<undefined>]>([
    ['rejects', () => Promise.reject(new Error('The database is out of reach'))],
    ['never answers', () => new Promise(() => {})],
  ])('that %s makes the client retry', async (_, find) => {
    let failing = false
    const healthy = new MemoryTenantStore(tenants)
    const tenantStore = { findTenant: (key: string) => (failing ? find() : healthy.findTenant(key)) }
    const host = await started({ tenantStore, hostTimeout })
    const { refresh_token } = await host.connected()
    failing = true
    expectUnavailable(await host.refresh(refresh_token))
    expect(await host.told('error')).toMatchObject([{ tenantKey: 'acme' }])
    failing = false
    expectTokens(await host.refresh(refresh_token))
  })
})

describe('accessTokenClaims', () => {
  it.each<[string, () => Promise<Record<string, unknown>>]>([
    ['rejects', () => Promise.reject(new Error('The directory is out of reach'))],
    ['never answers', () => new Promise(() => {})],
    ['gives what no token can carry', async () => ({ big: 1n })],
  ])('that %s makes the client retry, and no credential is used up', async (_, failing) => {
    let claims = failing
    const host = await started({ hostTimeout, accessTokenClaims: () => claims() })
    const signedIn = await host.asCustomer()
    expectUnavailable(await host.exchange(signedIn))
    claims = async () => ({ plan: 'gold' })
    const tokens = expectTokens(await host.exchange(signedIn))
    claims = failing
    expectUnavailable(await host.refresh(tokens.refresh_token))
    claims = async () => ({ plan: 'gold' })
    const { access_token } = expectTokens(await host.refresh(tokens.refresh_token))
    expect(await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).toMatchObject({
      clientId,
      claims: { plan: 'gold' },
    })
  })

  it('that refuses the customer uses no credential up either', async () => {
    let active = false
    const accessTokenClaims = () => {
      if (!active) throw new OAuthError('invalid_grant', 'The customer has been deactivated')
      return {}
    }
    const host = await started({ accessTokenClaims })
    const signedIn = await host.asCustomer()
    expect(expectError(await host.exchange(signedIn), 400, 'invalid_grant')).toMatch(/deactivated/)
    active = true
    expectTokens(await host.exchange(signedIn))
  })
})
