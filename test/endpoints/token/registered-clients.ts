import type { CustomerSignInOptions, NewClient } from 'customer-sign-in'
import { newRegisteredId } from '../../../src/protocol/client-id'
import { releaseClock, stopClock } from '../../support/clock'
import { type Fault, faultyStore, hangs, rejects } from '../../support/faulty-store'
import { eventually } from '../../support/redis-server'
import { registered, saveClient } from '../../support/registration'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'
import { wrapStore } from '../../support/wrap-store'
import type { CreateTokenStore, Start } from './start'

const day = 86_400

/** A client that has just registered itself at a host, and the requests that it makes there. */
class Registered {
  readonly clientId = newRegisteredId()
  readonly #host: TestSignIn

  private constructor(host: TestSignIn) {
    this.#host = host
  }

  static async at(host: TestSignIn, overrides: Partial<NewClient> = {}): Promise<Registered> {
    const client = new Registered(host)
    await client.register(overrides)
    return client
  }

  async register(overrides: Partial<NewClient> = {}): Promise<void> {
    await saveClient(this.#host.tokenStore, { clientId: this.clientId, lifetime: day * 1000, ...overrides })
  }

  signIn() {
    return this.#host.asCustomer({ clientId: this.clientId, subject: `customer of ${this.clientId}` })
  }

  async exchange(signedIn = this.signIn()) {
    return this.#host.exchange(await signedIn, { client_id: this.clientId })
  }

  refresh(refreshToken: string) {
    return this.#host.refresh(refreshToken, { client_id: this.clientId })
  }

  /** When its registration expires, in milliseconds; undefined if it has no registration any more. */
  async expiresAt(): Promise<number | undefined> {
    return (await this.#host.tokenStore.findClient('acme', this.clientId))?.expiresAt
  }
}

export function registeredClients(start: Start, createTokenStore: CreateTokenStore): void {
  afterEach(releaseClock)

  /** A host that counts how often a registration was extended, and with which a test can wait for the next time. */
  async function keeping(options: Partial<CustomerSignInOptions> = {}) {
    let kept = 0
    let tell = () => {}
    const tokenStore = wrapStore(await createTokenStore(), async ({ method, apply }) => {
      const result = await apply()
      if (method === 'touchClient') {
        kept++
        tell()
      }
      return result
    })
    const host = await start({ ...options, tokenStore })
    const nextKept = () =>
      new Promise<void>((resolve) => {
        tell = resolve
      })
    return { host, kept: () => kept, nextKept }
  }

  it('redeems codes and refresh tokens like any other', async () => {
    const client = await Registered.at(await start())
    const { refresh_token } = expectTokens(await client.exchange())
    expectTokens(await client.refresh(refresh_token))
  })

  it('gets refresh tokens even if it has registered only for authorization codes', async () => {
    const host = await start()
    const client_id = await registered(host, { grant_types: ['authorization_code'] })
    const { refresh_token } = expectTokens(
      await host.exchange(await host.asCustomer({ clientId: client_id }), { client_id }),
    )
    expectTokens(await host.refresh(refresh_token, { client_id }))
  })

  it('is registered with one company only', async () => {
    const client = await Registered.at(await start(), { tenantId: 'globex' })
    await expect(client.signIn()).rejects.toMatchObject({ code: 'invalid_client' })
    expectError(await client.refresh('csir_'), 401, 'invalid_client')
  })

  it('is refused with 401 if its registration is gone, and its grant ends', async () => {
    const host = await start()
    const client = await Registered.at(host)
    const first = expectTokens(await client.exchange())
    const { access_token, refresh_token } = expectTokens(await client.refresh(first.refresh_token))
    expect(await host.signIn.clients.delete({ tenantKey: 'acme', clientId: client.clientId })).toBe(true)

    const response = await client.refresh(refresh_token)
    expectError(response, 401, 'invalid_client')
    expect(response.headers['www-authenticate']).toMatch(/^Basic /)
    await expect(
      host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', checkRevocation: true }),
    ).rejects.toMatchObject({ code: 'invalid_token' })
    expect(await host.told('revoked')).toMatchObject([{ reason: 'client_gone', clientId: client.clientId }])
    expect(await host.told('denied')).toContainEqual(expect.objectContaining({ reason: 'client_gone', where: 'token' }))

    await client.register()
    expectError(await client.refresh(refresh_token), 400, 'invalid_grant')
  })

  it('is looked up with the first refresh of a day, not with the others', async () => {
    const clock = stopClock()
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store })
    const client = await Registered.at(host)
    let tokens = expectTokens(await client.exchange())
    let lookUps = 0
    faults.always('findClient', (apply) => {
      lookUps++
      return apply()
    })
    for (let days = 1; days <= 3; days++) {
      for (let times = 0; times < 3; times++) tokens = expectTokens(await client.refresh(tokens.refresh_token))
      expect(lookUps).toBe(days)
      clock.advance(day)
    }
  })

