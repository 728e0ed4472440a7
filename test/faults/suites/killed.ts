import type { Database, DatabaseServer } from '../../support/database'
import { eventually } from '../../support/redis-server'
import { expectTokens } from '../../support/sign-in'

const customers = Array.from({ length: 50 }, (_, index) => `customer-${index}`)
const kills = 3

/** No grant is lost and nobody is signed out when a durable database is killed. */
export function killed(database: Database): void {
  database.describe(`${database.name} that is killed under load, and keeps all that it has acknowledged,`, () => {
    let server: DatabaseServer
    beforeEach(async () => {
      server = await database.start({ durable: true })
    })
    afterEach(() => server.stop())

    it('loses no grant and signs nobody out', async () => {
      const host = await database.startedOn(server.port, { hostTimeout: 1, replayTolerance: 0 })
      // Does what must succeed however busy the machine is.
      const patient = await database.startedOn(server.port, { hostTimeout: 30, replayTolerance: 0 })
      const tokens = await Promise.all(customers.map((subject) => patient.connected({ subject })))

      let refreshed = 0
      let done = false
      async function refreshOn(firstToken: string): Promise<string> {
        let token = firstToken
        while (!done) {
          const { status, body } = await host.refresh(token)
          if (status === 200) {
            refreshed++
            token = body.refresh_token
          } else expect({ status, error: body.error }).toEqual({ status: 503, error: 'temporarily_unavailable' })
        }
        return token
      }
      async function killAgainAndAgain(): Promise<void> {
        for (let kill = 0; kill < kills; kill++) {
          const before = refreshed
          await eventually(async () => refreshed > before + customers.length)
          await server.kill('SIGKILL')
          await server.start()
        }
      }
      const load = tokens.map(({ refresh_token }) => refreshOn(refresh_token))
      const [held] = await Promise.all([
        Promise.all(load),
        killAgainAndAgain().finally(() => {
          done = true
        }),
      ])

      for (const token of held) {
        let answer = await host.refresh(token)
        while (answer.status === 503) answer = await host.refresh(token)
        expectTokens(answer)
      }
      // A kill between two writes of one script leaves both or neither.
      for (const subject of customers) {
        expect((await patient.signIn.grants.list({ tenantKey: 'acme', subject })).grants).toHaveLength(1)
      }
      expect(await host.told('replayed')).toEqual([])
      expect((await host.told('refreshed')).filter(({ recovered }) => recovered)).toEqual([])
    })
  })
}
