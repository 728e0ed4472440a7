import type { Response } from 'supertest'
import type { Database, DatabaseServer } from '../../support/database'
import { HostProcess, type TokenResponse } from '../../support/host-process'
import { eventually } from '../../support/redis-server'

const customers = Array.from({ length: 20 }, (_, index) => `customer-${index}`)

type Refresh = (token: string, customer: number) => PromiseLike<TokenResponse | Response>

/**
 * Lets all customers refresh again and again, and freezes the server in the middle.
 *
 * @returns The token that each customer is left with: the one whose refresh got 503.
 */
async function freezeUnderLoad(server: DatabaseServer, firstTokens: string[], refresh: Refresh): Promise<string[]> {
  let refreshed = 0
  let isFrozen = false
  const load = firstTokens.map(async (firstToken, customer) => {
    let token = firstToken
    for (;;) {
      const { status, body } = await refresh(token, customer)
      if (status !== 200) {
        expect({ status, error: body.error }).toEqual({ status: 503, error: 'temporarily_unavailable' })
        if (isFrozen) return token
        continue
      }
      refreshed++
      token = body.refresh_token
    }
  })
  const leftWith = Promise.all(load)
  await eventually(async () => refreshed > 2 * customers.length)
  server.signal('SIGSTOP')
  isFrozen = true
  return leftWith
}

/** Lets all customers refresh with the token that they have, and retry as long as they are told to. @returns The next token of each. */
function expectAllToRefresh(tokens: string[], refresh: Refresh): Promise<string[]> {
  const refreshed = tokens.map(async (token, customer) => {
    for (;;) {
      const { status, body } = await refresh(token, customer)
      if (status === 200) return body.refresh_token
      expect({ status, error: body.error }).toEqual({ status: 503, error: 'temporarily_unavailable' })
    }
  })
  return Promise.all(refreshed)
}

/** No request hangs and nobody is signed out while a database freezes. */
export function frozen(database: Database): void {
  database.describe(`${database.name} that freezes under load`, () => {
    let server: DatabaseServer
    beforeEach(async () => {
      server = await database.start()
    })
    afterEach(() => server.stop())

    it('makes no request hang, and lets every customer refresh once it goes on', async () => {
      const host = await database.startedOn(server.port, { hostTimeout: 1, replayTolerance: 0 })
      // Signs all in, however busy the machine is.
      const patient = await database.startedOn(server.port, { hostTimeout: 30, replayTolerance: 0 })
      const first = await Promise.all(customers.map((subject) => patient.connected({ subject })))
      const refresh = (token: string) => host.refresh(token)
      const held = await freezeUnderLoad(
        server,
        first.map(({ refresh_token }) => refresh_token),
        refresh,
      )
      server.signal('SIGCONT')
      await expectAllToRefresh(await expectAllToRefresh(held, refresh), refresh)
      expect(await host.told('replayed')).toEqual([])
    })

    it('lets every customer refresh at another process once it goes on, within refreshRetryWindow', async () => {
      const signIn = { hostTimeout: 1, refreshRetryWindow: 300, replayTolerance: 0 }
      const settings = { ...database.settingsFor(server.port), signIn }
      const hosts = await HostProcess.startAll(3, settings)
      const patient = await HostProcess.start({ ...settings, signIn: { ...signIn, hostTimeout: 30 } })
      const at = (index: number) => hosts[index % hosts.length] as HostProcess
      try {
        const first = await Promise.all(customers.map((subject) => patient.connected(subject)))
        const held = await freezeUnderLoad(
          server,
          first.map(({ refresh_token }) => refresh_token),
          (token, customer) => at(customer).refresh(token),
        )
        server.signal('SIGCONT')
        const next = await expectAllToRefresh(held, (token, customer) => at(customer + 1).refresh(token))
        await expectAllToRefresh(next, (token, customer) => at(customer + 2).refresh(token))
        expect(hosts.map(({ events }) => events.replayed ?? 0)).toEqual([0, 0, 0])
      } finally {
        await Promise.all([patient, ...hosts].map((host) => host.stop()))
      }
    })
  })
}
