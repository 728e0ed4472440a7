import { MemoryTenantStore } from 'customer-sign-in'
import type { Response } from 'supertest'
import { assertionOf, clientKey, withAssertion } from '../../support/confidential-clients'
import type { Database, DatabaseServer } from '../../support/database'
import { HostProcess, type TokenResponse } from '../../support/host-process'
import { SeededRandom } from '../../support/seeded-random'
import { type Cut, cutPoints, ServerProxy } from '../../support/server-proxy'
import { clientId, expectTokens, redirectUri } from '../../support/sign-in'

// Another seed gives other breaks: SEED=7 npx jest lost-replies
const seed = Number(process.env.SEED ?? 1)

/** One to five breaks in a row: more than any client library and the library retry by themselves. */
function someCuts(random: SeededRandom): Cut[] {
  return Array.from({ length: 1 + random.below(5) }, () => ({ point: random.pick(cutPoints), at: random.next() }))
}

/**
 * Lets one customer refresh while connections to the database break. After a 503, the client tries again with the same token.
 *
 * @returns How many requests were answered with 503.
 */
async function expectNobodySignedOut(
  firstToken: string,
  proxy: ServerProxy,
  refresh: (token: string, random: SeededRandom) => PromiseLike<TokenResponse | Response>,
  rounds: number,
): Promise<number> {
  const random = new SeededRandom(seed)
  let token = firstToken
  let unavailable = 0
  for (let round = 1; round <= rounds; round++) {
    const cuts = someCuts(random)
    proxy.cutNext(...cuts)
    for (let answer = await refresh(token, random); ; answer = await refresh(token, random)) {
      const { status, body } = answer
      if (status === 200) {
        token = body.refresh_token
        break
      }
      unavailable++
      const met = { seed, round, cuts }
      expect({ met, status, error: body.error }).toEqual({ met, status: 503, error: 'temporarily_unavailable' })
    }
  }
  return unavailable
}

/** Nobody is signed out by connections that break at random points. */
export function lostReplies(database: Database): void {
  database.describe(`a connection to ${database.name} that breaks while a token is refreshed`, () => {
    let server: DatabaseServer
    let proxy: ServerProxy
    beforeAll(async () => {
      server = await database.start()
      proxy = await ServerProxy.start(server.port, database.protocol)
    })
    beforeEach(() => proxy.cutNext())
    afterAll(async () => {
      await proxy.stop()
      await server.stop()
    })

    it('never signs out a customer who retries at the same process, with the strict defaults', async () => {
      // Only this library sends anything again.
      const host = await database.startedOn(proxy.port, {
        client: 'connects at once and sends nothing again',
        replayTolerance: 0,
      })
      const { refresh_token } = await host.connected()
      const unavailable = await expectNobodySignedOut(
        refresh_token,
        proxy,
        (token) => host.refresh(token),
        database.brokenRounds,
      )
      expect(unavailable).toBeGreaterThan(database.brokenRounds / 10)
    })

    it('never signs a customer out if the client library connects again by itself', async () => {
      const host = await database.startedOn(proxy.port, { client: 'connects at once', replayTolerance: 0 })
      const { refresh_token } = await host.connected()
      await expectNobodySignedOut(
        refresh_token,
        proxy,
        (token) => host.refresh(token),
        Math.min(300, database.brokenRounds),
      )
      expect(await host.told('replayed')).toEqual([])
    })

    it('never takes the assertion of a client for a used one', async () => {
      const key = clientKey()
      const clients = [{ clientId, redirectUris: [redirectUri], jwks: { keys: [key.jwk] } }]
      const host = await database.startedOn(proxy.port, {
        client: 'connects at once',
        replayTolerance: 0,
        clients: { authentication: ['private_key_jwt'] },
        tenantStore: new MemoryTenantStore([{ key: 'acme', id: 'acme', clients }]),
      })
      // The host has the address that all processes share.
      const issuer = 'https://assistants.example/v1/acme/oauth'
      const asserted = () => withAssertion(assertionOf(key, clientId, issuer))
      const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), asserted()))
      await expectNobodySignedOut(
        refresh_token,
        proxy,
        (token) => host.refresh(token, asserted()),
        Math.min(300, database.brokenRounds),
      )
    })

    it('never wastes a code that is retried at the same process, with the strict defaults', async () => {
      const host = await database.startedOn(proxy.port, {
        client: 'connects at once and sends nothing again',
        replayTolerance: 0,
      })
      const authorizing = await database.startedOn(server.port)
      const random = new SeededRandom(seed)
      for (let round = 1; round <= 200; round++) {
        const signedIn = await authorizing.asCustomer()
        const cuts = someCuts(random)
        proxy.cutNext(...cuts)
        let answer = await host.exchange(signedIn)
        while (answer.status === 503) answer = await host.exchange(signedIn)
        expect({ seed, round, cuts, status: answer.status }).toEqual({ seed, round, cuts, status: 200 })
      }
    })

    it('never signs out a customer who retries at another of four processes, within refreshRetryWindow', async () => {
      const signIn = { refreshRetryWindow: 10, replayTolerance: 0 }
      const settings = database.settingsFor(proxy.port)
      const sendsNothingAgain = settings.redis ? { redis: { ...settings.redis, maxRetriesPerRequest: 0 } } : settings
      const [first, ...others] = [
        ...(await HostProcess.startAll(2, { ...sendsNothingAgain, signIn })),
        ...(await HostProcess.startAll(2, { ...settings, signIn })),
      ]
      if (!first) throw new Error('There is no process')
      try {
        const { refresh_token } = await first.connected()
        const atAny = (token: string, random: SeededRandom) => random.pick([first, ...others]).refresh(token)
        await expectNobodySignedOut(refresh_token, proxy, atAny, database.brokenRounds)
        expect([first, ...others].map(({ events }) => events.replayed ?? 0)).toEqual([0, 0, 0, 0])
      } finally {
        await Promise.all([first, ...others].map((host) => host.stop()))
      }
    })
  })
}
