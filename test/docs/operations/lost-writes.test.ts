import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { expectError, expectTokens, type TestSignIn, type Tokens } from '../../support/sign-in'
import { startedOnRedis } from '../../support/started-on-redis'
import type { TestOptions } from '../../support/test-options'

const customer = { tenantKey: 'acme', subject: 'customer-1' }

describeWithRedis('Lost writes, as docs/operations.md says', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  function started(options: TestOptions = {}): Promise<TestSignIn> {
    return startedOnRedis(server.port, { redis: { maxRetriesPerRequest: null }, replayTolerance: 0, ...options })
  }

  /** Loses everything that `work` writes: the server goes back to a snapshot from before. */
  async function losing<T>(write: () => Promise<T>): Promise<T> {
    await server.command('SAVE')
    const written = await write()
    await server.kill('SIGKILL')
    await server.start()
    return written
  }

  async function refreshed(host: TestSignIn, tokens: Tokens, times: number): Promise<Tokens> {
    let newest = tokens
    for (let time = 0; time < times; time++) newest = expectTokens(await host.refresh(newest.refresh_token))
    return newest
  }

  it.each([1, 4])('do nothing, if they are %d refreshes of a grant', async (times) => {
    const host = await started()
    const first = await host.connected()
    const newest = await losing(() => refreshed(host, first, times))
    await refreshed(host, newest, 2)
    expect(await host.told('refreshed')).toContainEqual(expect.objectContaining({ recovered: true }))
  })

  it('end the grant, if they are more than four refreshes', async () => {
    const host = await started()
    const first = await host.connected()
    const newest = await losing(() => refreshed(host, first, 5))
    expectError(await host.refresh(newest.refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: true }])
  })

  it('do nothing, if they are the redemption of a code and the client refreshes in time', async () => {
    const host = await started({ lifetimes: { authorizationCode: 60 } })
    const signedIn = await host.asCustomer()
    const tokens = await losing(async () => expectTokens(await host.exchange(signedIn)))
    await refreshed(host, tokens, 2)
  })

  it('take a new sign-in, if they are a sign-in', async () => {
    const host = await started()
    const tokens = await losing(() => host.connected())
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
    await refreshed(host, await host.connected(), 1)
  })

  it('bring a grant back, if they are a revocation', async () => {
    const host = await started()
    const tokens = await host.connected()
    await losing(() => host.signIn.grants.revokeAll(customer))
    await refreshed(host, tokens, 1)
  })
})

describeWithRedis('Persistence, as docs/operations-redis.md says', () => {
  it.each(['always', 'everysec', 'no'])('loses nothing to a kill with appendfsync %s', async (appendfsync) => {
    const server = await RedisServer.start(['--appendonly', 'yes', '--appendfsync', appendfsync])
    const host = await startedOnRedis(server.port, { redis: { maxRetriesPerRequest: null } })
    const customers = Array.from({ length: 30 }, (_, index) => `customer-${index}`)
    const tokens = await Promise.all(customers.map((subject) => host.connected({ subject })))
    await server.kill('SIGKILL')
    await server.start()
    for (const { refresh_token } of tokens) expectTokens(await host.refresh(refresh_token))
    expect(await host.told('refreshed')).not.toContainEqual(expect.objectContaining({ recovered: true }))
    await server.stop()
  })
})
