import type { Database, DatabaseServer } from '../../support/database'
import { kinds, liveCredential } from '../../support/redemptions'
import { ServerProxy } from '../../support/server-proxy'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'

const [minute, day] = [60, 86_400]
const strict = { refreshRetryWindow: 0, replayTolerance: 0 }
const differences = [0.02, 2, 61, 5 * minute, day].flatMap((seconds) => [
  [`${seconds} s ahead of the hosts'`, seconds] as const,
  [`${seconds} s behind the hosts'`, -seconds] as const,
])

/** Every lifetime and every window lasts as long as it says, whatever the clocks of hosts and database show. */
export function clocks(database: Database): void {
  database.describeWithClock(`the clock of ${database.name}`, () => {
    let server: DatabaseServer
    beforeAll(async () => {
      server = await database.start({ clock: true })
    })
    afterAll(() => server.stop())
    beforeEach(() => database.clear(server))
    afterEach(() => server.clock.set(0))

    const hosts = (options = {}): Promise<[TestSignIn, TestSignIn]> =>
      Promise.all([database.startedOn(server.port, options), database.startedOn(server.port, options)])

    describe.each(differences)('%s', (_, ahead) => {
      beforeEach(() => server.clock.set(ahead))

      it.each(kinds)('lets one of six parallel redemptions of a %s win, with the strict defaults', async (kind) => {
        const [one, other] = await hosts(strict)
        const redeem = await liveCredential[kind](one)
        const answers = await Promise.all([one, other, one, other, one, other].map((host) => redeem(host)))
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
      })

      it('lets a code be redeemed at another process until it expires, and not later', async () => {
        const [one, other] = await hosts({ lifetimes: { authorizationCode: 60 } })
        const [inTime, tooLate] = [await one.asCustomer(), await one.asCustomer()]
        server.clock.advance(50)
        const { refresh_token } = expectTokens(await other.exchange(inTime))
        expectTokens(await one.refresh(refresh_token))
        server.clock.advance(11)
        expectError(await other.exchange(tooLate), 400, 'invalid_grant')
      })

      it('lets refreshRetryWindow last as long as it says', async () => {
        const [one, other] = await hosts({ refreshRetryWindow: 30, replayTolerance: 0 })
        const { refresh_token } = await one.connected()
        const next = expectTokens(await one.refresh(refresh_token)).refresh_token
        server.clock.advance(28)
        expect(expectTokens(await other.refresh(refresh_token)).refresh_token).toBe(next)
        server.clock.advance(3)
        expectError(await other.refresh(refresh_token), 400, 'invalid_grant')
        expectError(await one.refresh(next), 400, 'invalid_grant')
      })

      it('lets replayTolerance last as long as it says', async () => {
        const [one, other] = await hosts({ refreshRetryWindow: 0, replayTolerance: 30 })
        const { refresh_token } = await one.connected()
        const next = expectTokens(await one.refresh(refresh_token)).refresh_token
        server.clock.advance(28)
        expectError(await other.refresh(refresh_token), 400, 'invalid_grant')
        expect(await other.told('replayed')).toMatchObject([{ ended: false }])
        server.clock.advance(3)
        expectError(await other.refresh(refresh_token), 400, 'invalid_grant')
        expectError(await one.refresh(next), 400, 'invalid_grant')
        expect(await other.told('replayed')).toMatchObject([{ ended: false }, { ended: true }])
      })

      it('makes no access token live longer or shorter than its grant', async () => {
        const [one, other] = await hosts({ lifetimes: { grant: 600 } })
        const { expires_in, refresh_token } = await one.connected()
        expect([599, 600]).toContain(expires_in)
        server.clock.advance(500)
        const refreshed = expectTokens(await other.refresh(refresh_token))
        expect([98, 99, 100]).toContain(refreshed.expires_in)
        await one.signIn.verifyAccessToken(refreshed.access_token, { tenantKey: 'acme', checkRevocation: true })
      })

      it('keeps a customer’s grants listed, and ends them all', async () => {
        const [one, other] = await hosts()
        const { refresh_token } = await one.connected()
        expect((await other.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants).toHaveLength(1)
        expect(await other.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })).toBe(1)
        expectError(await one.refresh(refresh_token), 400, 'invalid_grant')
      })
    })

    describe('that is set back by 5 minutes', () => {
      it('does not make a repeat count as early: it gets 503, and an event says why', async () => {
        const [one, other] = await hosts({ refreshRetryWindow: 10, replayTolerance: 10 })
        const { refresh_token } = await one.connected()
        const next = expectTokens(await one.refresh(refresh_token)).refresh_token
        server.clock.set(-5 * minute)
        for (const host of [one, other]) {
          expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
          const [told] = await host.told('error')
          expect(told?.error.message).toMatch(
            /^The token store's clock is (300|29\d) s behind .* has it been set back\?$/,
          )
        }
        server.clock.set(60)
        expectError(await other.refresh(refresh_token), 400, 'invalid_grant')
        expectError(await one.refresh(next), 400, 'invalid_grant')
      })

      it.each(kinds)('lets the owner of a %s go on as usual', async (kind) => {
        const [one, other] = await hosts(strict)
        const redeem = await liveCredential[kind](one)
        server.clock.set(-5 * minute)
        let { refresh_token } = expectTokens(await redeem(other))
        for (let refresh = 0; refresh < 5; refresh++) {
          ;({ refresh_token } = expectTokens(await (refresh % 2 ? one : other).refresh(refresh_token)))
        }
        expect([...(await one.told('error')), ...(await other.told('error'))]).toEqual([])
      })

      it('still lets a repeat of what is redeemed after that end the grant', async () => {
        const [one] = await hosts(strict)
        const { refresh_token } = await one.connected()
        server.clock.set(-5 * minute)
        const next = expectTokens(await one.refresh(refresh_token)).refresh_token
        server.clock.set(1)
        expectError(await one.refresh(refresh_token), 400, 'invalid_grant')
        expectError(await one.refresh(next), 400, 'invalid_grant')
      })
    })

    it('that jumps costs one more command, and nobody notices', async () => {
      const proxy = await ServerProxy.start(server.port, database.protocol)
      const writes = () => proxy.arrived.flat().filter(database.protocol.isWrite).length
      try {
        const host = await database.startedOn(proxy.port, strict)
        let { refresh_token } = await host.connected()
        for (const ahead of [3600, -3600, day, -day, 0]) {
          server.clock.set(ahead)
          const before = writes()
          ;({ refresh_token } = expectTokens(await host.refresh(refresh_token)))
          expect([1, 2]).toContain(writes() - before)
        }
        expect(await host.told('error')).toEqual([])
      } finally {
        await proxy.stop()
      }
    })
  })
}
