import type { Database, DatabaseServer } from '../../support/database'
import { recordOf, recordsOf } from '../../support/records'
import { kinds, liveCredential } from '../../support/redemptions'
import { eventually } from '../../support/redis-server'
import { ServerProxy } from '../../support/server-proxy'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'

/** How a database goes away, and how it comes back. */
interface Outage {
  begin(): Promise<unknown> | undefined
  end(): Promise<unknown> | undefined
}

/** Whether a host's store answers over the connections that it has. */
function reaches({ tokenStore }: TestSignIn): Promise<boolean> {
  return tokenStore.findGrant('acme', 'nobody').then(
    () => true,
    () => false,
  )
}

const later: [name: string, seconds: number][] = [
  ['at once', 0],
  ['after 20 seconds', 20],
  ['after 6 minutes', 360],
  ['after a week', 7 * 86_400],
]

// No repeat is tolerated, so a 503 must leave nothing behind. Customers sign in at the patient server, because
// the one that gives up early creates a second grant when the machine is slow.
const strict = { hostTimeout: 0.5, refreshRetryWindow: 0, replayTolerance: 0, lifetimes: { authorizationCode: 600 } }

/** What got 503 in an outage leaves nothing behind, and its client can retry at another process. */
export function outage(database: Database): void {
  database.describeWithClock(`an outage of ${database.name}`, () => {
    let server: DatabaseServer
    let proxy: ServerProxy
    let host: TestSignIn
    let another: TestSignIn
    beforeAll(async () => {
      server = await database.start({ durable: true, clock: true })
    })
    beforeEach(async () => {
      await database.clear(server)
      proxy = await ServerProxy.start(server.port, database.protocol)
      host = await database.startedOn(proxy.port, strict)
      another = await database.startedOn(server.port, { ...strict, hostTimeout: 30, client: 'connects at once' })
    })
    afterEach(async () => {
      await proxy.stop()
      server.clock.set(0)
      // In case a test has ended before the outage.
      server.signal('SIGCONT')
      await server.start()
    })
    afterAll(() => server.stop())

    const outages: [name: string, Outage][] = [
      ['is killed', { begin: () => server.kill(), end: () => server.start() }],
      [
        'freezes',
        {
          begin: () => void server.signal('SIGSTOP'),
          end: () => void server.signal('SIGCONT'),
        },
      ],
      ['has all it says get lost', { begin: () => void proxy.loseReplies(), end: () => void proxy.passReplies() }],
      [
        'has all it says get lost, and is killed then',
        {
          begin: () => void proxy.loseReplies(),
          end: async () => {
            await server.kill()
            proxy.passReplies()
            await server.start()
          },
        },
      ],
    ]

    /** Waits until all pending commands have run. */
    async function healed(outage: Outage): Promise<void> {
      await outage.end()
      await eventually(() => reaches(host))
      await another.tokenStore.findGrant('acme', 'nobody')
    }

    for (const kind of kinds) {
      describe.each(outages)(`while a ${kind} is redeemed, in which ${database.name} %s`, (_, outage) => {
        it('leaves nothing of the requests that got 503', async () => {
          const redeem = await liveCredential[kind](another)
          const before = await recordOf(another.tokenStore)
          await outage.begin()
          expectError(await redeem(host), 503, 'temporarily_unavailable')
          expectError(await redeem(host), 503, 'temporarily_unavailable')
          await healed(outage)
          // If the database applied a swap and could not reply, the process that gave up reverses it.
          await eventually(
            async () => (await recordOf(another.tokenStore)).credential?.hash === before.credential?.hash,
          )
          await new Promise((resolve) => setTimeout(resolve, 300))
          const { credential, request } = await recordOf(another.tokenStore)
          expect({ credential, request }).toEqual({ credential: before.credential, request: before.request })
        })

        it.each(kind === 'code' ? later.slice(0, 3) : later)(
          'lets the client redeem it at another process %s',
          async (_, seconds) => {
            const redeem = await liveCredential[kind](another)
            const before = await recordOf(another.tokenStore)
            await outage.begin()
            expectError(await redeem(host), 503, 'temporarily_unavailable')
            await healed(outage)
            await eventually(
              async () => (await recordOf(another.tokenStore)).credential?.hash === before.credential?.hash,
            )
            server.clock.advance(seconds)
            const { refresh_token } = expectTokens(await redeem(another))
            expectTokens(await another.refresh(refresh_token))
            expect(await another.told('replayed')).toEqual([])
          },
        )
      })
    }

    it('revives nothing of a sign-in that got 503, when its commands are sent again', async () => {
      const grants = () => recordsOf(another.tokenStore)
      // Long enough that a busy server stores what it is sent in time.
      const patient = await database.startedOn(proxy.port, { ...strict, hostTimeout: 3 })
      await patient.asCustomer({ subject: 'customer-2' })
      proxy.loseReplies()
      await expect(patient.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
      const unheard = (await grants()).length
      expect(unheard).toBeGreaterThan(0)
      expect(await another.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })).toBe(unheard)
      proxy.passReplies()
      await eventually(() => reaches(patient))
      expect(await grants()).toEqual([])
    })
  })
}
