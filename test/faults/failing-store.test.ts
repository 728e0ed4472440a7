import { MemoryTenantStore, OAuthError } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import type { Response } from 'supertest'
import { releaseClock, type StoppedClock, stopClock } from '../support/clock'
import { type Fault, faultyStore, hangs, losesItsAnswer, rejects } from '../support/faulty-store'
import { recordOf, recordsOf } from '../support/records'
import { kinds, liveCredential } from '../support/redemptions'
import { clientId, expectError, expectTokens, type TestSignIn, tenants } from '../support/sign-in'
import { started } from '../support/started'

// Short, because some stores here never answer.
const hostTimeout = 0.2
// Milliseconds: not longer than that, whatever the default is.
const tookTooLong = /^\w+(\.\w+)? took longer than (\d{1,2}|1\d\d|200)(\.\d+)? ms$/

const failures: [string, Fault, told: RegExp][] = [
  ['rejects', rejects, /^The store is out of reach$/],
  ['never answers', hangs, tookTooLong],
  [
    'throws',
    () => {
      throw new Error('The store is broken')
    },
    /^The store is broken$/,
  ],
]

/** What the host's own code is thrown. */
const unavailable = (told: RegExp) => ({
  code: 'temporarily_unavailable',
  status: 503,
  cause: expect.objectContaining({ message: expect.stringMatching(told) }),
})

/** What the client is answered, and what the operator is told. */
async function expectUnavailable(host: TestSignIn, told: RegExp, response: Response): Promise<void> {
  expectError(response, 503, 'temporarily_unavailable')
  expect(response.headers['retry-after']).toMatch(/^\d+$/)
  expect((await host.told('error')).at(-1)?.error.message).toMatch(told)
}

// A call that never answers ends by its timer, which goes on. What a busy machine takes for the other calls counts for nothing.
let clock: StoppedClock
beforeEach(() => {
  clock = stopClock()
})
afterEach(releaseClock)

describe.each(failures)('a store that %s', (_, fault, told) => {
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
    await expectUnavailable(host, told, await redeem())
    expect(await recordOf(faulty.healthy)).toEqual(before)
    faulty.recover()
    expectTokens(await redeem())
  })

  it('makes a client that narrows the scope retry, and no credential is used up', async () => {
    const { faulty, host } = await prepared()
    const { refresh_token } = await host.connected()
    faulty.always('findGrant', fault)
    await expectUnavailable(host, told, await host.refresh(refresh_token, { scope: 'profile' }))
    faulty.recover()
    expectTokens(await host.refresh(refresh_token, { scope: 'profile' }))
  })

  it('does not let a replay count as ended if it could not end the grant', async () => {
    const { faulty, host } = await prepared({ replayTolerance: 0 })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    faulty.always('deleteGrant', fault)
    await expectUnavailable(host, told, await host.refresh(first.refresh_token))
    expect(await host.told('replayed')).toMatchObject([{ ended: false }])
    faulty.recover()
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_grant')
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
  })

  it('lets no code out that it has not stored', async () => {
    const { faulty, host } = await prepared()
    faulty.always('createGrant', fault)
    await expect(host.asCustomer()).rejects.toMatchObject(unavailable(told))
  })

  it('keeps no grant for a code that nobody received, even if it stores the grant later', async () => {
    const { faulty, host } = await prepared()
    await host.asCustomer({ subject: 'customer-2' })
    const late: (() => Promise<unknown>)[] = []
    faulty.always('createGrant', (apply) => {
      late.push(apply)
      return fault(apply)
    })
    await expect(host.asCustomer()).rejects.toMatchObject(unavailable(told))
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
    await expect(check).rejects.toMatchObject(unavailable(told))
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
    await expect(calls[call]()).rejects.toMatchObject(unavailable(told))
  })
})

describe('a store whose answer to the deletion of a grant is lost', () => {
  it('has ended the grant nevertheless, and the host is told of the replay', async () => {
    const faulty = faultyStore()
    const host = await started({ tokenStore: faulty.store })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(60)
    faulty.next('deleteGrant', losesItsAnswer)
    await expectUnavailable(host, /^The connection to the store was lost$/, await host.refresh(first.refresh_token))
    expect(await host.told('replayed')).toMatchObject([{ ended: false, age: 60 }])
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_grant')
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
    expect(await recordsOf(faulty.healthy)).toEqual([])
  })
})

describe('a tenant store', () => {
  it.each<[string, () => Promise<undefined>, told: RegExp]>([
    ['rejects', () => Promise.reject(new Error('The database is out of reach')), /^The database is out of reach$/],
    ['never answers', () => new Promise(() => {}), tookTooLong],
  ])('that %s makes the client retry', async (_, find, told) => {
    let failing = false
    const healthy = new MemoryTenantStore(tenants)
    const tenantStore = { findTenant: (key: string) => (failing ? find() : healthy.findTenant(key)) }
    const host = await started({ tenantStore, hostTimeout })
    const { refresh_token } = await host.connected()
    failing = true
    await expectUnavailable(host, told, await host.refresh(refresh_token))
    expect(await host.told('error')).toMatchObject([{ tenantKey: 'acme' }])
    failing = false
    expectTokens(await host.refresh(refresh_token))
  })
})

describe('accessTokenClaims', () => {
  it.each<[string, () => Promise<Record<string, unknown>>, told: RegExp]>([
    ['rejects', () => Promise.reject(new Error('The directory is out of reach')), /^The directory is out of reach$/],
    ['never answers', () => new Promise(() => {}), tookTooLong],
    ['gives what no token can carry', async () => ({ big: 1n }), /must return an object of plain JSON/],
  ])('that %s makes the client retry, and no credential is used up', async (_, failing, told) => {
    let claims = failing
    const host = await started({ hostTimeout, accessTokenClaims: () => claims() })
    const signedIn = await host.asCustomer()
    await expectUnavailable(host, told, await host.exchange(signedIn))
    claims = async () => ({ plan: 'gold' })
    const tokens = expectTokens(await host.exchange(signedIn))
    claims = failing
    await expectUnavailable(host, told, await host.refresh(tokens.refresh_token))
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
