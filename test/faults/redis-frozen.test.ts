import type { Response } from 'supertest'
import { HostProcess, type TokenResponse } from '../support/host-process'
import { describeWithRedis, eventually, RedisServer } from '../support/redis-server'
import { startedOnRedis } from '../support/started-on-redis'

const customers = Array.from({ length: 50 }, (_, index) => `customer-${index}`)

type Refresh = (token: string, customer: number) => PromiseLike<TokenResponse | Response>

/**
 * Lets all customers refresh again and again, and freezes the server in the middle.
 *
 * @returns The token that each customer is left with: the one whose refresh got 503.
 */
async function freezeUnderLoad(server: RedisServer, firstTokens: string[], refresh: Refresh): Promise<string[]> {
  let refreshed = 0
  const load = firstTokens.map(async (firstToken, customer) => {
    let token = firstToken
    for (;;) {
      const { status, body } = await refresh(token, customer)
      if (status !== 200) {
        expect({ status, error: body.error }).toEqual({ status: 503, error: 'temporarily_unavailable' })
        return token
      }
      refreshed++
      token = body.refresh_token
    }
  })
  const leftWith = Promise.all(load)
  await eventually(async () => refreshed > 2 * customers.length)
  server.signal('SIGSTOP')
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

describeWithRedis('Redis that freezes under load', () => {
  let server: RedisServer
  beforeEach(async () => {
    server = await RedisServer.start()
  })
  afterEach(() => server.stop())

  it('makes no request hang, and lets every customer refresh once it goes on', async () => {
    const host = await startedOnRedis(server.port, { hostTimeout: 1, replayTolerance: 0 })
    const first = await Promise.all(customers.map((subject) => host.connected({ subject })))
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
    const signIn = { hostTimeout: 1, refreshRetryWindow: 10, replayTolerance: 0 }
    const hosts = await HostProcess.startAll(3, { redis: { port: server.port }, signIn })
    const at = (index: number) => hosts[index % hosts.length] as HostProcess
    try {
      const first = await Promise.all(customers.map((subject, customer) => at(customer).connected(subject)))
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
      await Promise.all(hosts.map((host) => host.stop()))
    }
  })
})