  it('is looked up if somebody has changed the day in its refresh token', async () => {
    const clock = stopClock()
    const host = await start()
    const client = await Registered.at(host)
    let { refresh_token } = expectTokens(await client.exchange())
    for (let times = 0; times < 2; times++)
      refresh_token = expectTokens(await client.refresh(refresh_token)).refresh_token
    await host.tokenStore.deleteClient('acme', client.clientId)
    clock.advance(day)
    const bytes = Buffer.from(refresh_token.slice('csir_'.length), 'base64url')
    const ofThisDay = (1 + (Math.floor(Date.now() / 86_400_000) % 127)) << 1
    bytes.writeUInt8(ofThisDay, 41)
    expectError(await client.refresh(`csir_${bytes.toString('base64url')}`), 401, 'invalid_client')
    expect(await host.told('revoked')).toMatchObject([{ reason: 'client_gone', clientId: client.clientId }])
  })

  it('is in use from its next refresh on if that could not be noted with the code', async () => {
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store })
    const client = await Registered.at(host)
    const signedIn = client.signIn()
    await signedIn
    faults.always('touchClient', rejects)
    const { refresh_token } = expectTokens(await client.exchange(signedIn))
    faults.recover()
    expectTokens(await client.refresh(refresh_token))
    const find = () => host.signIn.clients.find({ tenantKey: 'acme', clientId: client.clientId })
    await eventually(async () => (await find())?.inUse === true)
  })

  it('whose registration only the store has lost is refused the next day, and its grant ends', async () => {
    const clock = stopClock()
    const host = await start()
    const client = await Registered.at(host)
    let { refresh_token } = expectTokens(await client.exchange())
    refresh_token = expectTokens(await client.refresh(refresh_token)).refresh_token
    await host.tokenStore.deleteClient('acme', client.clientId)
    refresh_token = expectTokens(await client.refresh(refresh_token)).refresh_token
    clock.advance(day)
    expectError(await client.refresh(refresh_token), 401, 'invalid_client')
    const about = { reason: 'client_gone', clientId: client.clientId, subject: `customer of ${client.clientId}` }
    expect(await host.told('revoked')).toMatchObject([about])
    expect(await host.told('denied')).toMatchObject([about])
  })

  it.each<[string, Fault]>([
    ['fails', rejects],
    ['hangs', hangs],
  ])('is told why its refresh token is refused if the look-up of its registration %s', async (_, fault) => {
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store, hostTimeout: 0.1 })
    const client = await Registered.at(host)
    const first = expectTokens(await client.exchange())
    const { refresh_token } = expectTokens(await client.refresh(first.refresh_token))
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', clientId: client.clientId })
    faults.always('findClient', fault)
    expectError(await client.refresh(refresh_token), 400, 'invalid_grant')
  })

  it('is not looked up while the store does not redeem its refresh tokens', async () => {
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store })
    const client = await Registered.at(host)
    const first = expectTokens(await client.exchange())
    const { refresh_token } = expectTokens(await client.refresh(first.refresh_token))
    const lookUps: unknown[] = []
    faults.always('findClient', (apply) => {
      lookUps.push(apply)
      return apply()
    })
    faults.always('swapCredential', rejects)
    expectError(await client.refresh(refresh_token), 503, 'temporarily_unavailable')
    expect(lookUps).toEqual([])
  })

  it('whose registration is gone is refused even if the store cannot end its grant, and the operator is told', async () => {
    const clock = stopClock()
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store })
    const client = await Registered.at(host)
    const { refresh_token } = expectTokens(await client.exchange())
    await host.tokenStore.deleteClient('acme', client.clientId)
    clock.advance(day)
    faults.always('deleteGrant', rejects)
    expectError(await client.refresh(refresh_token), 401, 'invalid_client')
    const about = { tenantKey: 'acme', clientId: client.clientId, subject: `customer of ${client.clientId}` }
    const fault = { where: 'deleteGrant', reason: 'token_store_failed', ...about }
    expect(await host.told('error')).toMatchObject([fault])
    expect(await host.told('revoked')).toEqual([])
  })

  it('whose registration is gone cannot redeem the code that it was given before', async () => {
    const host = await start()
    const client = await Registered.at(host)
    const signedIn = await client.signIn()
    await host.tokenStore.deleteClient('acme', client.clientId)
    expectError(await client.exchange(Promise.resolve(signedIn)), 401, 'invalid_client')
  })

  it('whose registration is gone cannot redeem that code with a refresh token of the same day beside it', async () => {
    const host = await start()
    const client = await Registered.at(host)
    const first = expectTokens(await client.exchange())
    const { refresh_token } = expectTokens(await client.refresh(first.refresh_token))
    const signedIn = await client.signIn()
    await host.tokenStore.deleteClient('acme', client.clientId)
    expectError(await host.exchange(signedIn, { client_id: client.clientId, refresh_token }), 401, 'invalid_client')
  })

  it('stays registered for as long as it is used', async () => {
    const clock = stopClock()
    const { host, nextKept } = await keeping()
    const client = await Registered.at(host)
    const signedIn = client.signIn()
    await signedIn
    let kept = nextKept()
    let tokens = expectTokens(await client.exchange(signedIn))
    for (let month = 0; month < 3; month++) {
      await kept
      clock.advance(29 * day)
      kept = nextKept()
      tokens = expectTokens(await client.refresh(tokens.refresh_token))
    }
    await kept
    expect(await client.expiresAt()).toBeGreaterThan(clock.now() + 30 * day * 1000)
  })

  it('outlives a code that was issued to it', async () => {
    const clock = stopClock()
    const { host, nextKept } = await keeping()
    const client = await Registered.at(host, { lifetime: 10_000 })
    const kept = nextKept()
    const signedIn = await client.signIn()
    await kept
    clock.advance(59)
    expectTokens(await client.exchange(Promise.resolve(signedIn)))
  })

  it('is deleted once it is idle and its grants have ended', async () => {
    const clock = stopClock()
    const { host, nextKept } = await keeping({ refreshTokenLifetime: 2 * day })
    const client = await Registered.at(host)
    const signedIn = client.signIn()
    await signedIn
    const kept = nextKept()
    const { refresh_token } = expectTokens(await client.exchange(signedIn))
    await kept
    clock.advance(34 * day)
    expect(await client.expiresAt()).toBeDefined()
    clock.advance(2 * day)
    expect(await client.expiresAt()).toBeUndefined()
    expectError(await client.refresh(refresh_token), 401, 'invalid_client')
  })

  it('says when it was last used, to about a day, also if its grants have an end', async () => {
    const clock = stopClock()
    const { host, nextKept } = await keeping({ grantLifetime: 30 * day })
    const client = await Registered.at(host)
    const lastUsedAt = async () => (await host.tokenStore.findClient('acme', client.clientId))?.lastUsedAt ?? 0
    const signedIn = client.signIn()
    await signedIn
    let kept = nextKept()
    let tokens = expectTokens(await client.exchange(signedIn))
    await kept
    for (let times = 0; times < 3; times++) {
      const before = await lastUsedAt()
      clock.advance(day + 60)
      kept = nextKept()
      tokens = expectTokens(await client.refresh(tokens.refresh_token))
      await kept
      expect((await lastUsedAt()) - before).toBeGreaterThanOrEqual(day * 1000)
    }
  })

  it('has its registration written once a day, not at every refresh', async () => {
    const clock = stopClock()
    const { host, kept, nextKept } = await keeping()
    const client = await Registered.at(host)
    const signedIn = client.signIn()
    await signedIn
    const written = nextKept()
    let tokens = expectTokens(await client.exchange(signedIn))
    await written
    const before = kept()
    for (let hour = 0; hour < 5; hour++) {
      clock.advance(3600)
      tokens = expectTokens(await client.refresh(tokens.refresh_token))
    }
    expect(kept()).toBe(before)
  })

  it.each([
    ['fails', rejects],
    ['hangs', hangs],
  ])('is not refused because the look-up of its registration %s', async (_, fault) => {
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store, hostTimeout: 0.1 })
    const client = await Registered.at(host)
    const signedIn = client.signIn()
    await signedIn
    faults.always('findClient', fault)
    expectTokens(await client.exchange(signedIn))
    expect(await host.told('error')).toMatchObject([{ where: 'findClient' }])
  })

  it('is not refused because its registration cannot be extended', async () => {
    const faults = faultyStore(await createTokenStore())
    const clock = stopClock()
    const host = await start({ tokenStore: faults.store })
    const client = await Registered.at(host)
    let touching: Promise<unknown> = Promise.resolve()
    faults.always('touchClient', (apply) => {
      touching = apply()
      return touching
    })
    const { refresh_token } = expectTokens(await client.exchange())
    // The exchange extends the registration after its response. That must not happen after the two days.
    await touching
    faults.always('touchClient', rejects)
    clock.advance(2 * day)
    expectTokens(await client.refresh(refresh_token))
    expect(await host.told('error')).toMatchObject([{ where: 'touchClient', tenantKey: 'acme' }])
  })
}
